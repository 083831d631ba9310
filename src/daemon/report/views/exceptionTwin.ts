import { escaped } from '../../../base/visible.ts';
import type { StackFrame } from '../../../model/endings/crashReport.ts';
import type { RaisedException } from '../../../model/endings/exception.ts';
import { shortened } from '../answers/clip.ts';
import { guiltyOf } from '../../../model/endings/exceptionLine.ts';
import { lastPart } from '../../../model/endings/crashLine.ts';
import { variableValue } from './variableLines.ts';

const FRAMES_SHOWN = 12;
const VALUE_SHOWN = 60;

/** What of an exception the structured form of an event carries. */
export function exceptionTwin(exception: RaisedException, verbose: boolean): object {
  const { tid, type, message, end, frames } = exception;
  const isCaught = end.kind === 'caught';
  return {
    exceptionType: type,
    threadId: tid,
    message,
    ...(exception.value === undefined ? {} : { thrown: variableValue(exception.value) }),
    end: end.kind,
    passed: isCaught ? end.passed : [],
    caughtIn: isCaught && end.frame !== null ? frameText(end.frame) : null,
    ...(verbose ? { stack: stackLines(frames) } : {}),
  };
}

/** What of an exception that nothing caught the crash view carries. */
export function uncaughtTwin(one: RaisedException): object {
  const frame = guiltyOf(one);
  return {
    type: one.type,
    message: one.message,
    ...(one.value === undefined ? {} : { value: variableValue(one.value) }),
    ...(frame === null || frame.file === null
      ? {}
      : { at: `${lastPart(frame.file)}:${frame.line ?? '?'}` }),
  };
}

/** What is shown below its line: a value that is no error, and the stack it was raised on. */
export function detailText({ value, frames }: RaisedException, verbose: boolean): string[] {
  const lines = [
    ...(value === undefined ? [] : [`the value: ${variableValue(value)}`]),
    ...(verbose ? stackLines(frames) : []),
  ];
  return lines.map((line) => escaped(`    ${line}`));
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
