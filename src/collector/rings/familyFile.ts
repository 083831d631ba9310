import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { familyFile } from '../../protocol/record.ts';
import type { WakingFile } from './wakeCalls.ts';

/** What the forked children of a session made, took and lost: a file beside the rings. */
export class FamilyFile implements WakingFile {
  readonly path: string;
  readonly #fd: number;

  /** Throws when the file is not there: the first process that is entered makes it. */
  constructor(folder: string) {
    this.path = join(folder, familyFile.name);
    this.#fd = openSync(this.path, 'r+');
  }

  /** Rings that were made. */
  get rings(): number {
    return this.#counter(familyFile.at.rings);
  }

  /** Entries of processes that could have no ring. */
  get lost(): number {
    return this.#counter(familyFile.at.lost);
  }

  /** Bytes that forked children may take in addition. */
  giveBack(bytes: number): void {
    const all = Buffer.alloc(8);
    all.writeBigUInt64LE(BigInt(this.#counter(familyFile.at.givenBack) + bytes));
    writeSync(this.#fd, all, 0, 8, familyFile.at.givenBack);
  }

  sleep(): boolean {
    const word = Buffer.alloc(4);
    readSync(this.#fd, word, 0, 4, familyFile.at.wakes);
    if (word.readUInt32LE(0) === 0) return false;
    this.#setAsleep(1);
    return true;
  }

  wake(): void {
    this.#setAsleep(0);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #counter(offset: number): number {
    const bytes = Buffer.alloc(8);
    readSync(this.#fd, bytes, 0, 8, offset);
    return Number(bytes.readBigUInt64LE(0));
  }

  #setAsleep(value: number): void {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(value);
    writeSync(this.#fd, word, 0, 4, familyFile.at.asleep);
  }
}
