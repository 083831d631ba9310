import type { FrameVariable } from '../../../model/endings/crashReport.ts';
import { dirname, join } from 'node:path';
import { monotonicMs } from '../../../base/clock.ts';
import { pause } from '../../../base/deadline.ts';
import { catches, hasEnded, memoryOf, readOf, threadsOf, tracersOf } from '../../../base/proc.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { FoundStatement } from '../../../model/functions/foundStatement.ts';
import type { CodeRange, LineRanges } from '../../../model/debug/lineCode.ts';
import { isOurs } from '../../attach/inspectProcess.ts';
import { runsAgent } from '../../frida/agentThreads.ts';
import type { Disassembly } from '../../../model/debug/disassembly.ts';
import type { Evaluated, EvaluateRequest } from '../../../model/debug/evaluated.ts';
import {
  steppedBy,
  type StepKind,
  type StopCause,
  type StoppedThread,
} from '../../../model/debug/stop.ts';
import type { LeftWhy } from '../debugger.ts';
import { disassemble } from './disassembler.ts';
import { hitCause } from './hitCause.ts';
import { programCounter, snapshotOf, stackPointer } from './heldThread.ts';
import { ProcessMaps } from './processMaps.ts';
import type { ProcessOwner } from './processOwner.ts';
import { ProgramMemory } from './programMemory.ts';
import { CannotDebug, Stopper, type StopperEvent } from './stopper.ts';
import { ThreadDescriber } from './threadDescriber.ts';

type Stopped = Extract<StopperEvent, { kind: 'stopped' }>;

/** A step that is under way. */
interface Step {
  readonly kind: StepKind | 'until';
  /** The frame it began in: canonical frame address; null: not known. */
  readonly frame: bigint | null;
  readonly line: LineRanges | null;
}

interface Held {
  readonly stopped: Stopped;
  readonly cause: StopCause;
  thread: StoppedThread | null;
}

const trapSignal = 5;
/** Looks at a thread that runs. */
const mostLooks = 4;
const lookMs = 1;
/** In a mask of signals. */
const trapBit = 1n << BigInt(trapSignal - 1);
const stackLooked = 0x4000;
/** Lines without a statement's beginning that one step may cross. */
const mostRounds = 50;
/** Steps that end where a line begins. */
const byLines: ReadonlySet<Step['kind']> = new Set(['over', 'into', 'out']);

/** One process whose threads can be stopped, by a stopper. */
export class DebuggedProcess {
  readonly pid: number;
  readonly stopper: Stopper;
  readonly #owner: ProcessOwner;
  readonly #memory: ProgramMemory;
  readonly #describer: ThreadDescriber;
  readonly #held = new Map<number, Held>();
  readonly #steps = new Map<number, Step & { rounds: number }>();
  #isEarly = false;
  isOver = false;

  private constructor(pid: number, stopper: Stopper, owner: ProcessOwner) {
    this.pid = pid;
    this.stopper = stopper;
    this.#owner = owner;
    this.#memory = new ProgramMemory(pid, owner.session, owner.parts.code);
    this.#describer = new ThreadDescriber(pid, owner.session, owner.parts.code);
  }

