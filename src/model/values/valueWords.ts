import type { Strand } from '../questions/query.ts';

/** Of what its parts say of each other that they do not fit together. */
export const tornWords = 'torn: it changed while it was copied';

/** What stands for the elements of a value that are not shown, and for what does not fit together. */
export function restWords(
  { total, torn }: { readonly total: number; readonly torn?: boolean },
  shown: number,
): string[] {
  const left = total - shown;
  return [...(left > 0 ? [`…(+${left})`] : []), ...(torn ? [`<${tornWords}>`] : [])];
}

/** Says why, so that nobody takes it for the program's own text. */
export function redactedWords(word: string): string {
  return `<redacted: named "${word}">`;
}

export function circularWords(address: string): string {
  return `<circular ref to ${address}>`;
}

/** Elements as a list, or as what their type writes around them. */
export function bracketed(elements: string, [open, close]: '[]' | '()' | '{}' = '[]'): string {
  return `${open}${elements}${close}`;
}

/** `task fetch-2`. */
export function strandText({ kind, name }: Pick<Strand, 'kind' | 'name'>): string {
  return `${kind ?? 'strand'} ${name}`;
}
