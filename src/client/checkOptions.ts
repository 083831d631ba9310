import { nearest } from '../base/nearest.ts';
import { ClientError } from './clientError.ts';

/** Throws UNKNOWN_PARAMETER for a word that is none of the options a command takes. */
export function checkOptions(
  command: string,
  words: readonly string[],
  known: readonly string[],
): void {
  const wrong = words.find((word) => !known.includes(word));
  if (wrong === undefined) return;
  const [close] = nearest(wrong, known);
  const question = close === undefined ? '' : ` Did you mean "${close}"?`;
  throw new ClientError(
    'UNKNOWN_PARAMETER',
    `${wrong} is not an option of strobe ${command}.${question}`,
    `strobe ${command} --help shows what there is.`,
  );
}