  /** `isEarly`: it is held at its start; its threads are seized later. Throws CANNOT_DEBUG. */
  static async begin(pid: number, owner: ProcessOwner, isEarly: boolean): Promise<DebuggedProcess> {
    let debugged: DebuggedProcess | null = null;
    const early: StopperEvent[] = [];
    const take = (event: StopperEvent): void => {
      if (debugged) debugged.#take(event);
      else early.push(event);
    };
    const { stopperPath, enginePath } = owner.parts;
    const outputLog = join(dirname(owner.session.storePath), 'output.log');
    const stopper = await patient(pid, async () =>
      Stopper.start({ stopperPath, enginePath, pid, outputLog, isEarly, take }),
    );
    const begun = new DebuggedProcess(pid, stopper, owner);
    debugged = begun;
    begun.#isEarly = isEarly;
    for (const event of early) begun.#take(event);
    void stopper.ended.finally(() => begun.#end(hasEnded(pid) ? 'ended' : 'killed'));
    return begun;
  }

  /** It is not held any more. Throws CANNOT_DEBUG. */
  async seize(): Promise<void> {
    if (!this.#isEarly) return;
    this.#isEarly = false;
    await patient(this.pid, async () => this.stopper.seize());
  }

  maps(): ProcessMaps {
    return new ProcessMaps(this.pid);
  }

  /** Why the program would not survive that its stopper is killed; null: it would. */
  async whyUnsafe(): Promise<string | null> {
    if (!this.stopper.isSafe || !catches(this.pid, trapSignal))
      return 'Strobe is not loaded in the program';
    let blocking = (await this.#programThreads()).filter((tid) => blocksTraps(this.pid, tid));
    // A thread that starts another, and the one that is started, block all signals for a moment.
    for (let look = 0; look < 3 && blocking.length > 0; look++) {
      await pause(10);
      blocking = blocking.filter((tid) => blocksTraps(this.pid, tid));
    }
    return blocking.length === 0 ? null : `Thread ${blocking[0]} blocks SIGTRAP`;
  }

  /** Answers the threads that were asked: those of the program. */
  async pause(tid?: number): Promise<readonly number[]> {
    const wanted = tid === undefined ? await this.#programThreads() : [tid];
    for (const one of wanted) {
      this.#steps.delete(one);
      this.stopper.halt(one);
    }
    return wanted;
  }

  async go(tid: number): Promise<void> {
    this.#forget(tid);
    this.stopper.go(tid);
    await this.stopper.sync();
  }

  async step(tid: number, kind: StepKind): Promise<void> {
    const held = this.#heldOf(tid);
    const { stopped } = held;
    const thread = await this.#describe(held);
    const [frame, ...callers] = thread.frames;
    const address = frame?.frameAddress ?? null;
    const own = address === null ? null : BigInt(address);
    const line = await this.#lineAt(programCounter(stopped));
    const maps = this.maps();
    const begin = (): void => {
      this.#forget(tid);
      this.#steps.set(tid, { kind, frame: own, line, rounds: 0 });
    };
    if (kind === 'instruction') {
      begin();
      this.stopper.stepInstruction(tid);
    } else if (kind === 'overInstruction') {
      begin();
      this.stopper.step(tid, [], false);
    } else if (kind === 'out' && line !== null && line.inside.length > 0) {
      begin();
      this.stopper.step(tid, placed(maps, programCounter(stopped), line.inside), false);
    } else if (kind === 'out') {
      const caller = callers.find((one) => one.frameAddress !== frame?.frameAddress);
      if (!caller || own === null) throw noCaller(thread);
      begin();
      this.stopper.run(tid, own, [BigInt(caller.pc)]);
    } else if (line === null) {
      throw new StrobeError(
        'NO_LINE',
        'The code that runs there has no line information.',
        'Step out ("out"), or by one instruction ("instruction").',
      );
    } else {
      begin();
      this.#stepLine(tid, stopped, line, kind === 'into');
    }
    await this.stopper.sync();
  }

  async until(tid: number, addresses: readonly bigint[]): Promise<void> {
    const held = this.#heldOf(tid);
    const thread = await this.#describe(held);
    const [frame, ...callers] = thread.frames;
    const caller = callers.find((one) => one.frameAddress !== frame?.frameAddress);
    this.#forget(tid);
    this.#steps.set(tid, { kind: 'until', frame: null, line: null, rounds: 0 });
    const back = caller ? [BigInt(caller.pc)] : [];
    const maps = this.maps();
    // Among the bytes of a jump an int3 would change where it leads.
    const free = addresses.filter((address) => (maps.jumpOver(address) ?? address) === address);
    this.stopper.run(tid, 0n, [...free, ...back]);
    await this.stopper.sync();
  }

  async evaluate(tid: number, request: EvaluateRequest): Promise<Evaluated> {
    return await this.#evaluate(this.#heldOf(tid).stopped, request);
  }

  async #evaluate(stopped: Stopped, request: EvaluateRequest): Promise<Evaluated> {
    const { session, parts } = this.#owner;
    const snapshot = snapshotOf(this.pid, stopped.tid, stopped, this.maps());
    return await parts.code.evaluate(snapshot, session, request);
  }

  async variables(tid: number, frame: number): Promise<readonly FrameVariable[]> {
    const { stopped } = this.#heldOf(tid);
    return await this.#describer.variables(stopped, frame);
  }

  read(address: bigint, length: number): Uint8Array {
    return this.#memory.read(address, length);
  }

  async write(tid: number, address: bigint, bytes: Uint8Array): Promise<StoppedThread> {
    const held = this.#heldOf(tid);
    this.#memory.write(address, bytes);
    held.thread = null;
    return await this.#describe(held);
  }

  async setRegister(tid: number, register: number, value: bigint): Promise<StoppedThread> {
    const held = this.#heldOf(tid);
    this.stopper.setRegister(tid, register, value);
    await this.stopper.sync();
    const registers = held.stopped.registers.with(register, BigInt.asUintN(64, value));
    const set: Held = { ...held, stopped: { ...held.stopped, registers }, thread: null };
    this.#held.set(tid, set);
    return await this.#describe(set);
  }

  async disassemble(tid: number, frame: number, count: number): Promise<Disassembly> {
    const { frames } = await this.#describe(this.#heldOf(tid));
    const meant = frames[frame];
    if (!meant)
      throw new StrobeError(
        'BAD_PARAMETER',
        `There is no frame ${frame}: there are ${frames.length}.`,
      );
    return await disassemble(meant, this.maps(), { code: this.#owner.parts.code, count });
  }

  async close(): Promise<void> {
    this.isOver = true;
    await this.stopper.close();
  }

  #end(why: LeftWhy): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#owner.left(why);
  }

  #take(event: StopperEvent): void {
    switch (event.kind) {
      case 'stopped':
        this.#stopped(event).catch((error: unknown) => {
          this.#owner.parts.warn('a stop cannot be described', { error: String(error) });
          this.stopper.go(event.tid);
        });
        return;
      case 'gone':
        this.#forget(event.tid);
        this.#owner.gone(event.tid);
        return;
      case 'executed':
        this.#end('executed');
        return;
      case 'asks':
        void this.#answer(event);
        return;
      case 'refused':
    }
  }

