import type { StackFrame } from './crashReport.ts';
import type { RaisedException } from './exception.ts';
import { lastPart } from './crashLine.ts';

const PASSED_SHOWN = 6;
const numeric = /^(?:bool|float|double|(?:(?:un)?signed )?(?:char|short|int|long|long long))$/;

const uncaught = {
  terminate: 'UNCAUGHT: std::terminate',
  main: 'not caught: it ended the program',
  thread: 'not caught: it ended its thread',
  task: 'not caught: the event loop reported it',
  signal: 'a signal ended the process',
} as const;

const verbs = { 'C++': 'thrown', Python: 'raised', JavaScript: 'thrown', other: 'thrown' } as const;

/** `std::invalid_argument "not a number: 3x" thrown in parse (sum.cpp:8), left parse, sum, caught in main (sum.cpp:18)`. */
export function exceptionLine(exception: RaisedException): string {
  const { language, isAgain, frames, end } = exception;
  const verb = language === 'Rust' ? '' : isAgain ? ' rethrown' : ` ${verbs[language]}`;
  const where = guilty(frames);
  const place = where === null ? '' : ` in ${frameText(where)}`;
  if (end.kind === 'uncaught' && end.what === 'signal')
    return `${language} ran${place}, ${endText(exception)}`;
  return `${whatText(exception)}${verb}${place}, ${endText(exception)}`;
}

function whatText({ type, message, isMessageFound, language }: RaisedException): string {
  const name = type ?? (language === 'Rust' ? 'panic' : 'exception');
  if (message === null) return name;
  const isNumber = type !== null && numeric.test(type);
  return `${name}${isMessageFound ? ' holding' : ''} ${isNumber ? message : JSON.stringify(message)}`;
}

/** The newest frame of the program's own, else the newest. */
function guilty(frames: readonly StackFrame[]): StackFrame | null {
  const own = frames.find((frame) => frame.isOwn && frame.file !== null);
  return own ?? frames.find((frame) => frame.isOwn) ?? frames[0] ?? null;
}

function frameText({ function: name, pc, file, line }: StackFrame): string {
  return `${name ?? pc}${file === null ? '' : ` (${lastPart(file)}:${line ?? '?'})`}`;
}

function endText({ end }: RaisedException): string {
  if (end.kind === 'open') return 'not caught yet';
  if (end.kind === 'uncaught') return uncaught[end.what];
  const names = end.passed.slice(0, PASSED_SHOWN);
  const more = end.passed.length - names.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  const left = names.length === 0 ? '' : `left ${names.join(', ')}${rest}, `;
  return `${left}caught${end.frame === null ? '' : ` in ${frameText(end.frame)}`}`;
}
