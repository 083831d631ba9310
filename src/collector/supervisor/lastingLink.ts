import { join } from 'node:path';
import { monotonicMs } from '../../base/clock.ts';
import { pause, within } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import { supervisorState, supervisorStdin, supervisorWire } from '../../protocol/supervisor.ts';
import { howItEnded, isSupervisorLost, lostBecause, withEnd } from './supervisorEnd.ts';
import type { LostSupervisor } from './supervisorEnd.ts';
import { SupervisorLink } from './supervisorLink.ts';
import type { SupervisorAnswer, SupervisorHello, SupervisorListener } from './supervisorLink.ts';

export const requestMs = 5_000;
/** Between attempts to connect again: the first, and the longest. */
const againMs = { first: 2, longest: 1000 } as const;
/** A connection that lasted so long was a good one: the next attempt need not wait. */
const lastedMs = 10_000;

/** What is taken for true of a supervisor that has said nothing yet. */
const unheard = {
  supervisorPid: 0,
  startedNs: 0n,
  logSize: 0,
  state: supervisorState.running,
  stdin: supervisorStdin.open,
  status: 0,
} as const;

export interface LastingListener extends Omit<SupervisorListener, 'closed'> {
  /** It was connected to again: all may have changed. */
  hello(hello: SupervisorHello): void;
  /** Neither supervisor nor standby is there any more, or `close` was called. */
  closed(): void;
  /** Its loss is none. */
  hasEnded(): boolean;
}

/**
 * The connection to a supervisor, made again when it ends: to one that lives and let go of us, or to the standby of
 * one that was killed. Neither is given up while it is there, however long it is silent.
 */
export class LastingLink {
  /** What was heard first. */
  readonly hello: SupervisorHello;
  readonly #sessionDir: string;
  readonly #standby: LostSupervisor['standby'];
  #link: SupervisorLink;
  #supervisorPid: number;
  #listener: LastingListener | null = null;
  #end = '';
  /** `close` was called. */
  #left = false;
  #isSilent = false;
  /** While it is connected to again: whether there is still a supervisor, or its standby. */
  #succession: Promise<boolean> = Promise.resolve(false);
  #connectedMs = monotonicMs();
  #againMs: number = againMs.first;

  private constructor(
    to: Pick<LostSupervisor, 'sessionDir' | 'standby'>,
    link: SupervisorLink,
    hello: SupervisorHello,
  ) {
    this.#sessionDir = to.sessionDir;
    this.#standby = to.standby;
    this.#link = link;
    this.hello = hello;
    this.#supervisorPid = hello.supervisorPid;
  }

  /** SUPERVISOR_LOST when there is none, TIMED_OUT when it does not answer. */
  static async open(to: LostSupervisor): Promise<LastingLink> {
    try {
      const { link, hello } = await SupervisorLink.open(socketPath(to.sessionDir), requestMs);
      return new LastingLink(to, link, hello);
    } catch (error) {
      throw await withEnd(error, to);
    }
  }

  /** To a supervisor that is there and silent: it is heard when it, or its standby, answers. */
  static awaited(sessionDir: string, targetPid: number): LastingLink {
    const to = { sessionDir, standby: null };
    const link = new LastingLink(to, SupervisorLink.ended(), { ...unheard, targetPid });
    link.#isSilent = true;
    return link;
  }

  get supervisorPid(): number {
    return this.#supervisorPid;
  }

  /** How it was lost, in sentences; empty while it is not. */
  get end(): string {
    return this.#end;
  }

  /** It let the last request wait in vain: it is stopped, or gets neither memory nor processor. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** From now on, and for all that came since the hello. */
  listen(listener: LastingListener): void {
    this.#listener = listener;
    this.#link.listen({ ...listener, closed: () => this.#closed() });
  }

  /** Asks, and asks again when the connection ends meanwhile: SUPERVISOR_LOST, TIMED_OUT. */
  async request(
    type: number,
    payload: Uint8Array,
    limitMs: number | null = requestMs,
  ): Promise<SupervisorAnswer> {
    const end = limitMs === null ? null : monotonicMs() + limitMs;
    const left = (): number | null => (end === null ? null : Math.max(1, end - monotonicMs()));
    for (;;) {
      const link = this.#link;
      try {
        return await this.once(type, payload, left());
      } catch (error) {
        if (!isSupervisorLost(error)) throw error;
        if (this.#link === link && !(await this.isBack(left())))
          throw lostBecause(error, this.#end);
      }
    }
  }

  /** Asks the supervisor that is connected now. */
  async once(type: number, payload: Uint8Array, limitMs: number | null): Promise<SupervisorAnswer> {
    try {
      const answer = await this.#link.request(type, payload, limitMs);
      this.#isSilent = false;
      return answer;
    } catch (error) {
      throw this.#noted(error);
    }
  }

  /** Waits while it is connected to again, and says whether it is. TIMED_OUT while it is there and silent. */
  async isBack(limitMs: number | null): Promise<boolean> {
    const late = (): StrobeError => new StrobeError('TIMED_OUT', 'The supervisor did not answer.');
    if (limitMs === null) return await this.#succession;
    try {
      return await within(limitMs, this.#succession, late);
    } catch (error) {
      throw this.#noted(error);
    }
  }

  close(): void {
    this.#left = true;
    this.#link.close();
  }

  #noted(error: unknown): unknown {
    if (error instanceof StrobeError && error.code === 'TIMED_OUT') this.#isSilent = true;
    return error;
  }

  #closed(): void {
    this.#succession = this.#reconnect().then(async (isBack) => {
      if (isBack) return true;
      if (!this.#left && this.#listener?.hasEnded() !== true) this.#end = await this.#howItEnded();
      this.#listener?.closed();
      return false;
    });
  }

  /** Never rejects. */
  async #reconnect(): Promise<boolean> {
    if (monotonicMs() - this.#connectedMs > lastedMs) this.#againMs = againMs.first;
    while (!this.#left) {
      await pause(this.#againMs);
      this.#againMs = Math.min(2 * this.#againMs, againMs.longest);
      try {
        this.#take(await SupervisorLink.open(socketPath(this.#sessionDir), requestMs));
        return true;
      } catch (error) {
        if (isSupervisorLost(error)) return false;
      }
    }
    return false;
  }

  #take(connected: { link: SupervisorLink; hello: SupervisorHello }): void {
    const { link, hello } = connected;
    this.#link = link;
    this.#isSilent = false;
    this.#connectedMs = monotonicMs();
    this.#supervisorPid = hello.supervisorPid;
    // It may have been closed while we were on our way.
    if (this.#left) link.close();
    if (!this.#listener) return;
    this.listen(this.#listener);
    this.#listener.hello(hello);
  }

  async #howItEnded(): Promise<string> {
    const supervisorPid = this.#supervisorPid === 0 ? null : this.#supervisorPid;
    return await howItEnded({
      sessionDir: this.#sessionDir,
      supervisorPid,
      standby: this.#standby,
    });
  }
}

/** PATH_TOO_LONG. */
export function socketPath(sessionDir: string): string {
  const path = join(sessionDir, 'supervisor.sock');
  const bytes = Buffer.byteLength(path);
  if (bytes > supervisorWire.maxSocketPath) {
    throw new StrobeError('PATH_TOO_LONG', `${path} has ${bytes} bytes.`);
  }
  return path;
}
