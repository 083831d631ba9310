import type { StackFrame, ThreadStack } from '../../../model/endings/crashReport.ts';
import { lastPart, roundsText } from '../../../model/endings/crashLine.ts';
import type { ExceptionCause, RaisedException } from '../../../model/endings/exception.ts';
import { escaped } from '../../../base/visible.ts';
import { shortened } from '../answers/clip.ts';
import { counted } from '../text/groupedNumber.ts';
import { place } from '../text/placeText.ts';
import { declared, variableText } from './variableLines.ts';

/** How much of a stack is shown. */
export interface StackAmount {
  readonly frames: number;
  readonly framesWithLocals: number;
  /** Characters of the value of a variable in them. */
  readonly value: number;
}

const nameShown = 200;
const parameterShown = 40;

/** Exceptions with what they followed from. `mainPid`: another process is named. */
export function uncaughtSections(
  uncaught: readonly RaisedException[],
  projectRoot: string,
  amount: StackAmount,
  mainPid: number | null,
): { readonly title: string; readonly lines: readonly string[] }[] {
  const processOf = ({ pid }: RaisedException): string =>
    pid === mainPid ? '' : ` of process ${pid}`;
  return uncaught.flatMap((one) => [
    {
      title: `${titleOf(one)}${processOf(one)}, newest frame first`,
      lines: raisedLines(one.frames, projectRoot, amount),
    },
    ...(one.causes ?? []).map((cause) => ({
      title: `${relations[cause.relation]} ${exceptionName(cause.type, cause.message)}`,
      lines: raisedLines(cause.frames, projectRoot, amount),
    })),
  ]);
}

function titleOf({ type, message, tid, language, end }: RaisedException): string {
  if (end.kind === 'uncaught' && end.what === 'signal') return `${language} stack of thread ${tid}`;
  if (language === 'Go') return `stack of goroutine ${tid}`;
  return `uncaught ${exceptionName(type, message)} of thread ${tid}`;
}

const relations: Readonly<Record<ExceptionCause['relation'], string>> = {
  cause: 'it was raised from',
  context: 'it was raised while handling',
};

function exceptionName(type: string | null, message: string | null): string {
  const name = type ?? 'exception';
  return escaped(shortened(message === null ? name : `${name}: ${message}`, nameShown));
}

function raisedLines(
  frames: readonly StackFrame[],
  projectRoot: string,
  amount: StackAmount,
): string[] {
  const stack = {
    tid: 0,
    name: '',
    frames,
    omitted: 0,
    problem: null,
    systemCall: null,
    cycle: null,
  };
  return stackLines(stack, projectRoot, amount);
}

export function stackLines(
  thread: ThreadStack,
  projectRoot: string,
  amount: StackAmount,
): string[] {
  const lines: string[] = [];
  const frames = withoutStart(thread.frames);
  let withLocals = 0;
  const { cycle } = thread;
  let at = 0;
  for (const [number, frame] of frames.entries()) {
    if (lines.length > amount.frames * 3 || at >= amount.frames) {
      lines.push(`  … ${counted(frames.length - number + thread.omitted, 'more frame')}`);
      return lines;
    }
    // One round of a recursion says as much as all of them.
    const inCycle = cycle !== null && cycle.functions.includes(frame.function ?? frame.pc);
    if (cycle !== null && inCycle && at > cycle.functions.length + 1) {
      if (!lines.includes(cycleLine(thread))) lines.push(cycleLine(thread));
      continue;
    }
    if (isSystem(frame)) {
      if (!isSystem(frames[number - 1])) lines.push(systemLine(frames, number));
      continue;
    }
    at++;
    const shows = frame.isOwn && withLocals < amount.framesWithLocals;
    if (shows) withLocals++;
    lines.push(...frameLines(frame, number, projectRoot, shows ? amount.value : null));
  }
  if (thread.problem !== null) lines.push(`  (the stack ends here: ${thread.problem})`);
  return lines;
}

/** A frame of a library that is not the program's; its own parameters say little. */
function isSystem(frame: StackFrame | undefined): boolean {
  return frame !== undefined && !frame.isOwn && !frame.isInterrupted;
}

/** Neighbouring frames of libraries in one line: `#0–#4 abort ← __assert_fail  libc.so.6`. */
function systemLine(frames: readonly StackFrame[], first: number): string {
  let end = first;
  while (isSystem(frames[end])) end++;
  const group = frames.slice(first, end);
  const all = group.flatMap((frame) => (frame.function === null ? [] : [frame.function]));
  const names = all.length > 4 ? [...all.slice(0, 2), '…', ...all.slice(-2)] : all;
  const modules = [...new Set(group.map((frame) => lastPart(frame.module ?? '?')))];
  const numbers = end - first > 1 ? `#${first}–#${end - 1}` : `#${first}`;
  const guess = group.some((frame) => frame.isGuess) ? '  (a guess)' : '';
  if (names.length === 0 && group.length === 1 && group[0]?.module === null)
    return `  ${numbers} ${group[0]?.pc ?? ''}, which is no code`;
  return `  ${numbers} ${escaped(names.join(' ← ') || '?')}  ${modules.join(', ')}${guess}`;
}

function cycleLine(thread: ThreadStack): string {
  const functions = thread.cycle?.functions ?? [];
  return `  … the same ${counted(functions.length, 'frame')} ×${roundsText(thread)}: ${functions.toReversed().join(' → ')} → …`;
}

/** What comes before main and before a thread's function says nothing about the program. */
export function withoutStart(frames: readonly StackFrame[]): readonly StackFrame[] {
  let end = frames.length;
  const isStart = (frame: StackFrame | undefined): boolean =>
    frame !== undefined && (!frame.isOwn || frame.function === '_start');
  while (end > 1 && isStart(frames[end - 1])) end--;
  // At a program's or a thread's end, or while something is loaded, it says when.
  end = Math.max(end, frames.findLastIndex(({ function: name }) => atEnds.has(name ?? '')) + 1);
  return frames.slice(0, end === 1 && isStart(frames[0]) ? frames.length : end);
}

const atEnds: ReadonlySet<string> = new Set([
  'exit',
  'quick_exit',
  '__cxa_finalize',
  '__call_tls_dtors',
  '__nptl_deallocate_tsd',
  '_dl_init',
  '_dl_fini',
  'dlopen',
  'dlclose',
]);

function frameLines(
  frame: StackFrame,
  number: number,
  projectRoot: string,
  /** Characters of a value; null: no locals, and less of parameters. */
  value: number | null,
): string[] {
  const variables = declared(frame.variables);
  const parameters = variables.filter((variable) => variable.isParameter);
  const locals = variables.filter((variable) => !variable.isParameter);
  const name = frame.function ?? frame.pc;
  const told = (some: typeof variables): string[] =>
    some.map((variable) => variableText(variable, value ?? parameterShown));
  const shown = told(parameters);
  const list = frame.function === null ? '' : `(${shown.join(', ')})`;
  const where =
    frame.file === null ? (frame.module ?? '') : place(frame.file, frame.line, projectRoot);
  const marks = [
    frame.isInlined ? 'inlined' : '',
    frame.isInterrupted ? 'interrupted by the signal above' : '',
    frame.isGuess ? 'a guess' : '',
  ].filter((mark) => mark !== '');
  const tail = marks.length === 0 ? '' : `  (${marks.join(', ')})`;
  const lines = [`  #${number} ${escaped(name)}${list}  ${where}${tail}`];
  if (value !== null && locals.length > 0) lines.push(`       ${told(locals).join(', ')}`);
  return lines;
}
