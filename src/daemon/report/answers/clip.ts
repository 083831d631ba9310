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

/** As `shortened`, but what begins at `at` (in UTF-16 units) is in it: `(1200+)…part…(+300)`. */
export function excerpt(text: string, most: number, at: number): string {
  if (text.length <= most || at < most * 0.75) return shortened(text, most);
  const begin = text.slice(0, at - Math.floor(most / 4));
  // A character of two units is not cut.
  const from = isHighSurrogate(begin.charCodeAt(begin.length - 1))
    ? begin.length - 1
    : begin.length;
  const left = clipped(text.slice(0, from), 0).left;
  return `(${left}+)…${shortened(text.slice(from), most)}`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
