import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { areAsBefore, type StampedSource } from '../../symbols/javascript/stampedSources.ts';

/** An answer, and what it is of beside the text; null: it is to be asked for each time. */
export interface Rewriting {
  readonly answer: string;
  readonly sources: readonly StampedSource[] | null;
}

/** Larger, it begins again with nothing. */
const MOST_BYTES = 256 << 20;
/** SHA-1 in hexadecimal. */
const KEY_BYTES = 40;
const HEAD_BYTES = KEY_BYTES + 8;
const isKey = /^[0-9a-f]{40}$/;

interface Place {
  readonly at: number;
  readonly sourceBytes: number;
  readonly answerBytes: number;
}

/**
 * Answers behind each other in one file, which costs less than a file for each. A record is the key, two lengths, the
 * sources, the answer, and the key once more: without that it was not written to its end.
 */
export class AnswerLog {
  readonly #file: number;
  readonly #places = new Map<string, Place>();
  #end = 0;

  private constructor(file: number) {
    this.#file = file;
  }

  /** What an earlier daemon wrote, without what it did not end; null where no file can be there. */
  static open(path: string): AnswerLog | null {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const log = new AnswerLog(openSync(path, 'a+', 0o600));
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
    // oxlint-disable-next-line typescript/consistent-type-assertions -- a file of our own form
    const sources = JSON.parse(bytes.toString('utf8', 0, sourceBytes)) as StampedSource[];
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
  readonly #path: string;
  #file: number | null = null;
  #isBroken = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** An answer that cannot be kept is made again. */
  write(key: string, { answer, sources }: Rewriting): void {
    if (sources === null || this.#isBroken) return;
    try {
      this.#file ??= openSync(this.#path, 'a', 0o600);
      const record = recordOf(key, JSON.stringify(sources), answer);
      // What stood behind a part of one would not be found.
      this.#isBroken = writeSync(this.#file, record) < record.length;
    } catch {
      this.#isBroken = true; // The disk is full, or the folder is gone.
    }
  }
}

function recordOf(key: string, sources: string, answer: string): Buffer {
  const bodies = [Buffer.from(sources), Buffer.from(answer)] as const;
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(key, 'latin1');
  head.writeUInt32LE(bodies[0].length, KEY_BYTES);
  head.writeUInt32LE(bodies[1].length, KEY_BYTES + 4);
  return Buffer.concat([head, ...bodies, Buffer.from(key, 'latin1')]);
}
