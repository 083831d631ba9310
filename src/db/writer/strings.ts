import { unindexedString } from '../blockFormat.ts';
import type { Sqlite, Statement } from '../sqlite.ts';

/** More distinct strings than this are stored but not indexed: blocks that hold them are scanned. */
const MAX_DISTINCT = 200_000;

/**
 * Captured strings, each kept once for full-text search. Two strings with the same 52-bit hash
 * would share an entry; with the limit above that is one chance in 200,000.
 */
export class StringTable {
  readonly #insert: Statement<[id: number, text: string]>;
  readonly #insertText: Statement<[id: number, text: string]>;
  readonly #saved: Statement<[], { id: number; text: string }>;
  readonly #ids = new Map<number, number>();
  #nextId = 1;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #pending: { id: number; text: string }[] = [];

  constructor(db: Sqlite) {
    this.#insert = db.prepare('INSERT INTO strings (id, text) VALUES (?, ?)');
    this.#insertText = db.prepare('INSERT INTO strings_text (rowid, text) VALUES (?, ?)');
    this.#saved = db.prepare('SELECT id, text FROM strings ORDER BY id');
  }

  /**
   * Goes on from what the file holds. A string that was no valid UTF-8 is not recognised: it is
   * kept once more when it comes again.
   */
  continue(): void {
    for (const { id, text } of this.#saved.iterate()) {
      const bytes = Buffer.from(text);
      this.#ids.set(hashOf(bytes, 0, bytes.length), id);
      this.#nextId = id + 1;
    }
  }

  intern(bytes: Uint8Array, from: number, length: number): number {
    const hash = hashOf(bytes, from, length);
    const known = this.#ids.get(hash);
    if (known !== undefined) return known;
    if (this.#ids.size >= MAX_DISTINCT) return unindexedString;
    const id = this.#nextId++;
    this.#ids.set(hash, id);
    this.#pending.push({ id, text: this.#decoder.decode(bytes.subarray(from, from + length)) });
    return id;
  }

  write(): void {
    for (const { id, text } of this.#pending) {
      this.#insert.run(id, text);
      this.#insertText.run(id, text);
    }
    this.#pending = [];
  }
}

function hashOf(bytes: Uint8Array, from: number, length: number): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c ^ length;
  for (let i = from; i < from + length; i++) {
    const byte = bytes[i] ?? 0;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, 0x5bd1e995);
    high ^= high >>> 15;
  }
  return (high & 0xfffff) * 4294967296 + (low >>> 0);
}
