/** Captures that are remembered at once. */
const REMEMBERED = 64;
interface Entry<T> {
  readonly words: Uint32Array;
  readonly at: number;
  readonly size: number;
  readonly value: T;
}

/** The bytes of a captured value with a length of its own; -1 when it is cut off. */
export function longSize(words: Uint32Array, at: number, end: number): number {
  if (at + 8 > end) return -1;
  const length = words[at >>> 2] ?? 0;
  const size = 8 + ((length + 7) & -8);
  return at + size > end ? -1 : size;
}

/** Remembers something about captured values by their bytes: the same ones come again and again. */
export class CaptureMemo<T> {
  readonly #entries: (Entry<T> | undefined)[] = Array.from({ length: REMEMBERED });
  #slot = 0;

  /** What is known of the value in words[at, at + size), in bytes. */
  get(words: Uint32Array, at: number, size: number): T | undefined {
    this.#slot = hashOf(words, at >>> 2, size >>> 2) % REMEMBERED;
    const entry = this.#entries[this.#slot];
    return entry?.size === size && isAt(entry, words, at) ? entry.value : undefined;
  }

  /** Remembers what `get` did not find last; returns what had to give way. */
  put(words: Uint32Array, at: number, size: number, value: T): T | undefined {
    const before = this.#entries[this.#slot];
    this.#entries[this.#slot] = { words, at, size, value };
    return before?.value;
  }

  /** All that is remembered. */
  values(): T[] {
    return this.#entries.flatMap((entry) => (entry ? [entry.value] : []));
  }
}

function hashOf(words: Uint32Array, from: number, count: number): number {
  let hash = count;
  for (let i = from; i < from + count; i++) hash = Math.imul(hash ^ (words[i] ?? 0), 0x9e3779b1);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function isAt({ words: known, at: there, size }: Entry<unknown>, words: Uint32Array, at: number) {
  for (let i = 0; i < size >>> 2; i++) {
    if (known[(there >>> 2) + i] !== words[(at >>> 2) + i]) return false;
  }
  return true;
}
