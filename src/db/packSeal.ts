import { createHash } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

/*
 * A pack ends with a seal, behind all that SQLite reads: a mark, and the SHA-256 of the bytes before it. SQLite
 * itself finds damage in how its pages hang together, not in what they hold.
 */

const MARK = Buffer.from('StroSeal');
const SEAL_BYTES = MARK.length + 32;
const READ_BYTES = 1 << 20;

/** Puts the seal behind what is in the file. */
export function seal(path: string): void {
  using file = new OpenFile(path);
  const { size } = file;
  file.write(file.sealOf(size), size);
}

/** Takes the seal away; false, and nothing is changed, when it is missing or not that of the bytes before it. */
export function unseal(path: string): boolean {
  using file = new OpenFile(path);
  const bytes = file.size - SEAL_BYTES;
  if (bytes < 0 || !file.read(SEAL_BYTES, bytes).equals(file.sealOf(bytes))) return false;
  file.cut(bytes);
  return true;
}

class OpenFile {
  readonly #fd: number;

  constructor(path: string) {
    this.#fd = openSync(path, 'r+');
  }

  get size(): number {
    return fstatSync(this.#fd).size;
  }

  /** Fewer bytes where the file ends before. */
  read(bytes: number, from: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(this.#fd, buffer, 0, bytes, from));
  }

  write(bytes: Buffer, at: number): void {
    writeSync(this.#fd, bytes, 0, bytes.length, at);
  }

  cut(size: number): void {
    ftruncateSync(this.#fd, size);
  }

  /** Of the first so many bytes. */
  sealOf(bytes: number): Buffer {
    const hash = createHash('sha256');
    for (let at = 0; at < bytes;) {
      const part = this.read(Math.min(READ_BYTES, bytes - at), at);
      if (part.length === 0) break;
      hash.update(part);
      at += part.length;
    }
    return Buffer.concat([MARK, hash.digest()]);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}
