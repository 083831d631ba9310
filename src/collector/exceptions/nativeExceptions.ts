import { createHash } from 'node:crypto';
import { pause } from '../../base/deadline.ts';
import { processorNamed } from '../../model/processors.ts';
import { WakeCalls } from '../rings/wakeCalls.ts';
import type { SeenException } from './readExceptionFile.ts';
import { ExceptionFileReader, exceptionPathOf, stackAddressOf } from './readExceptionFile.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import type { ExceptionEnd, RaisedException } from '../../model/endings/exception.ts';
import type { Snapshot } from '../../model/endings/snapshot.ts';
import { GoPanics, raisersOfGo } from './goPanics.ts';
import { exceptionFile } from '../../protocol/exceptionFile.ts';
import type { NativeCode, NativeParts } from '../native/nativeParts.ts';
import { ringDirectory } from '../rings/ringFolder.ts';
import type { TracedSession, TracerSink } from '../tracer.ts';

const POLL_MS = 500;
/** So many polls that found nothing, and it sleeps until a file is written to. */
const POLLS_TO_SLEEP = 10;
/** The first process that is entered makes the file. */
const ASLEEP_POLL_MS = 5000;
/** A question does not wait longer for what was just raised to be explained. */
const READ_PATIENCE_MS = 2000;
export const FRAMES_KEPT = 32;
/** Number of exceptions remembered that may still be caught. */
const MOST_OPEN = 1000;
const MOST_STORED = 5000;
const MOST_STACKS = 500;
const thinned = `${exceptionFile.wholePerTurn} in a second are recorded, of those beyond at most one of ${exceptionFile.thinning}`;

/** Where an exception is on its way: between the function that raised it and the unwinder. */
export const raisers =
  /^(?:_Unwind_|__cxa_(?:throw|rethrow)|std::rethrow_exception|std::__throw_|(?:std|core)::panicking::|std::sys::backtrace::__rust_end_|__rustc::)/;
const terminators = /^(?:__cxa_throw|__cxa_rethrow|__cxa_call_terminate|__gxx_personality)/;
const threadStarts = /^(?:start_thread|std::thread::|std::sys::.*thread)/;

type Parts = Pick<NativeParts, 'code' | 'values' | 'warn'>;

/**
 * The exceptions of a session's processes: reads what the engine writes down, explains it while the code
 * is still what ran, and stores it.
 */
export class NativeExceptions {
  readonly #session: TracedSession;
  readonly #parts: Parts;
  /** What values of panics are of: as much of it as is in memory. */
  readonly panics: GoPanics;
  readonly #sink: TracerSink;
  #reader: ExceptionFileReader | null = null;
  /** Raised and not caught yet, by process and address. */
  readonly #open = new Map<string, RaisedException>();
  /** Described stacks by what returns they hold. */
  readonly #stacks = new Map<string, readonly StackFrame[]>();
  readonly #wakeCalls = new WakeCalls();
  #timer: NodeJS.Timeout | null = null;
  #isAsleep = false;
  #quietPolls = 0;
  #reading: Promise<void> | null = null;
  #finishing: Promise<void> | null = null;
  #stored = 0;
  #unstored = 0;

  constructor(session: TracedSession, parts: Parts, sink: TracerSink) {
    this.panics = new GoPanics(session, parts, (text) => sink.note(text));
    this.#session = session;
    this.#parts = parts;
    this.#sink = sink;
  }

  /** Reads now and then from now on, hardly ever while nothing is raised. */
  start(): void {
    if (this.#finishing !== null) return;
    this.#rouse();
    this.#timer ??= this.#pollIn(POLL_MS);
  }

  #pollIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#poll(), ms).unref();
  }

