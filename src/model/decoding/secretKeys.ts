import { secretIn } from '../values/redaction.ts';

/** Names that are remembered, and slots for texts of names. */
const MOST_NAMES = 8192;
const SLOTS = 1024;

/** Tells keys that name secrets: the same ones come again and again. */
export class SecretKeys {
  readonly #words: readonly string[];
  readonly #names = new Map<string, boolean>();
  readonly #texts: ({ readonly bytes: Buffer; readonly isSecret: boolean } | undefined)[] =
    Array.from({ length: SLOTS });

  /** `words`: what names of secrets are made of. */
  constructor(words: readonly string[]) {
    this.#words = words;
  }

  has(name: string): boolean {
    let isSecret = this.#names.get(name);
    if (isSecret !== undefined) return isSecret;
    isSecret = secretIn(name, this.#words) !== null;
    if (this.#names.size >= MOST_NAMES) this.#names.clear();
    this.#names.set(name, isSecret);
    return isSecret;
  }

  /** The same of Latin-1 characters at bytes[from, to). */
  hasText(bytes: Buffer, from: number, to: number): boolean {
    let hash = 0x811c9dc5;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const known = this.#texts[slot];
    if (known && isAt(known.bytes, bytes, from, to)) return known.isSecret;
    const text = Buffer.from(bytes.subarray(from, to));
    const isSecret = secretIn(text.toString('latin1'), this.#words) !== null;
    this.#texts[slot] = { bytes: text, isSecret };
    return isSecret;
  }
}

function isAt(text: Buffer, bytes: Buffer, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let i = 0; i < text.length; i++) if (text[i] !== bytes[from + i]) return false;
  return true;
}
