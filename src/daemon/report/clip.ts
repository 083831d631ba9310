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