  async #poll(): Promise<void> {
    const before = this.#counted().seen;
    const wasAsleep = this.#isAsleep;
    await this.read();
    if (this.#timer === null) return;
    if (this.#counted().seen !== before) this.#rouse();
    else this.#quietPolls++;
    if (!this.#isAsleep && this.#quietPolls >= POLLS_TO_SLEEP) this.#sleep();
    // What is written at the moment it falls asleep may wake nobody: it looks once more.
    this.#timer = this.#pollIn(this.#isAsleep && wasAsleep ? ASLEEP_POLL_MS : POLL_MS);
  }

  #sleep(): void {
    this.#isAsleep = this.#wakeCalls.sleep(this.#reader === null ? [] : [this.#reader], () => {
      this.#rouse();
      if (this.#timer === null) return;
      clearTimeout(this.#timer);
      this.#timer = this.#pollIn(0);
    });
  }

  #rouse(): void {
    this.#quietPolls = 0;
    if (!this.#isAsleep) return;
    this.#isAsleep = false;
    this.#wakeCalls.wake();
  }

  /** Explains and stores what was raised up to now. Never rejects. */
  async read(): Promise<void> {
    // One that reads already may have passed what was raised since.
    await this.#reading;
    this.#reading ??= this.#readAll()
      .catch((error: unknown) => {
        this.#parts.warn('exceptions cannot be read', {
          session: this.#session.id,
          error: String(error),
        });
      })
      .finally(() => {
        this.#reading = null;
      });
    await this.#reading;
  }

  /** The same, and does not wait for it for long; answers whether all of it is stored. */
  async readSoon(): Promise<boolean> {
    const reading = this.#finishing ?? (this.#timer === null ? null : this.read());
    if (reading === null) return true;
    return Promise.race([reading.then(() => true), pause(READ_PATIENCE_MS).then(() => false)]);
  }

  /** The last reading: the processes have ended, or were let go. Never rejects. */
  finish(): Promise<void> {
    this.#finishing ??= this.#finish();
    return this.#finishing;
  }

  async #finish(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#rouse();
    await this.read();
    const { seen, missing } = this.#counted();
    if (missing > 0)
      this.#sink.note(`${seen} exceptions were raised; ${missing} of them were only counted.`);
    this.#reader?.[Symbol.dispose]();
    this.#reader = null;
  }

  #counted(): { readonly seen: number; readonly missing: number } {
    const { seen, unrecorded } = this.#reader?.counters ?? { seen: 0, unrecorded: 0 };
    return { seen, missing: this.#unstored + unrecorded };
  }

  async #readAll(): Promise<void> {
    if (this.#reader === null) {
      this.#reader = ExceptionFileReader.open(exceptionPathOf(ringDirectory(this.#session.id)));
      if (this.#reader !== null) this.#rouse();
    }
    const reader = this.#reader;
    if (reader === null) return; // No process was entered yet.
    for (let seen = reader.read(); seen.length > 0; seen = reader.read()) {
      for (const one of seen) await this.#take(one);
      reader.publishRead();
    }
    if (this.#counted().missing > 0)
      this.#sink.note(`Exceptions are raised faster than they are recorded: ${thinned}.`);
  }

  async #take(seen: SeenException): Promise<void> {
    const place = `${seen.pid} ${seen.exception}`;
    const known = this.#open.get(place) ?? null;
    if (seen.kind === 'raised') {
      if (this.#stored >= MOST_STORED) {
        this.#unstored++;
        return;
      }
      this.#stored++;
      // The library raises it once more to say what it was.
      if (known?.end.kind === 'uncaught' && known.tid === seen.tid) return;
      const raised = await this.#raised(seen);
      this.#open.delete(place);
      this.#open.set(place, raised);
      const [oldest] = this.#open.keys();
      if (this.#open.size > MOST_OPEN && oldest !== undefined) this.#open.delete(oldest);
      await this.#sink.exception(raised);
      return;
    }
    if (known === null || known.end.kind !== 'open') return;
    const time = Number(seen.monotonicNs - this.#session.startNs);
    const frames = await this.#framesOf(seen);
    const isOfGo = known.language === 'Go';
    const end = isOfGo ? this.panics.endOf(known, frames, seen) : endOf(known, frames, time);
    const ended = { ...known, end };
    this.#open.set(place, ended);
    await this.#sink.exception(ended);
    if (isOfGo) await this.#replaceLeft(ended, seen);
  }

  /** Panics of the goroutine in what one that ended has left: it took their place. */
  async #replaceLeft({ pid, tid }: RaisedException, seen: SeenException): Promise<void> {
    for (const [place, one] of this.#open) {
      const [, exception = ''] = place.split(' ');
      if (one.pid !== pid || one.tid !== tid) continue;
      if (!this.panics.isLeftBy(one, exception, seen)) continue;
      const replaced: RaisedException = { ...one, end: { kind: 'uncaught', what: 'replaced' } };
      this.#open.set(place, replaced);
      await this.#sink.exception(replaced);
    }
  }

  async #raised(seen: SeenException): Promise<RaisedException> {
    const all = await this.#framesOf(seen);
    const first = all.findIndex(
      ({ function: name }) => name !== null && !raisers.test(name) && !raisersOfGo.test(name),
    );
    const [type] = seen.type === '' ? [] : await typeNames(this.#parts.code, [seen.type]);
    return {
      key: `${seen.pid}.${seen.monotonicNs}.${seen.tid}`,
      time: Number(seen.monotonicNs - this.#session.startNs),
      pid: seen.pid,
      tid: seen.tid,
      language: seen.language,
      ...(seen.language === 'Go'
        ? await this.panics.panicOf(seen)
        : {
            type: type ?? null,
            message: messageOf(seen),
            isMessageFound: seen.messageIs === 'found',
          }),
      isAgain:
        seen.language === 'Go'
          ? this.panics.isAgain(seen, all)
          : all.some((frame, i) => i < first && isRethrow(frame)),
      frames: first < 0 ? [] : all.slice(first, first + FRAMES_KEPT),
      end: { kind: 'open' },
    };
  }

  /** What was thrown once more at the same place of the same stack is not described again, and says no values. */
  async #framesOf(seen: SeenException): Promise<readonly StackFrame[]> {
    const key = stackKey(seen);
    const known = this.#stacks.get(key);
    if (known !== undefined) return known;
    const frames = await this.#describe(seen);
    this.#stacks.set(
      key,
      frames.map((frame) => ({ ...frame, variables: [] })),
    );
    const [oldest] = this.#stacks.keys();
    if (this.#stacks.size > MOST_STACKS && oldest !== undefined) this.#stacks.delete(oldest);
    return frames;
  }

  async #describe(seen: SeenException): Promise<readonly StackFrame[]> {
    const snapshot: Snapshot = {
      pid: seen.pid,
      processor: processorNamed(process.arch).name,
      signal: null,
      threads: [
        {
          tid: seen.tid,
          name: '',
          isOurs: false,
          registers: seen.registers,
          vectors: null,
          systemCall: null,
        },
      ],
      mappings: seen.mappings,
      memory: [{ address: stackAddressOf(seen), bytes: seen.stack }],
      stored: [],
      openFiles: null,
      problems: [],
    };
    const report = await this.#parts.code.explain(snapshot, this.#session);
    return report.threads[0]?.frames ?? [];
  }
}