  async #stopped(stopped: Stopped): Promise<void> {
    const { tid, why } = stopped;
    if (why === 'break' && this.#isOurs(stackPointer(stopped))) {
      this.stopper.go(tid);
      return;
    }
    const step = this.#steps.get(tid);
    const goesOn = step && (why === 'step' || why === 'called');
    if (goesOn && (await this.#goesOn(stopped, step))) return;
    this.#steps.delete(tid);
    const cause: StopCause =
      why === 'break'
        ? await hitCause(stopped, this.#owner, (request) => this.#evaluate(stopped, request))
        : why === 'paused'
          ? { kind: 'pause' }
          : steppedBy(step?.kind);
    const held: Held = { stopped, cause, thread: null };
    this.#held.set(tid, held);
    this.#owner.stopped(await this.#describe(held));
  }

  async #answer({ number, type }: Extract<StopperEvent, { kind: 'asks' }>): Promise<void> {
    // What cannot be decided is shown.
    const isWanted = await this.#owner.isWanted(number, type).catch(() => true);
    this.stopper.answer(number, type, isWanted);
  }

  /** Where a step is not where it leads yet: it was sent on. */
  async #goesOn(stopped: Stopped, step: Step & { rounds: number }): Promise<boolean> {
    const { tid, why } = stopped;
    if (!byLines.has(step.kind) || ++step.rounds > mostRounds) return false;
    if (why === 'called') return this.#enter(stopped);
    const pc = programCounter(stopped);
    const place = this.maps().placeOf(pc);
    if (place === null || place.module === this.#owner.parts.enginePath) {
      const [frame] = (await this.#describe({ stopped, cause: { kind: 'step' }, thread: null }))
        .frames;
      if (!frame || BigInt(frame.pc) === pc) return false;
      this.stopper.run(tid, stackPointer(stopped), [BigInt(frame.pc)]);
      return true;
    }
    const line = await this.#owner.parts.code.lineRanges(place.module, place.offset);
    const isOutside = step.frame !== null && stackPointer(stopped) >= step.frame;
    if (line === null || line.begins || isOutside) return false;
    this.#stepLine(tid, stopped, line, step.kind === 'into');
    return true;
  }

  /** A call was made: to the body of what has lines, else over it. */
  async #enter(stopped: Stopped): Promise<boolean> {
    const { tid } = stopped;
    const maps = this.maps();
    const place = maps.placeOf(programCounter(stopped));
    const body = place && (await this.#bodyOf(place.module, place.offset));
    const address = body && maps.addressOf(body);
    const over = address === null ? null : maps.jumpOver(address);
    const back = this.#wordAt(stackPointer(stopped));
    // It has no lines: over it, and the step goes on behind the call.
    if (address === null) this.stopper.run(tid, stackPointer(stopped) + 8n, [back]);
    // A hook stands in the body's way: at its entry.
    else if (address === programCounter(stopped) || (over !== null && over !== address))
      return false;
    else this.stopper.run(tid, 0n, [address, back]);
    return true;
  }

  async #bodyOf(module: string, offset: number): Promise<FoundStatement | null> {
    const { code } = this.#owner.parts;
    if ((await code.lineRanges(module, offset)) === null) return null;
    const names = { names: [], depth: 0 };
    const { statements } = await code.statements(
      [module],
      { kind: 'bodyAt', module, offset },
      names,
    );
    return statements[0] ?? null;
  }

