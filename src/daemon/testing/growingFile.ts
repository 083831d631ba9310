import { closeSync, openSync, readSync } from 'node:fs';

const chunkBytes = 1 << 20;

/** Reads a file while another process appends to it; it need not exist yet. */
export class GrowingFile implements Disposable {
  readonly #path: string;
  #file: number | null = null;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** What was appended since, at most 1 MB; null when nothing was. */
  read(): Buffer | null {
    this.#file ??= openOrNull(this.#path);
    if (this.#file === null) return null;
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const length = readSync(this.#file, chunk, 0, chunkBytes, this.#offset);
    this.#offset += length;
    return length === 0 ? null : chunk.subarray(0, length);
  }

  [Symbol.dispose](): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch {
    return null; // Not written yet.
  }
}
