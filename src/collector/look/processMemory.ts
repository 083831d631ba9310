import { closeSync, openSync, readSync } from 'node:fs';

const PAGE = 4096;
const MOST_PAGES = 20_000;

/** Memory of a process as it is at about one moment: what was read once is not read again. */
export class ProcessMemory implements Disposable {
  readonly #file: number | null;
  readonly #pages = new Map<number, Buffer>();

  constructor(pid: number) {
    this.#file = opened(`/proc/${pid}/mem`);
  }

  /** As many bytes as can be read from there on. */
  read(address: number, length: number): Buffer {
    if (!Number.isSafeInteger(address) || address < 0) return Buffer.alloc(0);
    const first = Math.floor(address / PAGE);
    const last = Math.floor((address + length - 1) / PAGE);
    const parts: Buffer[] = [];
    for (let number = first; number <= last; number++) {
      const page = this.#page(number);
      parts.push(page);
      if (page.length < PAGE) break;
    }
    const from = address - first * PAGE;
    const whole = parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
    return whole.subarray(from, from + length);
  }

  [Symbol.dispose](): void {
    if (this.#file !== null) closeSync(this.#file);
  }

  #page(number: number): Buffer {
    const known = this.#pages.get(number);
    if (known) return known;
    const page = this.#file === null ? Buffer.alloc(0) : readPage(this.#file, number * PAGE);
    if (this.#pages.size >= MOST_PAGES) this.#pages.clear();
    this.#pages.set(number, page);
    return page;
  }
}

/** Null: it is gone, or not ours to read. */
function opened(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch {
    return null;
  }
}

function readPage(file: number, address: number): Buffer {
  const page = Buffer.alloc(PAGE);
  try {
    return page.subarray(0, readSync(file, page, 0, PAGE, address));
  } catch {
    return page.subarray(0, 0); // Not mapped.
  }
}
