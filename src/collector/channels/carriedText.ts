import { escaped } from '../../base/visible.ts';
import { characters } from '../../model/decoding/textValues.ts';

const MOST_CHARACTERS = 300;
const MOST_BYTES = 32;

/** Bytes in one line: the beginning of a text in quotes, or of what is none in hexadecimal, and how many there are. */
export function carriedText(bytes: Buffer): string {
  const value = characters(bytes, 1, false);
  const count = `${bytes.length} byte${bytes.length === 1 ? '' : 's'}`;
  if (value.kind !== 'string' || value.binary !== undefined) {
    const pairs = bytes.subarray(0, MOST_BYTES).toString('hex').match(/../g) ?? [];
    return `${count} <binary: ${pairs.join(' ')}${bytes.length > MOST_BYTES ? ' …' : ''}>`;
  }
  const shown = value.text.slice(0, MOST_CHARACTERS);
  return `${count} "${escaped(shown, '"')}"${shown === value.text ? '' : '…'}`;
}
