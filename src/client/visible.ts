/**
 * Text for a terminal: what would move its cursor, change its state or the direction of reading is
 * shown as `\u001b`, which JSON reads back as it was. Line feeds and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(
    // C0 but for tab and line feed, DEL and C1; marks of direction; line separators.
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
