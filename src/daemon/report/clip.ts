/** The text with control characters as C escapes, never longer than one line. */
export function escaped(text: string, quote = ''): string {
  let out = '';
  for (const character of text) {
    const isQuoted = quote !== '' && (character === quote || character === '\\');
    out += isQuoted ? `\\${character}` : visible(character);
  }
  return out;
}

const named = new Map([
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\r', '\\r'],
  ['\0', '\\0'],
]);

function visible(character: string): string {
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

/** The first `most` characters (code points) and how many were left out. */
export function clipped(
  text: string,
  most: number,
): { readonly text: string; readonly left: number } {
  if (text.length <= most) return { text, left: 0 };
  let end = 0;
  let characters = 0;
  for (const character of text) {
    if (characters < most) end += character.length;
    characters += 1;
  }
  return { text: text.slice(0, end), left: Math.max(0, characters - most) };
}

/** As `clipped`, in one text: `begin…(+1200)`. */
export function shortened(text: string, most: number): string {
  const { text: start, left } = clipped(text, most);
  return left === 0 ? start : `${start}…(+${left})`;
}
