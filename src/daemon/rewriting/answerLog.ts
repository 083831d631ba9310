import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { keptAnswers } from '../../protocol/keptAnswers.ts';
import { areAsBefore, type StampedSource } from '../../symbols/javascript/stampedSources.ts';
import { AnswerPlaces } from './answerPlaces.ts';

/** An answer, and what it is of beside the text; null: it is to be asked for each time. */
export interface Rewriting {
  readonly answer: string;
  readonly sources: readonly StampedSource[] | null;
}

/** Larger, it begins again with nothing. */
const MOST_BYTES = 256 << 20;
const { keyBytes: KEY_BYTES } = keptAnswers;
const HEAD_BYTES = KEY_BYTES + 8;
const isKey = /^[0-9a-f]{40}$/;

interface Place {
  readonly at: number;
  readonly sourceBytes: number;
  readonly answerBytes: number;
}

/** Answers behind each other in one file (src/protocol/keptAnswers.ts), which costs less than a file for each. */
export class AnswerLog {
  readonly #file: number;
  readonly #places = new Map<string, Place>();
  #end = 0;

  private constructor(file: number) {
    this.#file = file;
  }

  /** What an earlier daemon wrote, without what it did not end; null where no file can be there. */
  static open(folder: string): AnswerLog | null {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const log = new AnswerLog(openSync(join(folder, keptAnswers.records), 'a+', 0o600));
      log.scan();
      if (log.#end > MOST_BYTES) log.#empty();
      else ftruncateSync(log.#file, log.#end);
      return log;
    } catch {
      return null;
    }
  }

  /** Finds what was written since. */
  scan(): void {
    const { size } = fstatSync(this.#file);
    const head = Buffer.alloc(HEAD_BYTES);
    while (this.#end + HEAD_BYTES <= size) {
      readSync(this.#file, head, 0, HEAD_BYTES, this.#end);
      const key = head.toString('latin1', 0, KEY_BYTES);
      const sourceBytes = head.readUInt32LE(KEY_BYTES);
      const answerBytes = head.readUInt32LE(KEY_BYTES + 4);
      const at = this.#end + HEAD_BYTES;
      const end = at + sourceBytes + answerBytes + KEY_BYTES;
      if (!isKey.test(key) || end > size) return;
      this.#places.set(key, { at, sourceBytes, answerBytes });
      this.#end = end;
    }
  }

  /** Null: there is none, or what it was made of has changed. */
  find(key: string): Rewriting | null {
    const place = this.#places.get(key);
    if (!place) return null;
    const { at, sourceBytes, answerBytes } = place;
    const bytes = Buffer.allocUnsafe(sourceBytes + answerBytes + KEY_BYTES);
    const count = readSync(this.#file, bytes, 0, bytes.length, at);
    if (count < bytes.length || bytes.toString('latin1', count - KEY_BYTES) !== key) return null;
    const sources = sourcesIn(bytes.toString('utf8', 0, sourceBytes));
    if (!areAsBefore(sources)) return null;
    return { answer: bytes.toString('utf8', sourceBytes, count - KEY_BYTES), sources };
  }

  close(): void {
    this.#places.clear();
    closeSync(this.#file);
  }

  #empty(): void {
    ftruncateSync(this.#file, 0);
    this.#places.clear();
    this.#end = 0;
  }
}

/** Its writer, in another thread. */
export class AnswerWriter {
  readonly #folder: string;
  #file: number | null = null;
  #places: AnswerPlaces | null = null;
  #isBroken = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** An answer that cannot be kept is made again. */
  write(key: string, { answer, sources }: Rewriting): void {
    if (sources === null || this.#isBroken) return;
    try {
      this.#file ??= openSync(join(this.#folder, keptAnswers.records), 'a', 0o600);
      this.#places ??= new AnswerPlaces(join(this.#folder, keptAnswers.places));
      const { size } = fstatSync(this.#file);
      const record = recordOf(key, sources.map(textOf).join(''), answer);
      // What stood behind a part of one would not be found.
      this.#isBroken = writeSync(this.#file, record) < record.length;
      if (!this.#isBroken) this.#places.put(key, size);
    } catch {
      this.#isBroken = true; // The disk is full, or the folder is gone.
    }
  }
}

function textOf({ path, stamp }: StampedSource): string {
  return `${stamp}\0${path}\0`;
}

function sourcesIn(text: string): StampedSource[] {
  const words = text.split('\0');
  return Array.from({ length: words.length >> 1 }, (_, at) => ({
    stamp: words[at * 2] ?? '',
    path: words[at * 2 + 1] ?? '',
  }));
}

function recordOf(key: string, sources: string, answer: string): Buffer {
  const bodies = [Buffer.from(sources), Buffer.from(answer)] as const;
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(key, 'latin1');
  head.writeUInt32LE(bodies[0].length, KEY_BYTES);
  head.writeUInt32LE(bodies[1].length, KEY_BYTES + 4);
  return Buffer.concat([head, ...bodies, Buffer.from(key, 'latin1')]);
}
