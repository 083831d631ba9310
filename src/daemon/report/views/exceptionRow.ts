import { escaped } from '../../../base/visible.ts';
import type { StackFrame } from '../../../model/endings/crashReport.ts';
import type { RaisedException } from '../../../model/endings/exception.ts';
import type { ExceptionFacts, StoredException } from '../../../model/endings/storedException.ts';
import { shortened } from '../answers/clip.ts';
import { lastPart } from '../../../model/endings/crashLine.ts';
import { variableValue } from './variableLines.ts';
import { exceptionLine } from './exceptionLine.ts';

const FRAMES_SHOWN = 12;
const VALUE_SHOWN = 60;

/** An exception as it is stored: in words, since what they are made of may be gone later. */
export function exceptionRow(exception: RaisedException): StoredException {
  const { key, time, pid, tid, type, message, end } = exception;
  const isCaught = end.kind === 'caught';
  return {
    key,
    time,
    pid,
    text: exceptionLine(exception),
    facts: {
      tid,
      type,
      message,
      end: end.kind,
      passed: isCaught ? end.passed : [],
      caughtIn: isCaught && end.frame !== null ? frameText(end.frame) : null,
      stack: stackLines(exception.frames),
    },
  };
}

/** What of an exception the structured form of an event carries. */
export function exceptionTwin(exception: ExceptionFacts, verbose: boolean): object {
  const { type, tid, stack, ...rest } = exception;
  return { exceptionType: type, threadId: tid, ...rest, ...(verbose ? { stack } : {}) };
}

/** The stack it was raised on, to be shown below its line. */
export function stackText({ stack }: ExceptionFacts): string[] {
  return stack.map((line) => escaped(`    ${line}`));
}

/** A line for each frame, with values where they were read. */
function stackLines(frames: readonly StackFrame[]): string[] {
  const lines = frames.slice(0, FRAMES_SHOWN).map((frame) => {
    const values = frame.variables.map(
      ({ name, value }) => `${name}=${shortened(variableValue(value), VALUE_SHOWN)}`,
    );
    return `${frameText(frame)}${values.length === 0 ? '' : `  ${values.join(', ')}`}`;
  });
  const more = frames.length - lines.length;
  return more > 0 ? [...lines, `… ${more} more`] : lines;
}

function frameText({ function: name, pc, file, line }: StackFrame): string {
  return `${name ?? pc}${file === null ? '' : ` ${lastPart(file)}:${line ?? '?'}`}`;
}
