import { StrobeError } from '../../../model/errors.ts';
import type { NativeParts } from '../../native/nativeParts.ts';
import type { Trap } from '../../native/probes/processProbes.ts';
import type { TracedProcess, TracedSession } from '../../tracer.ts';
import { DebuggedProcess } from './debuggedProcess.ts';
import type { ProcessOwner } from './processOwner.ts';
import { Traps } from './traps.ts';

interface Diverted {
  readonly process: DebuggedProcess;
  readonly traps: Traps;
}

/** Processes in which nothing stops and statements are recorded by traps: each has a stopper of its own. */
export class DivertedProcesses {
  readonly #session: TracedSession;
  readonly #parts: NativeParts;
  readonly #byPid = new Map<number, Diverted>();
  #next = 1;

  constructor(session: TracedSession, parts: NativeParts) {
    this.#session = session;
    this.#parts = parts;
  }

  /** Has int3s of one process lead to these islands, and no others. By address why one does not: whole sentences. */
  async divert(
    traps: readonly Trap[],
    process: TracedProcess,
  ): Promise<ReadonlyMap<bigint, string>> {
    if (traps.length === 0) {
      await this.leave(process.pid);
      return new Map();
    }
    try {
      const diverted = this.#byPid.get(process.pid) ?? (await this.#begin(process));
      const why = await diverted.process.whyUnsafe();
      return await diverted.traps.set(traps, diverted.process.stopper, why && `${why}.`);
    } catch (error) {
      if (!(error instanceof StrobeError)) throw error;
      return new Map(traps.map(({ address }) => [address, error.message]));
    }
  }

  /** The process, which was held at its start, runs now. */
  async began(pid: number): Promise<void> {
    await this.#byPid.get(pid)?.process.seize();
  }

  async leave(pid: number): Promise<void> {
    const diverted = this.#byPid.get(pid);
    this.#byPid.delete(pid);
    await diverted?.process.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byPid.keys()].map((pid) => this.leave(pid)));
  }

  /** Throws CANNOT_DEBUG. */
  async #begin({ pid, isHeld }: TracedProcess): Promise<Diverted> {
    const none = (): void => undefined;
    const owner: ProcessOwner = {
      session: this.#session,
      parts: this.#parts,
      idsOf: () => [],
      touchedOf: () => null,
      conditionOf: () => null,
      isWanted: () => Promise.resolve(false),
      stopped: none,
      gone: none,
      left: () => {
        if (this.#byPid.get(pid) === diverted) this.#byPid.delete(pid);
      },
    };
    const process = await DebuggedProcess.begin(pid, owner, isHeld);
    const diverted = { process, traps: new Traps(() => this.#next++) };
    if (!process.isOver) this.#byPid.set(pid, diverted);
    return diverted;
  }
}
