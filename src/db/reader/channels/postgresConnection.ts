import { messageName, messageText, openingName } from './postgresMessages.ts';

const HEAD = 5;
const OPENING = 8;
const LONGEST = 1 << 30;
const MOST_MESSAGES = 20;

/** Names the messages of PostgreSQL in what goes over one connection. */
export class PostgresConnection {
  /** Whether an opening (Startup, SSLRequest) comes next from the client. */
  #isOpening = true;
  /** By side: bytes of a message that are still to come. */
  readonly #toCome = { asked: 0, answered: 0 };

  /** Whether a connection on which a program sends this first is one. */
  static begins(known: Buffer): boolean {
    return openingOf(known) !== null;
  }

  /**
   * The messages that begin in a part of what went over it, those that repeat as one. `known`: the beginning of the part.
   * Empty: it continues one.
   */
  take(isAsked: boolean, known: Buffer, bytes: number): readonly string[] {
    const side = isAsked ? 'asked' : 'answered';
    let at = this.#toCome[side];
    const texts: string[] = [];
    while (at < bytes) {
      const found = this.#next(isAsked, known.subarray(at), bytes - at);
      if (found === null) {
        texts.push(`${bytes - at} bytes that are not read`);
        at = bytes;
        break;
      }
      texts.push(found.text);
      at += found.length;
    }
    this.#toCome[side] = at - bytes;
    return folded(texts);
  }

  #next(
    isAsked: boolean,
    known: Buffer,
    bytes: number,
  ): { readonly text: string; readonly length: number } | null {
    if (isAsked && this.#isOpening) {
      const opening = openingOf(known);
      if (opening === null) return null;
      const length = known.readInt32BE(0);
      this.#isOpening = opening !== 'Startup';
      return { text: messageText(opening, known.subarray(OPENING, length)), length };
    }
    if (!isAsked && this.#isOpening && bytes === 1)
      return { text: known[0] === 0x53 ? 'encryption accepted' : 'encryption refused', length: 1 };
    if (known.length < HEAD) return null;
    const name = messageName(known.toString('latin1', 0, 1), isAsked);
    const length = known.readInt32BE(1);
    if (name === null || length < 4 || length > LONGEST) return null;
    return { text: messageText(name, known.subarray(HEAD, 1 + length)), length: 1 + length };
  }
}

function openingOf(known: Buffer): string | null {
  if (known.length < OPENING) return null;
  const length = known.readInt32BE(0);
  return length < OPENING || length > 10_000 ? null : openingName(known.readInt32BE(4));
}

/** "DataRow ×3". */
function folded(texts: readonly string[]): readonly string[] {
  const out: { text: string; times: number }[] = [];
  for (const text of texts) {
    const last = out.at(-1);
    if (last?.text === text) last.times++;
    else out.push({ text, times: 1 });
  }
  const shown = out
    .slice(0, MOST_MESSAGES)
    .map((one) => `${one.text}${one.times > 1 ? ` ×${one.times}` : ''}`);
  return out.length > MOST_MESSAGES ? [...shown, `${out.length - MOST_MESSAGES} more`] : shown;
}
