import type { StackFrame, ThreadStack } from '../../../model/endings/crashReport.ts';
import { processorOf, systemCallName } from '../../../model/processors.ts';
import { readSignal } from '../../../model/endings/signals.ts';
import type { SignalFacts, Snapshot, SnapshotThread } from '../../../model/endings/snapshot.ts';
import { attribute } from '../dwarf/constants.ts';
import type { CodeReader } from '../index/codeReader.ts';
import { rulesOf } from '../machineRules.ts';
import type { CodeMap } from './codeMap.ts';
import type { KnownMemory } from './snapshotMemory.ts';
import type { Scope } from './scopes.ts';
import { scopesAt, textOf } from './scopes.ts';
import type { RawFrame } from './unwind.ts';
import { hex, unwind } from './unwind.ts';
import type { FrameContext, ReadVariable } from './variables.ts';
import { readVariables } from './variables.ts';

/** What a stack is described from. */
export interface StackContext {
  readonly snapshot: Snapshot;
  readonly memory: KnownMemory;
  readonly code: CodeMap;
  /** Modules of the program itself. */
  readonly own: ReadonlySet<string>;
  /** Modules whose frames are the instrumentation's. */
  readonly hidden: ReadonlySet<string>;
  /** Null for a module that cannot be read. */
  codeOf(path: string): CodeReader | null;
}

export interface StackLimits {
  /** Frames that are walked. */
  readonly walked: number;
  /** Frames that are kept; when there are more, the newest and a few of the oldest. */
  readonly kept: number;
  /** Newest frames of the program's own whose variables are read. */
  readonly withVariables: number;
  /** The one frame, own or not, whose variables are read instead. */
  readonly only?: number;
}

/** A described stack, with what the newest frames' variables were read from. */
export interface DescribedStack {
  readonly stack: ThreadStack;
  /** Variables of the frames of `stack.frames`, by their position. */
  readonly variables: ReadonlyMap<number, readonly ReadVariable[]>;
  /** Of the one frame that was asked for; null: it has no debug information. */
  readonly asked: FrameContext | null;
  /** Of the oldest code that a handler interrupted; null when no handler runs. */
  readonly interrupted: Interrupted | null;
}

export interface Interrupted {
  /** Among `stack.frames`. */
  readonly position: number;
  readonly registers: readonly (bigint | null)[];
  /** Null when it was not kept. */
  readonly signal: SignalFacts | null;
}

const oldestKept = 6;
const longestCycle = 16;
const leastRepeats = 4;

interface Place {
  readonly name: string | null;
  readonly offset: number;
  readonly module: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /** Innermost first; empty without debug information. */
  readonly scopes: readonly Scope[];
}

