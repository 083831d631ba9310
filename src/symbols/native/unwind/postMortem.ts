import { readFileSync, statSync } from 'node:fs';
import type {
  CrashReport,
  EarlierFault,
  FatalSignal,
  SourceExcerpt,
  StackFrame,
  VariablesOf,
} from '../../../model/endings/crashReport.ts';
import { signalMeaning, signalName } from '../../../model/endings/signals.ts';
import { processorOf } from '../../../model/processors.ts';
import type { SignalFacts, Snapshot } from '../../../model/endings/snapshot.ts';
import type { CodeReader } from '../index/codeReader.ts';
import type { Library } from '../index/library.ts';
import { CodeMap, readPiece } from './codeMap.ts';
import { keyAddresses } from './keyAddresses.ts';
import type { FaultFrame } from './faultPlace.ts';
import { faultPlace } from './faultPlace.ts';
import { variablesOnLine } from './lineVariables.ts';
import { KnownMemory } from './snapshotMemory.ts';
import type { DescribedStack, StackContext, StackLimits } from './stacks.ts';
import { describeStack } from './stacks.ts';
import { hex } from './unwind.ts';
import type { ReadVariable } from './variables.ts';

export interface PostMortemOptions {
  /** Modules of the program itself. */
  readonly own: readonly string[];
  /** Modules whose frames are not the program's. */
  readonly hidden: readonly string[];
}

/** Of a thread whose end is explained, or that stands still. */
export const died = { walked: 20_000, kept: 48, withVariables: 4 } as const;
const others = { walked: 256, kept: 24, withVariables: 0 } as const;
const maxThreads = 64;
const maxExcerpts = 3;
const around = 3;
const maxSourceBytes = 8 << 20;

/** Explains what a process was doing from what is left of it. Never throws for damage in files. */
export function postMortem(
  snapshot: Snapshot,
  library: Library,
  options: PostMortemOptions,
): CrashReport {
  using code = new CodeMap(snapshot.mappings);
  return reportOf(snapshot, { library, options, code, first: died });
}

/** The same of each thread alone: a report each, in their order. */
export function threadByThread(
  snapshot: Snapshot,
  library: Library,
  options: PostMortemOptions,
  variablesOf: VariablesOf,
): CrashReport[] {
  using code = new CodeMap(snapshot.mappings);
  const none = { ...died, withVariables: 0 };
  const one = typeof variablesOf === 'number' ? { ...none, only: variablesOf } : none;
  const first = variablesOf === 'newest' ? died : one;
  return snapshot.threads.map((thread) =>
    reportOf({ ...snapshot, threads: [thread] }, { library, options, code, first }),
  );
}

interface Reporting {
  readonly library: Library;
  readonly options: PostMortemOptions;
  readonly code: CodeMap;
  /** How much of the first thread is described. */
  readonly first: StackLimits;
}

function reportOf(
  snapshot: Snapshot,
  { library, options, code, first: most }: Reporting,
): CrashReport {
  const problems = new Set<string>(snapshot.problems);
  const known = new Map<string, CodeReader | null>();
  const context = stackContext(snapshot, options, code, readers(library, known, problems));
  const { memory } = context;
  const { registers: registerNames } = processorOf(snapshot.processor);
  const threads = snapshot.threads.filter((thread) => !thread.isOurs);
  const stacks = threads
    .slice(0, maxThreads)
    .map((thread, i) => describeStack(thread, context, i === 0 ? most : others));
  if (threads.length > maxThreads)
    problems.add(`Only ${maxThreads} of ${threads.length} threads are described.`);
  const first = stacks[0];
  for (const problem of code.problems) problems.add(problem);
  const frames = first?.stack.frames ?? [];
  const source = excerpts(frames, context, problems);
  const earlier = first === undefined ? null : earlierFault(first, context);
  const fault = first === undefined ? null : faultFrame(first, context);
  const place = faultPlace(snapshot, memory, fault);
  for (const [path, reader] of known)
    for (const what of reader?.takeLeftOut() ?? []) problems.add(`Of values in ${path}: ${what}.`);
  return {
    pid: snapshot.pid,
    signal: fatal(snapshot.signal, snapshot.pid),
    place,
    ...(earlier === null ? {} : { earlier }),
    threads: stacks.map(({ stack }) => stack),
    registers: (threads[0]?.registers ?? []).flatMap((value, i) =>
      value === null ? [] : [{ name: registerNames[i] ?? String(i), value: hex(value) }],
    ),
    source,
    addresses: keyAddresses(snapshot),
    openFiles: snapshot.openFiles,
    modules: options.own.map((path) => ({
      path,
      buildId: context.codeOf(path)?.buildId ?? null,
    })),
    problems: [...problems],
  };
}

export function stackContext(
  snapshot: Snapshot,
  { own, hidden }: PostMortemOptions,
  code: CodeMap,
  codeOf: StackContext['codeOf'],
): StackContext {
  const memory = new KnownMemory(snapshot, readPiece);
  return { snapshot, memory, code, own: new Set(own), hidden: new Set(hidden), codeOf };
}

