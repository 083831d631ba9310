import type { FrameVariable, StackFrame } from '../../../model/endings/crashReport.ts';
import {
  goEndLine,
  type GoEnd,
  type WrittenFrame,
  type WrittenGoroutine,
} from '../../../model/endings/goEnd.ts';
import { sourceFrame } from '../../../model/endings/sourceFrame.ts';
import { readGoroutineName } from '../../../model/functions/goroutineName.ts';
import type { CallView, LastCalls } from '../../../model/questions/query.ts';
import { escaped } from '../../../base/visible.ts';
import { shortened } from '../answers/clip.ts';
import { counted } from '../text/groupedNumber.ts';
import { place } from '../text/placeText.ts';
import { stackLines, type StackAmount } from './crashStack.ts';

const lineShown = 200;
const framesOfOthers = 3;
const numbersShown = 4;

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** `panic: too many: 3, in main.check (main.go:43)`, and what Go's runtime wrote behind it. */
export function goEndLines(end: GoEnd): string[] {
  return [
    `CRASH ${escaped(shortened(goEndLine(end), lineShown))}`,
    ...end.details.map((line) => `  ${escaped(shortened(line, lineShown))}`),
  ];
}

/** The stacks that Go's runtime wrote, with the arguments of those calls that were traced. */
export function goStackSections(
  { goroutines }: GoEnd,
  calls: readonly LastCalls[],
  projectRoot: string,
  amount: StackAmount & { readonly threads: number },
): Section[] {
  const [first, ...others] = goroutines;
  if (first === undefined) return [];
  const frames = framesOf(first, calls, projectRoot);
  return [
    {
      title: `stack of goroutine ${first.number} (${first.state}), newest frame first; arguments of traced calls as they were passed`,
      lines: [...stackOf(first, frames, projectRoot, amount), ...madeLine(first, projectRoot)],
    },
    { title: 'other goroutines', lines: otherLines(others, calls, projectRoot, amount) },
  ];
}

function stackOf(
  { number }: WrittenGoroutine,
  frames: readonly StackFrame[],
  projectRoot: string,
  amount: StackAmount,
): string[] {
  if (frames.length === 0) return ['  Go could not read it: it ran on another thread'];
  const rest = { omitted: 0, problem: null, systemCall: null, cycle: null };
  return stackLines({ tid: number, name: '', frames, ...rest }, projectRoot, amount);
}

function madeLine({ madeAt }: WrittenGoroutine, projectRoot: string): string[] {
  if (madeAt === null) return [];
  return [escaped(`  made by ${madeAt.function}  ${place(madeAt.file, madeAt.line, projectRoot)}`)];
}

/** Those that stand at the same place are one line. */
function otherLines(
  others: readonly WrittenGoroutine[],
  calls: readonly LastCalls[],
  projectRoot: string,
  amount: StackAmount & { readonly threads: number },
): string[] {
  const alike = new Map<string, number[]>();
  for (const one of others) {
    const frames = framesOf(one, calls, projectRoot);
    const own = frames.filter(({ isOwn }) => isOwn);
    const stack = (own.length > 0 ? own : frames)
      .slice(0, framesOfOthers)
      .flatMap((frame) => stackLines(asThread(frame), projectRoot, { ...amount, frames: 1 }))
      .map((line) => line.replace(/^\s+#0 /, '').trim());
    const made = one.madeAt === null ? [] : [`made by ${one.madeAt.function}`];
    const text = [`in ${one.state}: ${stack.join(' ← ')}`, ...made].join(', ');
    alike.set(text, [...(alike.get(text) ?? []), one.number]);
  }
  const lines = [...alike].slice(0, amount.threads).map(([text, numbers]) => {
    const more = numbers.length - numbersShown;
    const shown = numbers.slice(0, numbersShown).join(', ');
    const who =
      numbers.length === 1
        ? `goroutine ${shown}`
        : `${numbers.length} goroutines (${shown}${more > 0 ? ', …' : ''})`;
    return `  ${who} ${text}`;
  });
  const rest = alike.size - lines.length;
  return rest > 0 && lines.length > 0
    ? [...lines, `  … ${counted(rest, 'other place', 'other places')}`]
    : lines;
}

function asThread(frame: StackFrame): Parameters<typeof stackLines>[0] {
  return {
    tid: 0,
    name: '',
    frames: [frame],
    omitted: 0,
    problem: null,
    systemCall: null,
    cycle: null,
  };
}

/** Its traced calls that did not end, newest first. */
function openOf({ number }: WrittenGoroutine, calls: readonly LastCalls[]): CallView[] {
  const own = calls.find(({ thread }) => readGoroutineName(thread.name)?.number === number);
  return own?.open.toReversed() ?? [];
}

/** The stack of the goroutine that ended the program. */
export function goFrames(
  { goroutines: [first] }: GoEnd,
  calls: readonly LastCalls[],
  projectRoot: string,
): readonly StackFrame[] {
  return first === undefined ? [] : framesOf(first, calls, projectRoot);
}

function framesOf(
  goroutine: WrittenGoroutine,
  calls: readonly LastCalls[],
  projectRoot: string,
): StackFrame[] {
  const open = openOf(goroutine, calls);
  let next = 0;
  return goroutine.frames.map((frame) => {
    const found = open.findIndex((call, i) => i >= next && isOf(call, frame));
    if (found >= 0) next = found + 1;
    const variables = open[found]?.arguments.map(asVariable) ?? [];
    const { function: name, file, line, isInlined } = frame;
    return { ...sourceFrame({ name, file, line }, projectRoot, variables), isInlined };
  });
}

function isOf(call: CallView, frame: WrittenFrame): boolean {
  return call.function.replace(/\[.*\]/, '[...]') === frame.function;
}

function asVariable({ name, value }: CallView['arguments'][number]): FrameVariable {
  return { name, type: null, isParameter: true, value };
}
