import type { FrameVariable } from '../../model/endings/crashReport.ts';
import type { Evaluated, EvaluateRequest, Ran } from '../../model/debug/evaluated.ts';
import type { Disassembly } from '../../model/debug/disassembly.ts';
import type { MemoryRegion } from '../../model/debug/memorySearch.ts';
import type { StepKind, StoppedThread } from '../../model/debug/stop.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import type { TaskHead } from '../../model/endings/taskHead.ts';
import type { ProbeReport } from '../../model/probes/probe.ts';
import type { WantedProbe } from '../wantedProbe.ts';

/** `killed`: what stopped its threads; `abandoned`: so was another debugger, whose breakpoints stay; `freed`: so was one that leaves none; `executed`: another program runs in it; `ended`: it has ended. */
export type LeftWhy = 'killed' | 'abandoned' | 'freed' | 'executed' | 'ended';

/** What a debugger tells its session. */
export interface DebugSink {
  stopped(stop: StoppedThread, by: DebugBackend): void;
  /** A thread that was stopped, or on its way, has ended. */
  gone(tid: number): void;
  /** All threads of a process run on and no breakpoint is left, though no client asked for that. */
  left(pid: number, why: LeftWhy): void;
  /** Another debugger is about to hold a process: nothing of ours may be in it when this resolves. `name`: of the debugger. */
  withdraw(pid: number, name: string): Promise<void>;
  /** It has left: what was withdrawn comes back. Settles when it has entered the process, or cannot; never rejects. */
  comeBack(pid: number): Promise<void>;
}

/** Hits of a breakpoint. */
export interface StopCounts {
  readonly hits: number;
  readonly met: number;
  /** Threads came to it besides that were neither stopped nor asked for its condition. */
  readonly missed?: number;
}

/** Memory of a program as it is at this moment, whether its threads run or stand still. */
export interface RunningMemory {
  /** What an expression is that names no locals. */
  evaluate(request: EvaluateRequest): Promise<Evaluated>;
  /** As much as can be read. */
  read(address: bigint, length: number): Uint8Array;
  /** Throws BAD_EXPRESSION where the program itself may not write. */
  write(address: bigint, bytes: Uint8Array): void;
  /** What the program may write, ascending. */
  regions(): readonly MemoryRegion[];
}

/** What is to be set. */
export interface WantedValue {
  readonly frame: number;
  /** A name, or a member or element of what it names. */
  readonly to: string;
  readonly value: string | number | boolean;
}

/** With how the thread stands then. */
export interface RanThere {
  readonly ran: Ran;
  readonly thread: StoppedThread;
}

/** Stops threads of the programs of one runtime, in one session. */
export interface DebugBackend {
  /** Has threads stop at these breakpoints and no others. A report each, in their order. Throws CANNOT_DEBUG. */
  apply(
    probes: readonly WantedProbe[],
    traced: {
      readonly own: readonly string[];
      readonly pid: number | null;
      /** It is held at its start: no thread can stop before it runs. */
      readonly isHeld: boolean;
    },
  ): Promise<readonly ProbeReport[]>;
  /** Has a debugger of this name stop threads from now on; `fits`: whichever suits the program. Throws BAD_PARAMETER, CANNOT_DEBUG. */
  use?(adapter: string): Promise<void>;
  /** By id of the breakpoint. */
  counts(): Promise<ReadonlyMap<string, StopCounts>>;
  /** Threads stop by code of ours in the process, which has to be entered for that. */
  readonly isInside: boolean;
  /** It traces the threads of this process from outside, whether they stand still or run: nobody else can then. */
  holds(pid: number): boolean;
  /** The name of another debugger that holds this process for it, beside which tracing has no place; null: none does. */
  adapterIn(pid: number): string | null;
  /** The threads of this process are its to stop. */
  isFor(pid: number): boolean;
  /**
   * Whether it comes only into what runs. A process that is to stop at breakpoints of its first moment stands still
   * (SIGSTOP) until it comes, and it lets the process run when they are there.
   */
  comesLate?(pid: number): Promise<boolean>;
  /** Stops the threads of the program, or one of them. Answers which were asked. Throws CANNOT_DEBUG. */
  pause(pid: number, tid?: number): Promise<readonly number[]>;
  /** Lets a stopped thread run on. */
  go(tid: number): Promise<void>;
  /** Throws NOT_STOPPED or NO_LINE. */
  step(tid: number, kind: StepKind): Promise<void>;
  /** To a line or function, or to where the function of the thread returns. Throws NOT_STOPPED, BAD_PARAMETER. */
  until(tid: number, target: WantedProbe, own: readonly string[]): Promise<void>;
  /** What an expression is in a frame of a stopped thread; nothing of the program runs for it. Throws NOT_STOPPED. */
  evaluate(tid: number, request: EvaluateRequest): Promise<Evaluated>;
  /** The frames of a suspended task, newest first, read where a thread of its process stands; none: it has ended. Absent: it knows no tasks. Throws NOT_STOPPED. */
  taskFrames?(tid: number, task: TaskHead): Promise<readonly StackFrame[]>;
  /** Those of a frame of a stopped thread that were not read when it stopped; absent: they cannot be. Throws NOT_STOPPED. */
  variables?(tid: number, frame: number): Promise<readonly FrameVariable[]>;
  /** Those of a stopped thread that were not read when it stopped; absent: they always are. Throws NOT_STOPPED. */
  registers?(tid: number): Promise<StoppedThread['registers']>;
  /** Memory of its process, as much as can be read. Throws NOT_STOPPED. */
  read(tid: number, address: bigint, length: number): Uint8Array;
  /** Sets memory that the program may write; answers how the thread stands then. Throws NOT_STOPPED, BAD_EXPRESSION. */
  write(tid: number, address: bigint, bytes: Uint8Array): Promise<StoppedThread>;
  /** Sets a register of a stopped thread, by its DWARF number; answers how the thread stands then. Throws NOT_STOPPED. */
  setRegister(tid: number, register: number, value: bigint): Promise<StoppedThread>;
  /** Null: its values have no addresses. */
  memory(pid: number): RunningMemory | null;
  /** Sets what an expression names, as an assignment of the language does. Throws NOT_STOPPED, BAD_EXPRESSION. */
  assign(tid: number, wanted: WantedValue): Promise<StoppedThread>;
  /** `run` works there. */
  readonly runsCode: boolean;
  /** Runs an expression or statements of the language in a frame. Throws NOT_STOPPED, BAD_PARAMETER. */
  run(tid: number, frame: number, text: string): Promise<RanThere>;
  /** `count` instructions around where a frame of a stopped thread stands. Throws NOT_STOPPED, NO_LINE. */
  disassemble(tid: number, frame: number, count: number): Promise<Disassembly>;
  /** Why a thread that was stopped may not stand still, as a clause; null: it does. */
  doubt(tid: number): string | null;
  /** All threads run on and no breakpoint is left. Never rejects. */
  close(): Promise<void>;
}
