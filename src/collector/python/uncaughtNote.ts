import type { DefinedNames } from '../../model/decoding/dynamic.ts';
import type { FrameVariable, StackFrame } from '../../model/endings/crashReport.ts';
import type { ExceptionCause } from '../../model/endings/exception.ts';
import type { Value } from '../../model/questions/query.ts';
import { sourceFrame } from '../../model/endings/sourceFrame.ts';
import type { UncaughtException } from '../source/sourceProcess.ts';
import { ToldValues } from '../source/toldValues.ts';

export const exceptionMark = '\u001D';
export const fieldMark = '\u001F';
/** Files of asyncio. */
const eventLoop = /\/lib\/python3\.\d+\/asyncio\/\w+\.py$/;
const partMark = '\u001E';

/** What a note is read with. */
export interface NoteReading {
  readonly projectRoot: string;
  readonly secretNames: readonly string[];
  /** What the numbers in values of a process mean. */
  readonly names: (pid: number) => DefinedNames;
}

/** What a note of an exception that nothing caught says (native/python/line.h). */
export function uncaughtException(text: string, reading: NoteReading): UncaughtException {
  const [head = '', ...exceptions] = text.split(exceptionMark);
  const [pid = '0', tid = '0', what] = head.split(fieldMark);
  const reader = new NoteReader(reading, reading.names(Number(pid)));
  const [first, ...causes] = exceptions.map((part) => reader.exception(part));
  return {
    pid: Number(pid),
    tid: Number(tid),
    language: 'Python',
    type: first?.type ?? null,
    message: first?.message ?? null,
    isMessageFound: false,
    isAgain: false,
    frames: first?.frames ?? [],
    causes,
    end: { kind: 'uncaught', what: what === 'task' ? what : pid === tid ? 'main' : 'thread' },
  };
}

/** Reads frames and values as a process says them (native/python/line.h). */
export class NoteReader {
  readonly #reading: NoteReading;
  readonly #values: ToldValues;

  constructor(reading: NoteReading, names: DefinedNames) {
    this.#reading = reading;
    this.#values = new ToldValues('python', reading.secretNames, names);
  }

  exception(text: string): ExceptionCause {
    const [relation, type = '', message = '', ...frames] = text.split(fieldMark);
    return {
      relation: relation === 'cause' ? 'cause' : 'context',
      type: type === '' ? null : type,
      message: message === '' ? null : message,
      frames: frames.map((frame) => this.frame(frame)),
    };
  }

  frame(text: string): StackFrame {
    const [name = '?', line = '0', file = '', ...locals] = text.split(partMark);
    const variables = locals.map((local) => this.#variable(local));
    const { projectRoot } = this.#reading;
    const frame = sourceFrame({ name, file, line: Number(line) }, projectRoot, variables);
    return !frame.isOwn && eventLoop.test(file) ? { ...frame, isOfLoop: true } : frame;
  }

  #variable(text: string): FrameVariable {
    const at = text.indexOf('=');
    const name = text.slice(1, at);
    const value = this.value(text.slice(at + 1), name);
    return { name, type: null, isParameter: text.startsWith('p'), value };
  }

  /** Of its bytes in hexadecimal. */
  value(text: string, name: string | null = null): Value {
    return this.#values.value(text, name);
  }
}
