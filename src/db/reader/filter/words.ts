/**
 * Full text as the store understands it: a text fits when each word of the question begins one
 * of its words, whatever the case. Words are runs of letters and digits, as FTS5's unicode61
 * tokenizer cuts them.
 */
const word = /[\p{L}\p{N}\p{Co}]+/gu;

export function wordsOf(text: string): string[] {
  return (text.match(word) ?? []).map((found) => found.toLowerCase());
}

export function fitsWords(text: string, wanted: readonly string[]): boolean {
  const present = wordsOf(text);
  return wanted.every((start) => present.some((found) => found.startsWith(start)));
}

/** The same question for FTS5. Words hold no quotes, so they cannot be anything but words. */
export function ftsQuery(wanted: readonly string[]): string {
  return wanted.map((start) => `"${start}"*`).join(' AND ');
}
