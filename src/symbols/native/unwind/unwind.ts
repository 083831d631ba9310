import type { Mapping } from '../../../model/endings/snapshot.ts';
import { mappingOf } from '../../../model/endings/snapshot.ts';
import type { ExpressionContext } from './dwarfExpression.ts';
import { compute } from './dwarfExpression.ts';
import type { ProcessorRules } from '../processorRules.ts';
import type { FrameEntry } from './callFrames.ts';
import type { FrameRow, Rule } from './frameRow.ts';
import { rowAt } from './frameRow.ts';
import type { KnownMemory } from './snapshotMemory.ts';

/** One frame of a stack; the newest comes first. */
export interface RawFrame {
  readonly pc: bigint;
  /** Where to look for the line: the instruction itself, or the call before a return address. */
  readonly lookup: bigint;
  /** Null where the value was not kept for this frame. */
  readonly registers: readonly (bigint | null)[];
  /** Canonical frame address; null when it is not known. */
  readonly cfa: bigint | null;
  /** A handler runs above it: its instruction was interrupted. */
  readonly isInterrupted: boolean;
  /** The kernel called a handler here; what it interrupted is the next frame. */
  readonly isHandlerCall: boolean;
  /** How it was found: by unwind information, by a frame pointer, or by a guess. */
  readonly by: 'start' | 'cfi' | 'framePointer' | 'returnAddress';
}

/** What is known of the code that is run through. */
export interface UnwindContext {
  readonly rules: ProcessorRules;
  readonly memory: KnownMemory;
  readonly mappings: readonly Mapping[];
  /** Unwind information for a run-time address, its addresses link-time, with the module's load bias. */
  entryOf(address: bigint): { readonly entry: FrameEntry; readonly bias: bigint } | null;
  /** Whether a function begins there, which has pushed nothing yet. */
  isEntry(address: bigint): boolean;
  /** Whether the code there was not called: a fault led to it, and it returns to what faulted. */
  isFault(address: bigint): boolean;
}

export interface Unwound {
  readonly frames: readonly RawFrame[];
  /** Why it ends where it ends; null at the thread's first function. */
  readonly problem: string | null;
}

type Step =
  | { readonly kind: 'frame'; readonly frame: RawFrame; readonly cfa: bigint | null }
  | { readonly kind: 'end'; readonly problem: string | null; readonly cfa: bigint | null };

/** Walks a stack from the registers of its thread. Never throws; the number of frames is bounded. */
export function unwind(
  registers: readonly (bigint | null)[],
  context: UnwindContext,
  maxFrames: number,
): Unwound {
  const { stack, pc: pcNumber } = numbersOf(context);
  const pc = registers[pcNumber] ?? null;
  if (pc === null) return { frames: [], problem: 'its program counter is not known' };
  const frames: RawFrame[] = [];
  let frame: RawFrame = {
    pc,
    lookup: pc,
    registers,
    cfa: null,
    isInterrupted: true,
    isHandlerCall: false,
    by: 'start',
  };
  for (;;) {
    const step = afterFault(frame, next(frame, context), context);
    const isHandlerCall = step.kind === 'frame' && step.frame.isInterrupted;
    frames.push({ ...frame, cfa: step.cfa, isHandlerCall });
    if (step.kind === 'end') return { frames, problem: step.problem };
    if (frames.length >= maxFrames)
      return { frames, problem: `only ${maxFrames} frames are shown` };
    // A stack grows downwards: a caller's frame is above.
    const [before, after] = [frame.registers[stack], step.frame.registers[stack]];
    if (before !== null && before !== undefined && after !== null && after !== undefined)
      if (after <= before && !step.frame.isInterrupted)
        return { frames, problem: 'the stack turns back on itself' };
    frame = step.frame;
  }
}

/** Numbers of registers in DWARF. */
function numbersOf({ rules: { processor } }: UnwindContext): {
  readonly stack: number;
  readonly frame: number;
  readonly pc: number;
} {
  const { stack, frame, registers } = processor;
  return { stack, frame, pc: registers.length - 1 };
}