/** Walks and describes the stack of one thread. Never throws. */
export function describeStack(
  thread: SnapshotThread,
  context: StackContext,
  limits: StackLimits,
): DescribedStack {
  const processor = processorOf(context.snapshot.processor);
  const places = new Map<bigint, Place>();
  const placeOfLookup = (lookup: bigint): Place => {
    const known = places.get(lookup);
    if (known !== undefined) return known;
    const place = placeAt(lookup, context);
    places.set(lookup, place);
    return place;
  };
  const placeOf = (frame: RawFrame): Place => placeOfLookup(frame.lookup);
  const { frames: raw, problem } = unwind(
    thread.registers,
    {
      rules: rulesOf(context.snapshot.processor),
      memory: context.memory,
      mappings: context.snapshot.mappings,
      entryOf: (address) => context.code.entryOf(address),
      isEntry: (lookup) => isBeginning(placeOfLookup(lookup)),
      isFault: (lookup) => placeOfLookup(lookup).name === 'runtime.sigpanic',
    },
    limits.walked,
  );
  const seen = raw.filter((frame) => !isHidden(frame, context));
  const contextAt = (at: number): FrameContext | null => {
    const frame = seen[at];
    const caller = seen[at + 1];
    if (frame === undefined) return null;
    return frameContext(frame, placeOf(frame), context, {
      vectors: at === 0 ? thread.vectors : null,
      caller: () => (caller?.by === 'cfi' ? contextAt(at + 1) : null),
    });
  };
  const cycle = findCycle(seen, (frame) => placeOf(frame).name ?? hex(frame.pc));
  const kept = keptPositions(seen.length, limits.kept);
  const frames: StackFrame[] = [];
  const variables = new Map<number, readonly ReadVariable[]>();
  let left = limits.withVariables;
  let asked: FrameContext | null = null;
  let interrupted: Interrupted | null = null;
  for (const [i, position] of kept.entries()) {
    const frame = seen[position];
    if (frame === undefined) continue;
    if (frame.isInterrupted && frame.by !== 'start')
      interrupted = {
        position: frames.length,
        registers: frame.registers,
        signal: handledSignal(raw[raw.indexOf(frame) - 1], context),
      };
    if (i !== position) left = 0;
    const place = placeOf(frame);
    for (const one of framesOf(frame, place, contextAt(position), context)) {
      const isAsked = limits.only === frames.length;
      const isWanted = isAsked || (one.frame.isOwn && left > 0);
      if (isAsked) asked = contextAt(position);
      else if (isWanted) left--;
      const read = isWanted ? one.variables() : [];
      if (read.length > 0) variables.set(frames.length, read);
      frames.push({ ...one.frame, variables: read.map(({ variable }) => variable) });
    }
  }
  return {
    stack: {
      tid: thread.tid,
      name: thread.name,
      frames,
      omitted: seen.length - kept.length,
      problem,
      systemCall: thread.systemCall === null ? null : systemCallName(processor, thread.systemCall),
      cycle,
    },
    variables,
    asked,
    interrupted,
  };
}

function isBeginning({ name, offset }: Place): boolean {
  return name !== null && offset === 0;
}

function isHidden({ lookup }: RawFrame, { code, hidden }: StackContext): boolean {
  const path = code.moduleAt(lookup)?.path;
  return path !== undefined && hidden.has(path);
}

/** Of a long stack the newest frames and a few of the oldest. */
function keptPositions(count: number, most: number): number[] {
  const positions = Array.from({ length: count }, (_one, at) => at);
  return count > most
    ? [...positions.slice(0, most - oldestKept), ...positions.slice(-oldestKept)]
    : positions;
}

function handledSignal(
  call: RawFrame | undefined,
  { memory, snapshot }: StackContext,
): SignalFacts | null {
  const { processor, signalInformation } = rulesOf(snapshot.processor);
  const sp = call?.isHandlerCall === true ? (call.registers[processor.stack] ?? null) : null;
  const bytes = sp === null ? null : memory.read(sp + signalInformation, 24);
  return bytes && readSignal(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), null);
}

function placeAt(lookup: bigint, context: StackContext): Place {
  const nothing: Place = {
    name: null,
    offset: 0,
    module: null,
    file: null,
    line: null,
    scopes: [],
  };
  const module = context.code.moduleAt(lookup);
  if (module === null) return nothing;
  const index = context.codeOf(module.path);
  if (index === null) return { ...nothing, module: module.path };
  const address = Number(lookup - module.bias);
  const fn = index.functionAt(address);
  if (fn === null) return { ...nothing, module: module.path };
  const { file, line } = index.placeOf(address);
  let scopes: readonly Scope[] = [];
  try {
    const types = fn.entry < 0 ? null : index.types();
    if (types !== null) scopes = scopesAt(types, fn.entry, address);
  } catch {
    // Damaged debug information: the name is still true.
  }
  return { name: fn.name, offset: fn.offset, module: module.path, file, line, scopes };
}

interface Described {
  readonly frame: Omit<StackFrame, 'variables'>;
  readonly variables: () => readonly ReadVariable[];
}

