import { pause } from '../../base/deadline.ts';
import { monotonicMs } from '../../base/clock.ts';
import { holds, readOf } from '../../base/proc.ts';
import {
  agentAreas,
  calmThread,
  scratchSince,
  snapshot,
  untilAgentLeft,
  type MemoryArea,
} from './runningProcess.ts';
import { untilLinked } from './linking.ts';
import { StrobeError } from '../../model/errors.ts';
import type { FridaHost, HostSession } from './fridaHost.ts';

/** Processes that a host holds in its life. Each costs it memory; then a new host takes over. */
const maxPidsPerHost = 64;

/** A thread that Frida has let go is not held any more a moment later. */
const LEAVE_MS = 200;
const LOOK_MS = 5;

async function stillHolds(host: number, pid: number): Promise<boolean> {
  const until = monotonicMs() + LEAVE_MS;
  while (holds(host, pid)) {
    if (monotonicMs() > until) return true;
    await pause(LOOK_MS);
  }
  return false;
}

/** What is held at its start and was stopped for a moment is back in its wait soon; a busy machine takes longer. */
const WAIT_MS = 10_000;
const WAIT_LOOK_MS = 1;

/**
 * A host knows a held process by the call of the system in which it waits (proc_pid_syscall(5)); one that it does not know
 * it would enter where nothing is loaded yet, over what lets the process go. INSTRUMENTATION_FAILED after 10 s.
 */
async function untilItWaits(pid: number): Promise<void> {
  const until = monotonicMs() + WAIT_MS;
  while (readOf(pid, 'syscall')?.startsWith('running') === true) {
    if (monotonicMs() > until)
      throw new StrobeError(
        'INSTRUMENTATION_FAILED',
        `Process ${pid} is held at its start and gets too little processor time to be entered. It runs on untraced.`,
        'Try again when less runs beside it.',
      );
    await pause(WAIT_LOOK_MS);
  }
}

/** A process held for one session. */
export interface HeldProcess {
  readonly session: HostSession;
  /** Lets a process go that was attached to at its exec stop. */
  resume(): Promise<void>;
  /** A call of the running program was cut short by our coming: it returned EINTR once. */
  readonly interrupted: boolean;
  /** Memory that Frida took to come in and leaves behind; null when that is not known. */
  readonly scratch: MemoryArea | null;
  /** Lets go of a process that lives on; false when Frida's agent did not leave it in time. */
  detach(): Promise<boolean>;
  /** The process is gone or was let go: its host may end when it holds no other. */
  release(): Promise<void>;
  /** The host ended, by itself or by us. Called at once when it has already. */
  onHostExit(callback: () => void): void;
}

interface Place {
  readonly host: FridaHost;
  readonly pids: Set<number>;
  held: number;
  left: boolean;
}

/**
 * The hosts of one session: one for all its processes, and another only for a process that was
 * held before (a program that replaced itself by exec).
 */
export class SessionHosts {
  readonly #take: (progress: (doing: string) => void) => Promise<FridaHost>;
  readonly #places: Place[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #closing: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(take: (progress: (doing: string) => void) => Promise<FridaHost>) {
    this.#take = take;
  }

  /** Attaches to a process, with what FridaHost.attach and HostPool.take throw; afterwards no host holds it. */
  async attach(pid: number, progress: (doing: string) => void): Promise<HeldProcess> {
    const place = await this.#placeFor(pid, progress);
    const agents = agentAreas(pid);
    const session = await this.#tried(place, pid, async () => {
      await untilItWaits(pid);
      return await place.host.attach(pid);
    });
    return this.#held(place, session, { agents, interrupted: false, scratch: null });
  }

  /**
   * The same with a process in the middle of its work, which is to be disturbed as little as can be:
   * the calmest thread is stopped for a moment.
   */
  async attachRunning(pid: number, progress: (doing: string) => void): Promise<HeldProcess> {
    const place = await this.#placeFor(pid, progress);
    return await this.#tried(place, pid, async () => {
      await untilLinked(pid);
      const thread = await calmThread(pid);
      const before = snapshot(pid);
      const agents = agentAreas(pid);
      const session = await place.host.attach(pid, { thread: thread.tid });
      return this.#held(place, session, {
        agents,
        interrupted: !thread.isCalm,
        scratch: scratchSince(pid, before),
      });
    });
  }

  #held(
    place: Place,
    session: HostSession,
    {
      agents,
      ...own
    }: Pick<HeldProcess, 'interrupted' | 'scratch'> & {
      /** Mappings of Frida's agent that were there before. */
      readonly agents: number;
    },
  ): HeldProcess {
    const { pid } = session;
    return {
      ...own,
      session,
      async detach() {
        await session.detach();
        return await untilAgentLeft(pid, agents);
      },
      resume: async () => {
        try {
          await place.host.resume(pid);
        } catch (error) {
          if (holds(place.host.pid, pid)) await this.#close(place);
          throw error;
        }
      },
      release: () => this.#release(place, pid),
      onHostExit: (callback) => void place.host.onExit(callback),
    };
  }

  async #tried<T>(place: Place, pid: number, attach: () => Promise<T>): Promise<T> {
    try {
      return await attach();
    } catch (error) {
      if (place.held === 1) await this.#close(place);
      await this.#release(place, pid);
      throw error;
    }
  }

  /** Ends all hosts; what they hold is let go. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn.catch(() => undefined);
    await Promise.all(this.#places.splice(0).map((place) => place.host.close()));
    await this.#closing;
  }

  /** One at a time, so that two processes that come together get one host. */
  async #placeFor(pid: number, progress: (doing: string) => void): Promise<Place> {
    const turn = this.#turn.then(
      () => this.#choose(pid, progress),
      () => this.#choose(pid, progress),
    );
    this.#turn = turn;
    return await turn;
  }

  async #choose(pid: number, progress: (doing: string) => void): Promise<Place> {
    const known = this.#places.find(
      (place) => place.left && !place.pids.has(pid) && place.pids.size < maxPidsPerHost,
    );
    const unused = known ? [] : this.#places.filter(({ held }) => held === 0);
    const place = known ?? (await this.#open(progress));
    // The new one takes what may come; their end is not waited for.
    this.#closing = Promise.all([this.#closing, ...unused.map((one) => this.#close(one))]);
    place.pids.add(pid);
    place.held++;
    return place;
  }

  async #open(progress: (doing: string) => void): Promise<Place> {
    const host = await this.#take(progress);
    const place: Place = { host, pids: new Set(), held: 0, left: true };
    if (this.#closed) await host.close();
    else this.#places.push(place);
    host.onExit(() => {
      place.left = false;
    });
    return place;
  }

  /**
   * A host that holds the process all the same is closed, whatever else it holds: nothing else frees what it
   * has stopped. One without processes is kept while it is the newest: the next process may come soon.
   */
  async #release(place: Place, pid: number): Promise<void> {
    place.held--;
    const isUnused = place.held === 0 && place !== this.#places.at(-1);
    if (isUnused || (await stillHolds(place.host.pid, pid))) await this.#close(place);
  }

  async #close(place: Place): Promise<void> {
    const at = this.#places.indexOf(place);
    if (at >= 0) this.#places.splice(at, 1);
    await place.host.close();
  }
}
