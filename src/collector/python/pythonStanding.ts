import type { Ran } from '../../model/debug/evaluated.ts';
import type { Raised, LineStep, StoppedThread } from '../../model/debug/stop.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import type { TaskHead } from '../../model/endings/taskHead.ts';
import type { Value } from '../../model/questions/query.ts';
import { pythonAsk, pythonRun, pythonStep } from '../../protocol/pythonTracer.ts';
import { excerptOf, threadName } from '../source/sourceExcerpt.ts';
import type { StandingThread, StepTarget } from '../source/standingThread.ts';
import type { HeldConnection } from '../source/stopSocket.ts';
import { exceptionMark, fieldMark, NoteReader, type NoteReading } from './uncaughtNote.ts';

/** A Python thread that stands still: what it says where (native/python/stops.c), and what it is asked. */
export class PythonStanding implements StandingThread<Buffer> {
  stopped: StoppedThread;
  readonly closed: Promise<void>;
  readonly #connection: HeldConnection;
  readonly #reading: NoteReading;

  /** `idOf`: of a breakpoint, by its key; null: it was removed meanwhile. */
  constructor(
    said: string,
    connection: HeldConnection,
    reading: NoteReading,
    idOf: (key: string) => string | null,
  ) {
    this.closed = connection.closed;
    this.#connection = connection;
    this.#reading = reading;
    const [head = '', rest = ''] = said.split(exceptionMark);
    const [pid = '0', tid = '0', keys = '', depth = '0', address = '0', result = '', paused = ''] =
      head.split(fieldMark);
    const [, , , , , , , type, message = ''] = head.split(fieldMark);
    const reader = new NoteReader(reading, reading.names(Number(pid)));
    const [, ...texts] = rest.split(fieldMark);
    const frames = texts.map((text) => reader.frame(text));
    const [newest, ...others] = frames;
    const left = Number(depth) - frames.length;
    const ids = [...new Set(keys.split(' ').flatMap((key) => idOf(key) ?? []))];
    this.stopped = {
      pid: Number(pid),
      tid: Number(tid),
      name: threadName(Number(pid), Number(tid)),
      cause: causeOf(
        keys === '' ? null : ids,
        paused,
        type === undefined ? null : { type, message },
      ),
      frames: newest
        ? [{ ...withResult(newest, result, reader), frameAddress: `0x${address}` }, ...others]
        : [],
      problem: left > 0 ? `${left} older frames are not shown` : null,
      source: excerptOf(frames),
      registers: [],
    };
  }

  async evaluate(frame: number, code: Buffer, task?: TaskHead): Promise<Value | null> {
    const request = Buffer.concat([
      words(pythonAsk.evaluate),
      whose(task),
      words(frame, code.length),
      code,
    ]);
    const answer = (await this.#connection.ask(request)).toString();
    const { pid } = this.stopped;
    if (answer === '') return null;
    return new NoteReader(this.#reading, this.#reading.names(pid)).value(answer);
  }

  async run(frame: number, text: string): Promise<Ran> {
    const bytes = Buffer.from(text);
    const request = Buffer.concat([words(pythonAsk.run, frame, bytes.length), bytes]);
    const answer = (await this.#connection.ask(request)).toString();
    const said = answer.slice(1);
    if (answer.startsWith(pythonRun.raised)) return { kind: 'raised', text: said };
    if (answer.startsWith(pythonRun.done))
      return { kind: 'done', lost: said.split(' ').filter((name) => name !== '') };
    const reader = new NoteReader(this.#reading, this.#reading.names(this.stopped.pid));
    return { kind: 'value', value: reader.value(said) };
  }

  async look(): Promise<StoppedThread> {
    const before = this.stopped.frames;
    const frames = (await this.#framesOf()).map((frame, i) =>
      i === 0 ? { ...frame, frameAddress: before[0]?.frameAddress ?? null } : frame,
    );
    this.stopped = { ...this.stopped, frames };
    return this.stopped;
  }

  async taskFrames(task: TaskHead): Promise<readonly StackFrame[]> {
    return await this.#framesOf(task);
  }

  async #framesOf(task?: TaskHead): Promise<StackFrame[]> {
    const request = Buffer.concat([words(pythonAsk.look), whose(task)]);
    const said = (await this.#connection.ask(request)).toString();
    const reader = new NoteReader(this.#reading, this.#reading.names(this.stopped.pid));
    const [, ...texts] = said.split(fieldMark);
    return texts.map((text) => reader.frame(text));
  }

  async step(kind: LineStep | StepTarget): Promise<void> {
    const isPlace = typeof kind !== 'string';
    const file = Buffer.from(isPlace ? kind.file : '');
    const step = pythonStep[isPlace ? 'until' : kind];
    const line = isPlace ? kind.line : 0;
    const request = Buffer.concat([words(pythonAsk.step, step, line, file.length), file]);
    await this.#connection.end(request);
  }

  async go(): Promise<void> {
    await this.#connection.end(words(pythonAsk.go));
  }
}

/** `ids`: null: no breakpoint stopped it. */
function causeOf(
  ids: readonly string[] | null,
  paused: string,
  raised: Raised | null,
): StoppedThread['cause'] {
  if (ids !== null) return { kind: 'breakpoint', ids, ...(raised ? { raised } : {}) };
  if (paused === '') return { kind: 'step' };
  return { kind: 'pause', ...(paused === 'waits' ? { isWaiting: true } : {}) };
}

/** With what a call returned that a step out has just left. */
function withResult(frame: StackFrame, result: string, reader: NoteReader): StackFrame {
  if (result === '') return frame;
  const returned = {
    name: 'returned',
    type: null,
    isParameter: false,
    value: reader.value(result),
  };
  return { ...frame, variables: [returned, ...frame.variables] };
}

/** Whose frames are meant; undefined: those of the thread itself. */
function whose(task: TaskHead | undefined): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(BigInt(task?.address ?? 0));
  bytes.writeBigUInt64LE(BigInt(task?.coroutine ?? 0), 8);
  return bytes;
}

function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [i, number] of numbers.entries()) bytes.writeUInt32LE(number, 4 * i);
  return bytes;
}
