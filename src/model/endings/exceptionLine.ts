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
  replaced: 'a later panic took its place',
  signal: 'a signal ended the process',
} as const;

const verbs = {
  'C++': 'thrown',
  Python: 'raised',
  JavaScript: 'thrown',
  other: 'thrown',
} as const;

/** `std::invalid_argument "not a number: 3x" thrown in parse (sum.cpp:8), left parse, sum, caught in main (sum.cpp:18)`. */
export function exceptionLine(exception: RaisedException): string {
  const { language, end } = exception;
  const where = guiltyOf(exception);
  const place = where === null ? '' : ` in ${frameText(where)}`;
  if (end.kind === 'uncaught' && end.what === 'signal')
    return `${language} ran${place}, ${endText(exception)}`;
  return `${whatText(exception)}${verbOf(exception)}${place}, ${endText(exception)}`;
}

/** A panic is one without a verb. */
function verbOf({ language, isAgain }: RaisedException): string {
  if (language === 'Go') return isAgain ? ' once more' : '';
  if (language === 'Rust') return '';
  return isAgain ? ' rethrown' : ` ${verbs[language]}`;
}

function whatText(exception: RaisedException): string {
  const { type, message, isMessageFound, language } = exception;
  if (language === 'Go') return panicText(exception);
  const name = type ?? (language === 'Rust' ? 'panic' : 'exception');
  if (message === null) return name;
  const isNumber = type !== null && numeric.test(type);
  return `${name}${isMessageFound ? ' holding' : ''} ${isNumber ? message : JSON.stringify(message)}`;
}

/** `panic "boom"`, `panic *main.Refused {Code=3}`. */
function panicText({ type, message, isMessageFound }: RaisedException): string {
  const name = type === null || type === 'string' ? '' : ` ${type}`;
  if (message === null) return `panic${name}`;
  return `panic${name} ${isMessageFound ? message : JSON.stringify(message)}`;
}

/** The newest frame of the program's own, else the newest. */
export function guiltyOf({ frames }: Pick<RaisedException, 'frames'>): StackFrame | null {
  const own = frames.find((frame) => frame.isOwn && frame.file !== null);
  return own ?? frames.find((frame) => frame.isOwn) ?? frames[0] ?? null;
}

function frameText({ function: name, pc, file, line }: StackFrame): string {
  return `${name ?? pc}${file === null ? '' : ` (${lastPart(file)}:${line ?? '?'})`}`;
}

/** `not caught: it ended the program`, `caught in main (sum.cpp:18)`. */
export function endText({ end, language }: RaisedException): string {
  if (end.kind === 'open') return language === 'Go' ? 'not recovered yet' : 'not caught yet';
  if (end.kind === 'uncaught' && end.what === 'main' && language === 'Go')
    return 'not recovered: it ended the program';
  if (end.kind === 'uncaught') return uncaught[end.what];
  const names = end.passed.slice(0, PASSED_SHOWN);
  const more = end.passed.length - names.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  const left = names.length === 0 ? '' : `left ${names.join(', ')}${rest}, `;
  return `${left}${language === 'Go' ? 'recovered' : 'caught'}${end.frame === null ? '' : ` in ${frameText(end.frame)}`}`;
}
