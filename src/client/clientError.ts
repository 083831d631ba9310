import type { ErrorCode } from '../model/errors.ts';
import { manifest } from './manifest.ts';
import { shellLine } from './shellWords.ts';

/** The word of a command line that is wrong, and the words to write instead. */
export interface Correction {
  readonly wrong: string;
  readonly right: readonly string[];
}

/** A failure of the client itself; errors of the daemon come as answers. */
export class ClientError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly correction: Correction | null;

  constructor(code: ErrorCode, message: string, hint?: string, correction?: Correction) {
    super(message);
    this.name = 'ClientError';
    this.code = code;
    this.hint = hint ?? manifest.errors[code]?.hint ?? '';
    this.correction = correction ?? null;
  }

  get text(): string {
    return `${this.code}: ${this.message}\nNext: ${this.hint}`;
  }
}

/** The same failure with the corrected command line as its next step, ready to paste. */
export function withCorrectedLine(error: unknown, words: readonly string[]): unknown {
  if (!(error instanceof ClientError) || error.correction === null) return error;
  const { wrong, right } = error.correction;
  const line = shellLine(['strobe', ...replaced(words, wrong, right)]);
  return new ClientError(error.code, error.message, line);
}

/** The wrong word alone, as the name in `--name=value`, or as its value. */
function replaced(words: readonly string[], wrong: string, right: readonly string[]): string[] {
  const at = words.findIndex((word) => word.split('=').includes(wrong));
  const word = words[at];
  if (word === undefined) return [...words, ...right];
  if (word === wrong) return words.toSpliced(at, 1, ...right);
  const parts = word.split('=').map((part) => (part === wrong ? right.join(' ') : part));
  return words.toSpliced(at, 1, parts.join('='));
}
