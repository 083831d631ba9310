import { existsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { pause } from '../../base/deadline.ts';
import { SessionHosts } from '../../collector/frida/sessionHosts.ts';
import { FunctionNumbers } from '../../collector/native/functionNumbers.ts';
import type { TracedFunction } from '../../model/eventColumns.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { CallPolicy, Verdict } from '../../model/functions/traceable.ts';
import type { FunctionWatches } from '../../collector/native/watchTable.ts';
import type { LoadedModule } from '../../protocol/agent.ts';
import type { IndexClient } from '../indexing/indexClient.ts';
import { exceptionFunctions } from './exceptionFunctions.ts';
import { Instrument, ringDirectory } from './instrument.ts';
import { keepModules } from './loadedModules.ts';
import type { SessionFacts, SessionParts } from '../session/sessionFacts.ts';

/** A program waits no longer for its own symbols to be read because of its exceptions. */
const HOOKING_PATIENCE_MS = 500;
/** What a thread's ring begins with. */
const FIRST_RING_BYTES = 8 << 20;
/** Rings grow by at most one part in so many of the memory that is there. */
const MEMORY_SHARE = 4;

/** A process that agent and engine are to be brought into. */
export interface TraceableProcess {
  readonly pid: number;
  /** The ELF file it runs. */
  readonly image: string;
  /** It has not run yet: its only thread of its own is the main one. */
  readonly atExec: boolean;
  /** Descriptors that its supervisor had taken before its start, so that ours lie above them. */
  readonly lowNumbers?: readonly number[];
  /** Attached to while it runs: nobody else reads its output. */
  readonly isAttached?: boolean;
}

/** What the instruments of a session ask and tell. */
export interface InstrumentsOwner {
  /** Throws SESSION_ENDED when there is none any more. */
  index(): IndexClient;
  doing(what: string): void;
  moduleLoaded(): void;
  /** Agent and engine are in a process. */
  installed(): void;
  lost(pid: number, why: string): void;
  note(text: string): void;
}

/** Our presence in the processes of one session: one instrument each, one numbering of functions. */
export class Instruments {
  readonly #facts: SessionFacts;
  readonly #services: SessionParts;
  readonly #owner: InstrumentsOwner;
  readonly #hosts: SessionHosts;
  readonly #numbers: FunctionNumbers;
  readonly #byPid = new Map<number, Instrument>();
  /** Hooking where each raises and catches. */
  readonly #hooking = new Map<number, Promise<void>>();
  readonly #installing = new Map<number, Promise<Instrument>>();
  /** Programs of each process that were instrumented: each has a ring of its own. */
  readonly #rings = new Map<number, number>();
  /** Modules of processes that have ended: what was found in them stays found. */
  readonly #pastModules = new Set<string>();
  /** The last verdicts of processes that have ended. */
  readonly #pastVerdicts = new Map<string, Verdict>();
  readonly #verdicts = new Map<number, ReadonlyMap<string, Verdict>>();

  constructor(facts: SessionFacts, services: SessionParts, owner: InstrumentsOwner) {
    this.#facts = facts;
    this.#services = services;
    this.#owner = owner;
    this.#hosts = new SessionHosts((progress) => services.hosts.take(progress));
    this.#numbers = new FunctionNumbers({
      rules: { stringBytes: services.stringBytes, secretNames: facts.limits.secretNames },
      announce: (functions) => owner.index().defineFunctions(functions),
    });
  }

  continueFrom(functions: readonly TracedFunction[]): void {
    this.#numbers.continueFrom(functions);
  }

  get size(): number {
    return this.#byPid.size;
  }

  has(pid: number): boolean {
    return this.#byPid.has(pid);
  }

  /** Every module that is or was loaded in a process we are or were in. */
  modules(): string[] {
    const paths = new Set(this.#pastModules);
    for (const instrument of this.#byPid.values())
      for (const path of instrument.modules.keys()) paths.add(path);
    return [...paths];
  }

  /** Puts agent and engine into a process, once; what FridaHost.attach throws. */
  async install(process: TraceableProcess): Promise<void> {
    if (this.#byPid.has(process.pid)) return;
    let installing = this.#installing.get(process.pid);
    if (!installing) {
      installing = this.#installNow(process);
      this.#installing.set(process.pid, installing);
      const done = (): void => void this.#installing.delete(process.pid);
      installing.then(done, done);
    }
    this.#byPid.set(process.pid, await installing);
  }

  /**
   * Brings the hooks of every process, or of one, in line with what is wanted. By `id`:
   * hooked where one process at least has it hooked.
   */
  async setWanted(
    wanted: readonly FoundFunction[],
    policies: ReadonlyMap<string, CallPolicy>,
    only?: number,
  ): Promise<ReadonlyMap<string, Verdict>> {
    await Promise.all(
      [...this.#byPid.values()]
        .filter((instrument) => only === undefined || instrument.pid === only)
        .map(async (instrument) => {
          const { verdicts } = await instrument.tracer.setWanted(wanted, policies);
          if (this.#byPid.get(instrument.pid) === instrument)
            this.#verdicts.set(instrument.pid, verdicts);
        }),
    );
    const merged = new Map<string, Verdict>(this.#pastVerdicts);
    for (const verdicts of this.#verdicts.values()) merge(merged, verdicts);
    return merged;
  }

  /** Has watches sampled in every process, or in one. */
  async setWatches(watches: FunctionWatches, only?: number): Promise<void> {
    await Promise.all(
      [...this.#byPid.values()]
        .filter((instrument) => only === undefined || instrument.pid === only)
        .map(({ pid, tracer }) => tracer.setWatches(watchesIn(pid, watches))),
    );
  }

  /** Run-time addresses of what is hooked in a process. */
  hookedAt(pid: number): bigint[] {
    return this.#byPid.get(pid)?.tracer.hookedAt() ?? [];
  }

  /** How many functions are hooked now, by process. */
  hooked(): ReadonlyMap<number, number> {
    return new Map([...this.#byPid].map(([pid, instrument]) => [pid, instrument.tracer.hooked]));
  }

  /** The one in this process, or null. */
  of(pid: number): Pick<Instrument, 'taps' | 'interrupted'> | null {
    return this.#byPid.get(pid) ?? null;
  }

  /** Has every attached process write down cycle counter and time together. */
  async clock(): Promise<void> {
    const attached = [...this.#byPid.values()].filter(({ taps }) => taps.length > 0);
    await Promise.all(attached.map((instrument) => instrument.clock()));
  }

  /** Lets a process go that waits at its exec; false when we are not in it. */
  async resume(pid: number): Promise<boolean> {
    const instrument = this.#byPid.get(pid);
    if (!instrument) return false;
    await Promise.race([this.#hooking.get(pid), pause(HOOKING_PATIENCE_MS)]);
    try {
      await instrument.resume();
    } catch (error) {
      // It may have run to its end before the host could say so.
      if (this.#byPid.get(pid) === instrument) throw error;
    }
    return true;
  }

  /** The process, or the program in it that we were in, is gone. */
  async drop(pid: number): Promise<void> {
    const instrument = this.#byPid.get(pid);
    if (!instrument) return;
    this.#byPid.delete(pid);
    this.#hooking.delete(pid);
    for (const path of instrument.modules.keys()) this.#pastModules.add(path);
    merge(this.#pastVerdicts, this.#verdicts.get(pid) ?? new Map<string, Verdict>());
    this.#verdicts.delete(pid);
    await instrument.close(false);
  }

  /** `live`: the processes run on, so their code is restored first. */
  async close(live: boolean): Promise<void> {
    const instruments = [...this.#byPid.values()];
    this.#byPid.clear();
    try {
      await Promise.all(instruments.map((instrument) => instrument.close(live)));
    } finally {
      await this.#hosts.close();
    }
  }

  async #installNow(process: TraceableProcess): Promise<Instrument> {
    const { pid } = process;
    const index = this.#owner.index();
    const agentSource = await this.#services.agentSource();
    const doing = (what: string): void => this.#owner.doing(what);
    const held = process.isAttached
      ? await this.#hosts.attachRunning(pid, doing)
      : await this.#hosts.attach(pid, doing);
    const ringPath = this.#ringPath(pid);
    const instrument = await Instrument.install(held, {
      ...process,
      ringPath,
      outputPath: process.isAttached ? outputPathOf(ringPath) : null,
      agentSource,
      enginePath: this.#services.enginePath,
      slotCount: this.#facts.limits.ringSlots,
      ringBytes: Math.min(FIRST_RING_BYTES, this.#facts.limits.ringBytes),
      mostRingBytes: this.#facts.limits.ringBytes,
      growBytes: Math.floor(
        Math.min(this.#facts.limits.maxOverflowBytes, freemem() / MEMORY_SHARE),
      ),
      sampling: this.#facts.limits.sampling,
      numbers: this.#numbers,
      onRing: (path) => index.addRing(path),
      onOutput: (path) => index.addOutput(path),
      onModuleLoaded: (module) => {
        this.#keep([module]);
        this.#owner.moduleLoaded();
      },
      lowNumbers: process.lowNumbers ?? [],
      onNote: (text) => this.#owner.note(text),
      onLost: (why) => {
        void this.drop(pid).catch(() => undefined);
        this.#owner.lost(pid, why);
      },
    });
    this.#keep([...instrument.modules.values()]);
    this.#owner.installed();
    this.#hooking.set(pid, this.#hookExceptions(instrument, process.image));
    return instrument;
  }

  #keep(modules: readonly LoadedModule[]): void {
    keepModules(this.#facts.storePath, modules).catch((error: unknown) => {
      this.#services.log.warn('session', 'functions will not be named', {
        session: this.#facts.id,
        error: String(error),
      });
    });
  }

  /** Also what the program brings along of the run-time libraries. Never rejects. */
  async #hookExceptions(instrument: Instrument, image: string): Promise<void> {
    try {
      await instrument.hookExceptions([]);
      const found = await exceptionFunctions(this.#services.symbols, image);
      if (found.length > 0) await instrument.hookExceptions(found);
    } catch (error) {
      this.#services.log.warn('session', 'exceptions are not recorded', {
        session: this.#facts.id,
        pid: instrument.pid,
        error: String(error),
      });
    }
  }

  /** `<pid>.ring`, and `<pid>.2.ring` for the second program of the same process. */
  #ringPath(pid: number): string {
    for (let count = this.#rings.get(pid) ?? 1; ; count++) {
      const name = count === 1 ? `${pid}.ring` : `${pid}.${count}.ring`;
      const path = join(ringDirectory(this.#facts.id), name);
      if (existsSync(path)) continue;
      this.#rings.set(pid, count + 1);
      return path;
    }
  }
}

/** `<pid>.output` beside `<pid>.ring`. */
export function outputPathOf(ringPath: string): string {
  return ringPath.replace(/\.ring$/, '.output');
}

const weight = { pending: 0, refused: 1, hooked: 2 } as const;

function merge(into: Map<string, Verdict>, verdicts: ReadonlyMap<string, Verdict>): void {
  for (const [key, verdict] of verdicts) {
    const known = into.get(key);
    if (!known || weight[verdict.kind] > weight[known.kind]) into.set(key, verdict);
  }
}

/** Without those that mean something in another process alone. */
function watchesIn(pid: number, watches: FunctionWatches): FunctionWatches {
  return new Map(
    [...watches].map(([key, uses]) => [
      key,
      uses.filter(({ program }) => program.pid === undefined || program.pid === pid),
    ]),
  );
}
