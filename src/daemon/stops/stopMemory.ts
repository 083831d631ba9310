import type { DebugBackend, RunningMemory, WantedValue } from '../../collector/debug/debugger.ts';
import type { Evaluated, EvaluateRequest, Ran } from '../../model/debug/evaluated.ts';
import type { StoppedThread } from '../../model/debug/stop.ts';
import type { VariableSet } from '../../model/debug/variableSet.ts';
import type { Value } from '../../model/questions/query.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ScalarType } from '../../model/values/scalarType.ts';
import type { SessionContext } from '../session/sessionContext.ts';
import { readRegisters } from './heldStop.ts';
import type { StoppedProcess } from './stoppedProcess.ts';

/** What stops threads of a session's processes. */
export interface Debuggers {
  readonly debuggers: readonly DebugBackend[];
  /** Tracing has entered a process. */
  has(pid: number): boolean;
  /** Has a debugger of this name stop threads. Throws BAD_PARAMETER, CANNOT_DEBUG. */
  use(adapter: string): Promise<void>;
  /** The name of another debugger that holds a process for us; null: none does. */
  adapterIn(pid: number): string | null;
  /** Enters a process where its threads stop by themselves, which is nothing to others. */
  enterToStop(pid: number): Promise<void>;
  /** Leaves an event with both values. */
  recordSet(set: VariableSet): Promise<void>;
}

/** A variable that is to be set. */
export interface WantedSet {
  readonly name: string;
  readonly address: bigint;
  readonly bytes: number;
  /** As an unsigned number. */
  readonly bits: bigint;
  readonly scalar: ScalarType;
}

/** A register that is to be set. */
export interface RegisterSet {
  /** What of it is set. */
  readonly name: string;
  readonly scalar: ScalarType;
  /** Bits of that before and after, as unsigned numbers. */
  readonly old: bigint;
  readonly now: bigint;
  /** By DWARF. */
  readonly register: number;
  /** All of the register. */
  readonly value: bigint;
}

/** A thread that stands still; what is set in it changes how it stands. */
export interface Standing {
  readonly by: DebugBackend;
  thread: StoppedThread;
}

/** What can be read and set of the main process of a session: where a thread stands, or (stop null) while all run. */
export class StopMemory {
  readonly #process: StoppedProcess;
  readonly #context: SessionContext;
  readonly #tracers: Debuggers;
  readonly #stopOf: (id: string) => Standing;

  /** `stopOf` throws STALE_STOP, NOT_STOPPED. */
  constructor(
    process: StoppedProcess,
    context: SessionContext,
    tracers: Debuggers,
    stopOf: (id: string) => Standing,
  ) {
    this.#process = process;
    this.#context = context;
    this.#tracers = tracers;
    this.#stopOf = stopOf;
  }

  /** Memory of the process whose threads can be stopped, at this moment. Throws SESSION_ENDED, NOT_STOPPED. */
  running(): RunningMemory {
    const pid = this.#pid();
    for (const one of this.#tracers.debuggers) {
      const memory = one.memory(pid);
      if (memory) return memory;
    }
    throw new StrobeError('NOT_STOPPED', 'No thread is stopped.');
  }

  /** What an expression is in a frame of a stopped thread. Throws STALE_STOP, NOT_STOPPED. */
  async evaluate(stop: string | null, request: EvaluateRequest): Promise<Evaluated> {
    if (stop === null) return await this.running().evaluate(request);
    const { by, thread } = this.#stopOf(stop);
    return await by.evaluate(thread.tid, request);
  }

  /** Whether expressions and statements of its language can be run where a thread stands. Throws STALE_STOP, NOT_STOPPED. */
  runsCode(stop: string): boolean {
    return this.#stopOf(stop).by.runsCode;
  }

  /** As much as can be read. Throws STALE_STOP, NOT_STOPPED. */
  bytes(stop: string | null, address: bigint, length: number): Uint8Array {
    if (stop === null) return this.running().read(address, length);
    const { by, thread } = this.#stopOf(stop);
    return by.read(thread.tid, address, length);
  }

  /** A register of the newest frame. Throws STALE_STOP, NOT_STOPPED. */
  async register(stop: string, name: string): Promise<bigint | null> {
    const standing = this.#stopOf(stop);
    await readRegisters(standing);
    const value = standing.thread.registers.find((one) => one.name === name)?.value;
    return value === undefined ? null : BigInt(value);
  }

  /** Sets a variable, which leaves an event. Throws STALE_STOP, NOT_STOPPED, BAD_EXPRESSION. */
  async write(stop: string | null, set: WantedSet): Promise<void> {
    const { name, address, bytes, bits: now, scalar: type } = set;
    const old = wordOf(this.bytes(stop, address, bytes));
    const fresh = Buffer.alloc(8);
    fresh.writeBigUInt64LE(now);
    const written = fresh.subarray(0, bytes);
    const standing = stop === null ? null : this.#stopOf(stop);
    if (standing) standing.thread = await standing.by.write(standing.thread.tid, address, written);
    else this.running().write(address, written);
    const pid = this.#pid();
    const tid = standing?.thread.tid ?? pid;
    await this.#tracers.recordSet({ name, type, pid, tid, old, now });
  }

  /** Sets a register of the newest frame, which leaves an event. Throws STALE_STOP, NOT_STOPPED. */
  async writeRegister(stop: string, set: RegisterSet): Promise<void> {
    const standing = this.#stopOf(stop);
    const { name, register, value, scalar: type, old, now } = set;
    const { tid, pid } = standing.thread;
    standing.thread = await standing.by.setRegister(tid, register, value);
    await this.#tracers.recordSet({ name, type, pid, tid, old, now });
  }

  /** Sets what the language names so. Throws STALE_STOP, NOT_STOPPED, BAD_EXPRESSION. */
  async assign(stop: string, wanted: WantedValue): Promise<void> {
    const standing = this.#stopOf(stop);
    standing.thread = await standing.by.assign(standing.thread.tid, wanted);
  }

  /** Leaves an event of what was assigned. Throws STALE_STOP, NOT_STOPPED. */
  async recordAssigned(
    stop: string,
    name: string,
    { was, is }: { readonly was: Value; readonly is: Value },
  ): Promise<void> {
    const { pid, tid } = this.#stopOf(stop).thread;
    const type = { kind: 'dynamic', language: 'other' } as const;
    const [old, now] = [JSON.stringify(was), JSON.stringify(is)];
    await this.#tracers.recordSet({ name, type, pid, tid, old, now });
  }

  /** Runs an expression or statements of the language. Throws STALE_STOP, NOT_STOPPED, BAD_PARAMETER. */
  async run(stop: string | null, frame: number, text: string): Promise<Ran> {
    if (stop === null) throw new StrobeError('NOT_STOPPED', 'No thread is stopped.');
    const standing = this.#stopOf(stop);
    const { ran, thread } = await standing.by.run(standing.thread.tid, frame, text);
    standing.thread = thread;
    return ran;
  }

  #pid(): number {
    const pid = this.#process.now?.pid;
    if (pid === undefined) throw this.#context.ended();
    return pid;
  }
}

/** At most eight bytes as an unsigned number. */
export function wordOf(bytes: Uint8Array): bigint {
  const word = Buffer.alloc(8);
  word.set(bytes.subarray(0, 8));
  return word.readBigUInt64LE();
}