function fatal(fault: SignalFacts | null, pid: number): FatalSignal {
  return {
    number: fault?.number ?? 0,
    name: signalName(fault?.number ?? 0),
    code: fault?.code ?? 0,
    meaning: fault === null ? null : signalMeaning(fault, pid),
    address: fault?.address == null ? null : hex(fault.address),
  };
}

/** The fault that a handler of the program's was called for before it died itself. */
function earlierFault(described: DescribedStack, context: StackContext): EarlierFault | null {
  const { interrupted } = described;
  const signal = interrupted?.signal ?? null;
  const [thread] = context.snapshot.threads;
  if (interrupted === null || signal === null || thread === undefined || signal.code <= 0)
    return null;
  const { position, registers } = interrupted;
  const then = { ...context.snapshot, signal, threads: [{ ...thread, registers }] };
  const place = faultPlace(then, context.memory, faultFrame(described, context, position));
  return { signal: fatal(signal, context.snapshot.pid), place, position };
}

export function readers(
  library: Library,
  known: Map<string, CodeReader | null>,
  problems: Set<string>,
): (path: string) => CodeReader | null {
  return (path) => {
    let module = known.get(path);
    if (module === undefined) {
      try {
        module = library.code(path);
        module.takeLeftOut();
      } catch {
        problems.add(`${path} cannot be read: its functions have no names.`);
        module = null;
      }
      known.set(path, module);
    }
    return module;
  };
}

/** The newest frame of the program's own, with the calls inlined into the same frame. */
function faultFrame(
  { stack, variables }: DescribedStack,
  context: StackContext,
  newest = 0,
): FaultFrame | null {
  const position = stack.frames.findIndex((frame, at) => at >= newest && frame.isOwn);
  const frame = stack.frames[position];
  if (frame === undefined || frame.module === null) return null;
  const types = context.codeOf(frame.module)?.types() ?? null;
  if (types === null) return null;
  const read: ReadVariable[] = [];
  for (let i = position; stack.frames[i]?.pc === frame.pc; i++)
    read.push(...(variables.get(i) ?? []));
  const sourceLine = lineOf(frame);
  return {
    types,
    variables: [...read, ...globalsOn(sourceLine, frame, read, context)],
    isNewest: stack.frames[newest]?.pc === frame.pc,
    sourceLine,
  };
}

function globalsOn(
  line: string | null,
  frame: StackFrame,
  locals: readonly ReadVariable[],
  context: StackContext,
): ReadVariable[] {
  const pc = BigInt(frame.pc);
  const module = context.code.moduleAt(pc);
  const reader = frame.module === null ? null : context.codeOf(frame.module);
  const types = reader?.types() ?? null;
  if (line === null || module === null || reader === null || types === null) return [];
  const entry = reader.functionAt(Number(pc - module.bias))?.entry ?? -1;
  const unit = entry < 0 ? null : types.info.unitAt(entry);
  if (unit === null) return [];
  const hidden = new Set(locals.map(({ variable }) => variable.name));
  const { memory } = context;
  return variablesOnLine(line, { types, memory, bias: module.bias, unit, hidden });
}

function lineOf(frame: StackFrame): string | null {
  if (frame.file === null || frame.line === null) return null;
  return readLines(frame.file)?.[frame.line - 1] ?? null;
}

/** The source around the newest own frames, read now: it may be changed later. */
function excerpts(
  frames: readonly StackFrame[],
  context: StackContext,
  problems: Set<string>,
): SourceExcerpt[] {
  const found: SourceExcerpt[] = [];
  for (const { file, line, isOwn, module } of frames) {
    if (!isOwn || file === null || line === null || found.length >= maxExcerpts) continue;
    const shown = found.filter((one) => one.file === file);
    if (isIn(shown, line)) continue;
    const lines = readLines(file);
    if (lines === null || line > lines.length) continue;
    const built = module === null ? 0 : (context.codeOf(module)?.modifiedMs ?? 0);
    if (built > 0 && (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > built)
      problems.add(`${file} was changed after the program was built: its lines may have moved.`);
    found.push({ file, line, ...linesAround(line, lines, shown) });
  }
  return found;
}

function isIn(shown: readonly SourceExcerpt[], line: number): boolean {
  return shown.some(({ first, lines }) => line >= first && line < first + lines.length);
}

/** The lines near one, up to those that are shown already. */
function linesAround(
  line: number,
  lines: readonly string[],
  shown: readonly SourceExcerpt[],
): Pick<SourceExcerpt, 'first' | 'lines'> {
  let [first, last] = [line, line];
  while (first > Math.max(1, line - around) && !isIn(shown, first - 1)) first--;
  while (last < Math.min(lines.length, line + around) && !isIn(shown, last + 1)) last++;
  return { first, lines: lines.slice(first - 1, last) };
}

function readLines(file: string): string[] | null {
  try {
    if (statSync(file).size > maxSourceBytes) return null;
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return null;
  }
}