  #stepLine(tid: number, stopped: Stopped, line: LineRanges, into: boolean): void {
    const ranges = into ? line.ranges : [...line.ranges, ...line.inlined];
    this.stopper.step(tid, placed(this.maps(), programCounter(stopped), ranges), into);
  }

  async #lineAt(address: bigint): Promise<LineRanges | null> {
    const place = this.maps().placeOf(address);
    return place && this.#owner.parts.code.lineRanges(place.module, place.offset);
  }

  async #describe(held: Held): Promise<StoppedThread> {
    if (held.thread) return held.thread;
    held.thread = await this.#describer.describe(held.stopped, held.cause);
    return held.thread;
  }

  #heldOf(tid: number): Held {
    const held = this.#held.get(tid);
    if (!held) throw new StrobeError('NOT_STOPPED', `Thread ${tid} is not stopped.`);
    return held;
  }

  #forget(tid: number): void {
    this.#held.delete(tid);
    this.#steps.delete(tid);
  }

  /** A thread that runs shows no stack: one of ours sleeps again a moment later. */
  async #programThreads(): Promise<number[]> {
    const all = threadsOf(this.pid);
    const looks = new Map(all.map((tid) => [tid, this.#isOursNow(tid)]));
    for (let look = 0; look < mostLooks && [...looks.values()].includes(null); look++) {
      await pause(lookMs);
      for (const [tid, known] of looks) if (known === null) looks.set(tid, this.#isOursNow(tid));
    }
    return all.filter((tid) => looks.get(tid) !== true);
  }

  /** By what its stack leads to. */
  #isOurs(sp: bigint): boolean {
    return runsAgent(memoryOf(this.pid, sp, stackLooked), this.maps().mappings);
  }

  /** Null: it runs. */
  #isOursNow(tid: number): boolean | null {
    const words = readOf(this.pid, `task/${tid}/syscall`)?.trim().split(' ') ?? [];
    if (words.length < 3) return null;
    return this.#isOurs(BigInt(words.at(-2) ?? '0'));
  }

  #wordAt(address: bigint): bigint {
    const bytes = memoryOf(this.pid, address, 8);
    return bytes.length === 8 ? bytes.readBigUInt64LE() : 0n;
  }
}

/** Ranges of the module that holds an address, in memory. */
function placed(
  maps: ProcessMaps,
  address: bigint,
  ranges: readonly CodeRange[],
): (readonly [bigint, bigint])[] {
  const module = maps.placeOf(address)?.module ?? '';
  const base = maps.baseOf(module) ?? 0n;
  return ranges.map(({ start, end }) => [base + BigInt(start), base + BigInt(end)] as const);
}

function blocksTraps(pid: number, tid: number): boolean {
  const mask = /^SigBlk:\s*([0-9a-f]+)/m.exec(readOf(pid, `task/${tid}/status`) ?? '')?.[1];
  return mask !== undefined && (BigInt(`0x${mask}`) & trapBit) !== 0n;
}

function noCaller(thread: StoppedThread): StrobeError {
  const why = thread.problem === null ? '' : `: ${thread.problem}`;
  return new StrobeError(
    'NO_LINE',
    `The caller of this function is not known${why}.`,
    'Set a breakpoint in the caller, and continue.',
  );
}

/** Entering a process, and following what it executes, hold it by ptrace for a moment, too. */
async function patient<T>(pid: number, begin: () => Promise<T>): Promise<T> {
  const end = monotonicMs() + ownHoldMs;
  for (;;) {
    try {
      return await begin();
    } catch (error) {
      const isHeld = error instanceof CannotDebug && error.number === notPermitted;
      const isPassing = isHeld && tracersOf(pid).every(isOurs);
      if (!isPassing || monotonicMs() > end) throw explained(pid, error);
      await pause(retryMs);
    }
  }
}

const ownHoldMs = 2000;
const retryMs = 20;

/** EPERM, ESRCH */
const notPermitted = 1;
const noProcess = 3;

function explained(pid: number, error: unknown): unknown {
  if (!(error instanceof CannotDebug)) return error;
  if (error.number === noProcess)
    return new StrobeError('SESSION_ENDED', `Process ${pid} has ended.`);
  const [holder] = tracersOf(pid);
  if (error.number === notPermitted && holder !== undefined)
    return new StrobeError(
      'ALREADY_OBSERVED',
      `Another debugger (process ${holder}) is attached to process ${pid}.`,
      'Detach it first: a thread has one debugger.',
    );
  return new StrobeError(
    'CANNOT_DEBUG',
    `The kernel does not let process ${pid} be debugged (error ${error.number}).`,
  );
}