/** What a fault interrupted has not called: its program counter is no return address. */
function afterFault(frame: RawFrame, step: Step, context: UnwindContext): Step {
  if (step.kind === 'end' || !context.isFault(frame.lookup)) return step;
  return { ...step, frame: { ...step.frame, lookup: step.frame.pc } };
}

function next(frame: RawFrame, context: UnwindContext): Step {
  const found = context.entryOf(frame.lookup);
  if (found !== null) {
    const step = byCallFrames(frame, found.entry, found.bias, context);
    if (step !== null) return step;
  }
  const lost = found === null ? null : byLostFrame(frame, found.entry, found.bias, context);
  if (lost !== null) return lost;
  const isAtEntry = !isCode(context, frame.pc) || context.isEntry(frame.pc);
  const isExact = frame.lookup === frame.pc;
  if (isExact && isAtEntry) return byReturnAddress(frame, context);
  return byFramePointer(frame, context);
}

function byCallFrames(
  frame: RawFrame,
  entry: FrameEntry,
  bias: bigint,
  context: UnwindContext,
): Step | null {
  let row: FrameRow;
  try {
    row = rowAt(entry, Number(frame.lookup - bias));
  } catch {
    return null;
  }
  const expressions: ExpressionContext = {
    register: (number) => frame.registers[number] ?? null,
    memory: (address, bytes) => context.memory.word(address, bytes),
    bias,
  };
  const cfa = cfaOf(row, expressions);
  if (cfa === null) return null;
  const { rules } = context;
  const numbers = numbersOf(context);
  const { isSignalFrame, returnColumn } = entry.shared;
  const registers = frame.registers.map((value, number): bigint | null => {
    const rule = row.rules.get(number);
    if (number === numbers.stack && rule === undefined) return cfa;
    if (rule !== undefined) return apply(rule, cfa, value, expressions);
    return rules.isPreserved(number) ? value : null;
  });
  const returnRule = row.rules.get(returnColumn);
  if (returnRule?.kind === 'undefined') return { kind: 'end', problem: null, cfa };
  const pc = registers[numbers.pc] ?? null;
  if (pc === null) return { kind: 'end', problem: 'its stack was not kept any further', cfa };
  if (pc === 0n) return { kind: 'end', problem: null, cfa };
  if (!isCode(context, pc))
    return { kind: 'end', problem: `its return address ${hex(pc)} is no code`, cfa };
  const isInterrupted = isSignalFrame;
  const lookup = isInterrupted ? pc : pc - 1n;
  return {
    kind: 'frame',
    cfa,
    frame: { pc, lookup, registers, cfa: null, isInterrupted, isHandlerCall: false, by: 'cfi' },
  };
}

function cfaOf(row: FrameRow, context: ExpressionContext): bigint | null {
  if (row.cfa === null) return null;
  if (row.cfa.kind === 'expression') return compute(row.cfa.expression, context);
  const base = context.register(row.cfa.number);
  return base === null ? null : base + BigInt(row.cfa.offset);
}

function apply(
  rule: Rule,
  cfa: bigint,
  value: bigint | null,
  context: ExpressionContext,
): bigint | null {
  switch (rule.kind) {
    case 'same':
      return value;
    case 'undefined':
      return null;
    case 'offset':
      return context.memory(cfa + BigInt(rule.offset), 8);
    case 'valueOffset':
      return cfa + BigInt(rule.offset);
    case 'register':
      return context.register(rule.number);
    case 'expression': {
      const at = compute(rule.expression, context, [cfa]);
      return at === null ? null : context.memory(at, 8);
    }
    case 'valueExpression':
      return compute(rule.expression, context, [cfa]);
  }
}