/** What is known where a frame stands; null without debug information. */
function frameContext(
  raw: RawFrame,
  place: Place,
  context: StackContext,
  more: Pick<FrameContext, 'vectors' | 'caller'>,
): FrameContext | null {
  const fn = place.scopes.at(-1);
  const module = context.code.moduleAt(raw.lookup);
  const types = place.module === null ? null : (context.codeOf(place.module)?.types() ?? null);
  if (types === null || fn === undefined || module === null) return null;
  return {
    types,
    memory: context.memory,
    registers: raw.registers,
    bias: module.bias,
    fn,
    cfa: raw.cfa,
    address: Number(raw.lookup - module.bias),
    ...more,
    returnAddress: raw.isInterrupted ? null : Number(raw.pc - module.bias),
  };
}

/** The frame and the calls inlined into it, innermost first. */
function framesOf(
  raw: RawFrame,
  place: Place,
  known: FrameContext | null,
  context: StackContext,
): Described[] {
  const common = {
    pc: hex(raw.pc),
    frameAddress: raw.cfa === null ? null : hex(raw.cfa),
    module: place.module,
    offset: place.offset,
    isInterrupted: raw.isInterrupted && raw.by !== 'start',
    isGuess: raw.by === 'framePointer' || raw.by === 'returnAddress',
  };
  const isOwn = (file: string | null): boolean =>
    place.module !== null && context.own.has(place.module) && !isForeign(file);
  const index = place.module === null ? null : context.codeOf(place.module);
  let { file, line } = place;
  if (known === null || index === null) {
    const name = raw.isHandlerCall ? '<signal handler called>' : place.name;
    const frame = { ...common, function: name, file, line, isInlined: false };
    return [{ frame: { ...frame, isOwn: isOwn(file) }, variables: () => [] }];
  }
  return place.scopes.map((scope): Described => {
    const name = scope.isInlined ? inlinedName(scope, index) : place.name;
    const described: Described = {
      frame: {
        ...common,
        function: name,
        file,
        line,
        isInlined: scope.isInlined,
        isOwn: isOwn(file),
      },
      variables: () => readVariables(scope.variables, known),
    };
    file = scope.callFile ?? file;
    line = scope.callLine ?? line;
    return described;
  });
}

/** Code of a library that was compiled into the program: Rust's own, headers of the system. */
function isForeign(file: string | null): boolean {
  return file !== null && /^\/(?:rustc|usr|opt|nix)\/|\/\.(?:cargo\/registry|rustup)\//.test(file);
}

function inlinedName(scope: Scope, index: CodeReader): string | null {
  const types = index.types();
  if (types === null) return null;
  const linkage =
    textOf(types, scope, attribute.linkageName) || textOf(types, scope, attribute.mipsLinkageName);
  if (linkage !== '') return index.readable(linkage);
  return textOf(types, scope, attribute.name) || null;
}

/** The shortest sequence of functions that repeats from the top of a long stack on. */
function findCycle(
  frames: readonly RawFrame[],
  nameOf: (frame: RawFrame) => string,
): ThreadStack['cycle'] {
  if (frames.length < 64) return null;
  const names = frames.slice(0, 400).map(nameOf);
  // The newest frames may be a helper that the recursion called last.
  for (let start = 0; start < 24; start++) {
    for (let period = 1; period <= longestCycle; period++) {
      let same = 0;
      while (
        names[start + same] !== undefined &&
        names[start + same] === names[start + same + period]
      )
        same++;
      if (same < period * leastRepeats || same < 32) continue;
      let length = same + period;
      while (
        length + start < frames.length &&
        sameName(frames, start + length, start + length - period, nameOf)
      )
        length++;
      return { functions: names.slice(start, start + period), times: Math.floor(length / period) };
    }
  }
  return null;
}

function sameName(
  frames: readonly RawFrame[],
  a: number,
  b: number,
  nameOf: (frame: RawFrame) => string,
): boolean {
  const [first, second] = [frames[a], frames[b]];
  return first !== undefined && second !== undefined && nameOf(first) === nameOf(second);
}
