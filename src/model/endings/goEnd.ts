import { lastPart } from './crashLine.ts';

/** What Go's runtime writes when it ends a program: why, and the stacks of goroutines. */
export interface GoEnd {
  /** `panic: too many: 3`, `fatal error: concurrent map writes`. */
  readonly text: string;
  /** What follows it: the signal, panics of deferred functions, more lines of the message. */
  readonly details: readonly string[];
  /** The one that ended it comes first; Go leaves others out unless no goroutine is at fault, or GOTRACEBACK asks for them. */
  readonly goroutines: readonly WrittenGoroutine[];
}

export interface WrittenGoroutine {
  readonly number: number;
  /** `running`, `chan receive, 5 minutes`. */
  readonly state: string;
  /** Newest first. */
  readonly frames: readonly WrittenFrame[];
  /** The `go` statement that made it; null for the first one. */
  readonly madeAt: WrittenFrame | null;
}

export interface WrittenFrame {
  /** As Go writes it: types of generic functions are `[...]`. */
  readonly function: string;
  readonly file: string;
  readonly line: number;
  readonly isInlined: boolean;
}

const ofGo = /^(?:runtime|internal|sync|syscall|time)[./]/;
const headline = /^(?:panic: |fatal error: |SIG[A-Z]+: )/;
const goroutine = /^goroutine (\d+)(?: \S+=\S+)* \[([^\]]*)\].*:$/;
const place = /^\t(\/.+?|_cgo_\S+?):(\d+)(?: \+0x[0-9a-f]+)?/;
/** A message may have several lines, and a stack of the runtime's may follow it. */
const linesBefore = 80;
const mostDetails = 6;
/** Goroutines that are kept, and frames of each. */
const mostGoroutines = 200;
const mostFrames = 60;

/** The last report of the kind in lines of output; null: there is none. */
export function readGoEnd(lines: readonly string[]): GoEnd | null {
  for (let at = lines.length - 1; at >= 0; at--) {
    const end = headline.test(lines[at] ?? '') ? endAt(lines, at) : null;
    if (end !== null) return end;
  }
  return null;
}

/** Where the program ended, as far as it is no function of Go's own; null: not known. */
export function faultOfGo({ goroutines }: GoEnd): WrittenFrame | null {
  const frames = goroutines[0]?.frames ?? [];
  const below = frames.findLastIndex((frame) => frame.function === 'panic') + 1;
  return frames.find((frame, i) => i >= below && !ofGo.test(frame.function)) ?? null;
}

/** `panic: too many: 3, in main.check (main.go:43)`. */
export function goEndLine(end: GoEnd): string {
  const at = faultOfGo(end);
  return at === null
    ? end.text
    : `${end.text}, in ${at.function} (${lastPart(at.file)}:${at.line})`;
}

function endAt(lines: readonly string[], at: number): GoEnd | null {
  const first = lines.findIndex(
    (line, i) => i > at && i <= at + linesBefore && goroutine.test(line),
  );
  if (first < 0) return null;
  const between = lines.slice(at + 1, first);
  const stack = between.findIndex((line) => line === 'runtime stack:');
  const details = (stack < 0 ? between : between.slice(0, stack)).filter((line) => line !== '');
  return {
    text: lines[at] ?? '',
    details: details.slice(0, mostDetails).map((line) => line.trim()),
    goroutines: goroutinesFrom(lines, first),
  };
}

function goroutinesFrom(lines: readonly string[], first: number): WrittenGoroutine[] {
  const found: {
    number: number;
    state: string;
    frames: WrittenFrame[];
    madeAt: WrittenFrame | null;
  }[] = [];
  for (let at = first; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const header = goroutine.exec(line);
    if (header !== null) {
      if (found.length === mostGoroutines) break;
      const [, number = '0', state = ''] = header;
      found.push({ number: Number(number), state, frames: [], madeAt: null });
      continue;
    }
    const where = place.exec(lines[at + 1] ?? '');
    const last = found.at(-1);
    if (where === null || last === undefined) continue;
    at++;
    const [, file = '', number = '0'] = where;
    const name = line.replace(/^created by /, '').replace(/ in goroutine \d+$/, '');
    const frame: WrittenFrame = {
      function: name.replace(/\([^()]*\)$/, ''),
      file,
      line: Number(number),
      isInlined: line.endsWith('(...)'),
    };
    if (line.startsWith('created by ')) last.madeAt = frame;
    else if (last.frames.length < mostFrames) last.frames.push(frame);
  }
  return found;
}
