/** The text with control characters as C escapes, never longer than one line. */
export function escaped(text: string, quote = ''): string {
  let out = '';
  for (const character of text) {
    const isQuoted = quote !== '' && (character === quote || character === '\\');
    out += isQuoted ? `\\${character}` : escape(character);
  }
  return out;
}

/** A line of source with two blanks for a tab. */
export function sourceText(line: string): string {
  return line.replaceAll('\t', '  ');
}

const named = new Map([
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\r', '\\r'],
  ['\0', '\\0'],
]);

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) {
    return named.get(character) ?? `\\x${code.toString(16).padStart(2, '0')}`;
  }
  return (code >= 0x80 && code < 0xa0) || isInvisible(code)
    ? `\\u{${code.toString(16)}}`
    : character;
}

/** Line separators, directional marks and lone surrogates would change how the line reads. */
function isInvisible(code: number): boolean {
  return (
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    code === 0xfeff
  );
}

/**
 * A text of several lines that nothing in it can act on: what would move a terminal's cursor,
 * change its state or the direction of reading is shown as `\\u001b`, which JSON reads back as it
 * was. Line feeds and tabs stay.
 */
export function inert(text: string): string {
  return text.replace(
    // C0 but for tab and line feed, DEL and C1; marks of direction; line separators.
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
