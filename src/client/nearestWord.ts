import { nearest } from '../base/nearest.ts';
import type { Correction } from './clientError.ts';

/** The word that was probably meant: as a question behind a message, and as a correction of the command line. */
export function nearestWord(
  wrong: string,
  known: readonly string[],
  prefix = '',
): { readonly question: string; readonly correction: Correction | undefined } {
  const [close] = nearest(wrong, known);
  if (close === undefined) return { question: '', correction: undefined };
  const right = `${prefix}${close}`;
  return {
    question: ` Did you mean ${prefix === '' ? `"${right}"` : right}?`,
    correction: { wrong: `${prefix}${wrong}`, right: [right] },
  };
}
