import type { Binary } from '../questions/query.ts';
import type { ValueType } from '../values/valueType.ts';

/** What no text consists of: control characters that neither move the cursor nor ring, and bytes that are not UTF-8. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const strange = /[\0-\x06\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g;
/** What bytes that are not UTF-8 are read as. */
const undecoded = '\ufffd';
/** Characters of a text of which one may be strange. */
const perStrange = 4;

/**
 * Whether what was read as UTF-8 is no text: a quarter of its characters are strange, and there are bytes that are not
 * UTF-8 among them or more escapes than `most`. So a byte of another encoding in a word, and NULs between some words,
 * leave it a text. `isCut`: the last one may not be whole.
 */
export function isBinary(text: string, isCut: boolean, most: number): boolean {
  const found: string[] = text.match(strange) ?? [];
  if (isCut && text.endsWith(undecoded)) found.pop();
  const isUnreadable = found.length > most || found.includes(undecoded);
  return isUnreadable && found.length * perStrange >= text.length;
}

/** Whether nothing in it is strange. */
export function isPlainText(text: string): boolean {
  return text.search(strange) < 0;
}

/** A number without sign, or a character, of one byte: many in a row are data. */
export function isByte(type: ValueType): boolean {
  switch (type.kind) {
    case 'char':
      return type.bytes === 1;
    case 'int':
      return type.bytes === 1 && !type.signed;
    case 'enum':
      // std::byte
      return type.bytes === 1 && type.members.length === 0;
    default:
      return false;
  }
}

/** `89 50 4e`. */
export function hexPairs({ hex }: Pick<Binary, 'hex'>): string {
  return hex.replace(/..(?=.)/g, '$& ');
}