/** Where the stack lies, and every word on it that may be a return address, with its place. */
function stackKey(seen: SeenException): string {
  const { pid, stack, mappings } = seen;
  const code = mappings.filter((row) => row.protection.includes('x'));
  const first = code.reduce((least, { start }) => (start < least ? start : least), 1n << 64n);
  const words = new BigUint64Array(stack.buffer, stack.byteOffset, stack.byteLength >> 3);
  const hash = createHash('sha1').update(`${pid} ${seen.kind} ${stackAddressOf(seen)}`);
  for (const [at, word] of words.entries()) {
    if (word < first || !code.some((row) => word >= row.start && word < row.end)) continue;
    hash.update(`${at} ${word},`);
  }
  return hash.digest('base64');
}

function isRethrow({ function: name }: StackFrame): boolean {
  return name !== null && /^(?:__cxa_rethrow|_Unwind_Resume_or_Rethrow|std::rethrow)/.test(name);
}

/** As people read them, of names of `type_info`. Never rejects. */
export async function typeNames(
  code: Pick<NativeCode, 'readable'>,
  linkage: readonly string[],
): Promise<readonly string[]> {
  const names = await code.readable(linkage.map((name) => `_ZTS${name}`)).catch(() => []);
  return names.map((name) => name.replace(/^typeinfo name for /, ''));
}

/** The message of an exception as people read it; null: it has none that can be read. */
export function messageOf({
  messageIs,
  message,
  type,
}: Pick<SeenException, 'messageIs' | 'message' | 'type'>): string | null {
  if (messageIs === 'none') return null;
  if (messageIs !== 'value') return message.toString('utf8').replace(/\uFFFD+$/, '');
  // One letter of the Itanium C++ ABI §5.1.5.2.
  switch (type) {
    case 'b':
      return message.readUInt8() === 0 ? 'false' : 'true';
    case 'c':
    case 'a':
      return String(message.readInt8());
    case 'h':
      return String(message.readUInt8());
    case 's':
      return String(message.readInt16LE());
    case 't':
      return String(message.readUInt16LE());
    case 'i':
      return String(message.readInt32LE());
    case 'j':
      return String(message.readUInt32LE());
    case 'l':
    case 'x':
      return String(message.readBigInt64LE());
    case 'm':
    case 'y':
      return String(message.readBigUInt64LE());
    case 'f':
      return String(message.readFloatLE());
    case 'd':
      return String(message.readDoubleLE());
    default:
      return null;
  }
}

/** What the stack at the beginning of a handler says. */
function endOf(
  raised: RaisedException,
  handler: readonly StackFrame[],
  time: number,
): ExceptionEnd {
  const callers = handler.slice(1);
  let at = callers.findIndex((frame) => !frame.isInlined);
  if (raised.language === 'Rust') {
    at = callers.findIndex((frame) => frame.isOwn && frame.file !== null);
    const names = callers.slice(0, at < 0 ? callers.length : at);
    const has = (wanted: RegExp): boolean =>
      names.some(({ function: name }) => name !== null && wanted.test(name));
    if (has(/lang_start/)) return { kind: 'uncaught', what: 'main' };
    if (at < 0 && has(threadStarts)) return { kind: 'uncaught', what: 'thread' };
  }
  const frame = callers[at] ?? null;
  if (frame?.function != null && terminators.test(frame.function))
    return { kind: 'uncaught', what: 'terminate' };
  const until = raised.frames.findIndex(
    ({ frameAddress }) => frameAddress !== null && frameAddress === frame?.frameAddress,
  );
  const passed = raised.frames
    .slice(0, Math.max(0, until))
    .flatMap((one) => (one.isOwn && one.function !== null ? [one.function] : []));
  const innermost = raised.language === 'Rust' ? frame : (callers[0] ?? frame);
  return { kind: 'caught', time, frame: innermost, passed };
}