/** A call of something that is no code: its return address is on top of the stack. */
function byReturnAddress(frame: RawFrame, context: UnwindContext): Step {
  const { rules } = context;
  const numbers = numbersOf(context);
  const sp = frame.registers[numbers.stack] ?? null;
  const pc = sp === null ? null : context.memory.word(sp);
  if (sp === null || pc === null || !isCode(context, pc))
    return { kind: 'end', problem: `its instruction ${hex(frame.pc)} is no code`, cfa: null };
  const cfa = sp + BigInt(rules.entryBytes);
  const registers = frame.registers.map((value, number) =>
    number === numbers.stack
      ? cfa
      : number === numbers.pc
        ? pc
        : rules.isPreserved(number)
          ? value
          : null,
  );
  return called(cfa, pc, registers, 'returnAddress');
}

/** How far above the stack pointer a frame is looked for. */
const maxLost = 0x4000;

/**
 * The frame is held by a frame pointer whose value is not known (a thread was looked at without
 * stopping it): the first place above the stack pointer that looks like one is taken, a saved frame
 * pointer that leads upwards below a return address behind a call. A guess, and said to be.
 */
function byLostFrame(
  frame: RawFrame,
  entry: FrameEntry,
  bias: bigint,
  context: UnwindContext,
): Step | null {
  const numbers = numbersOf(context);
  const sp = frame.registers[numbers.stack] ?? null;
  if (sp === null || (frame.registers[numbers.frame] ?? null) !== null) return null;
  let row: FrameRow;
  try {
    row = rowAt(entry, Number(frame.lookup - bias));
  } catch {
    return null;
  }
  if (row.cfa?.kind !== 'register' || row.cfa.number !== numbers.frame) return null;
  const start = sp + ((8n - (sp % 8n)) % 8n);
  for (let at = start; at < start + BigInt(maxLost); at += 8n) {
    const [saved, pc] = [context.memory.word(at), context.memory.word(at + 8n)];
    if (saved === null || pc === null) return null;
    const leadsUp = saved === 0n || saved === 1n || (saved > at && saved - at < 0x100000n);
    if (!leadsUp || !isBehindCall(context, pc)) continue;
    const registers = frame.registers.map((value, number) =>
      number === numbers.frame ? at : value,
    );
    const step = byCallFrames({ ...frame, registers }, entry, bias, context);
    if (step?.kind !== 'frame') continue;
    return { ...step, frame: { ...step.frame, by: 'framePointer' } };
  }
  return null;
}

/** Whether a call instruction ends at this address. */
function isBehindCall(context: UnwindContext, pc: bigint): boolean {
  if (!isCode(context, pc)) return false;
  const { rules } = context;
  const bytes = context.memory.read(pc - BigInt(rules.callBytes), rules.callBytes);
  return bytes !== null && rules.isCall(bytes);
}

function byFramePointer(frame: RawFrame, context: UnwindContext): Step {
  const numbers = numbersOf(context);
  const base = frame.registers[numbers.frame] ?? null;
  const sp = frame.registers[numbers.stack] ?? null;
  const end = (problem: string): Step => ({ kind: 'end', problem, cfa: null });
  const where = `there is no unwind information for ${hex(frame.pc)}`;
  if (base === null || sp === null || base < sp || base % 8n !== 0n) return end(where);
  const [saved, pc] = [context.memory.word(base), context.memory.word(base + 8n)];
  if (pc === null || saved === null || !isCode(context, pc)) return end(where);
  const cfa = base + 16n;
  const registers = frame.registers.map((_value, number) =>
    number === numbers.stack
      ? cfa
      : number === numbers.pc
        ? pc
        : number === numbers.frame
          ? saved
          : null,
  );
  return called(cfa, pc, registers, 'framePointer');
}

/** The caller's frame, found without unwind information: it is in the middle of a call. */
function called(
  cfa: bigint,
  pc: bigint,
  registers: readonly (bigint | null)[],
  by: 'returnAddress' | 'framePointer',
): Step {
  const frame = { pc, lookup: pc - 1n, registers, cfa: null };
  return {
    kind: 'frame',
    cfa,
    frame: { ...frame, isInterrupted: false, isHandlerCall: false, by },
  };
}

function isCode(context: UnwindContext, address: bigint): boolean {
  return mappingOf(context.mappings, address)?.protection.includes('x') === true;
}

export function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
