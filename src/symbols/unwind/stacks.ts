import type { StackFrame, ThreadStack } from '../../model/crash.ts';
import { systemCallName } from '../../model/signals.ts';
import type { Snapshot, SnapshotThread } from '../../model/snapshot.ts';
import { attribute } from '../dwarf/constants.ts';
import type { IndexedModule } from '../index/library.ts';
import type { CodeMap } from './codeMap.ts';
import type { KnownMemory } from './memory.ts';
import type { Scope } from './scopes.ts';
import { scopesAt, textOf } from './scopes.ts';
import type { RawFrame } from './unwind.ts';
import { hex, unwind } from './unwind.ts';
import type { ReadVariable } from './variables.ts';
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
  /** The index of a module; null when it cannot be read. */
  index(path: string): IndexedModule | null;
}

export interface StackLimits {
  /** Frames that are walked. */
  readonly walked: number;
  /** Frames that are kept; when there are more, the newest and a few of the oldest. */
  readonly kept: number;
  /** Newest frames of the program's own whose variables are read. */
  readonly withVariables: number;
}

/** A described stack, with what the newest frames' variables were read from. */
export interface DescribedStack {
  readonly stack: ThreadStack;
  /** Variables of the frames of `stack.frames`, by their position. */
  readonly variables: ReadonlyMap<number, readonly ReadVariable[]>;
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
  const { frames: raw, problem } = unwind(
    thread.registers,
    {
      memory: context.memory,
      mappings: context.snapshot.mappings,
      entryOf: (address) => context.code.entryOf(address),
    },
    limits.walked,
  );
  const places = new Map<bigint, Place>();
  const placeOf = (frame: RawFrame): Place => {
    const known = places.get(frame.lookup);
    if (known !== undefined) return known;
    const place = placeAt(frame.lookup, context);
    places.set(frame.lookup, place);
    return place;
  };
  const seen = raw.filter((frame) => {
    const path = context.code.moduleAt(frame.lookup)?.path;
    return path === undefined || !context.hidden.has(path);
  });
  const cycle = findCycle(seen, (frame) => placeOf(frame).name ?? hex(frame.pc));
  const isLong = seen.length > limits.kept;
  const kept = isLong
    ? [...seen.slice(0, limits.kept - oldestKept), ...seen.slice(-oldestKept)]
    : seen;
  const frames: StackFrame[] = [];
  const variables = new Map<number, readonly ReadVariable[]>();
  let left = limits.withVariables;
  for (const [position, frame] of kept.entries()) {
    const place = placeOf(frame);
    const isGap = isLong && position === limits.kept - oldestKept;
    if (isGap) left = 0;
    for (const one of framesOf(frame, place, position === 0, thread, context)) {
      const isWanted = one.frame.isOwn && left > 0;
      if (isWanted) left--;
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
      systemCall: thread.systemCall === null ? null : systemCallName(thread.systemCall),
      cycle,
    },
    variables,
  };
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
  const index = context.index(module.path);
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

/** The frame and the calls inlined into it, innermost first. */
function framesOf(
  raw: RawFrame,
  place: Place,
  isNewest: boolean,
  thread: SnapshotThread,
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
  const index = place.module === null ? null : context.index(place.module);
  const types = place.scopes.length === 0 ? null : (index?.types() ?? null);
  const holder = place.scopes.at(-1);
  const module = context.code.moduleAt(raw.lookup);
  let { file, line } = place;
  if (types === null || holder === undefined || module === null || index === null) {
    const frame = { ...common, function: place.name, file, line, isInlined: false };
    return [{ frame: { ...frame, isOwn: isOwn(file) }, variables: () => [] }];
  }
  return place.scopes.map((scope): Described => {
    const name = scope.isInlined ? inlinedName(scope, index) : place.name;
    const described: Described = {
      frame: {
        ...common,
        ...{ function: name, file, line, isInlined: scope.isInlined, isOwn: isOwn(file) },
      },
      variables: () =>
        readVariables(scope.variables, {
          types,
          memory: context.memory,
          registers: raw.registers,
          vectors: isNewest ? thread.vectors : null,
          bias: module.bias,
          cfa: raw.cfa,
          address: Number(raw.lookup - module.bias),
          fn: holder,
        }),
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

function inlinedName(scope: Scope, index: IndexedModule): string | null {
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
