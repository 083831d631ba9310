import { ClientError } from './clientError.ts';
import { nearestWord } from './nearestWord.ts';

/** Throws UNKNOWN_PARAMETER for a word that is none of the options a command takes. */
export function checkOptions(
  command: string,
  words: readonly string[],
  known: readonly string[],
): void {
  const wrong = words.find((word) => !known.includes(word));
  if (wrong === undefined) return;
  const { question, correction } = nearestWord(wrong, known);
  throw new ClientError(
    'UNKNOWN_PARAMETER',
    `${wrong} is not an option of strobe ${command}.${question}`,
    `strobe ${command} --help shows what there is.`,
    correction,
  );
}
