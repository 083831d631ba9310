import { StrobeError, type ErrorCode } from './errors.ts';

/** An error as it crosses to another thread or process. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

export type Reply<Answer> =
  { readonly ok: true; readonly answer: Answer } | ({ readonly ok: false } & Failure);

/** Anything that was thrown; a fault of ours with its stack. */
export function failureOf(error: unknown): Failure {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const known = error instanceof StrobeError ? error : new StrobeError('INTERNAL', detail);
  return { code: known.code, message: known.message, hint: known.hint };
}

/** The answer in a reply; throws its failure. */
export function answerIn<Answer>(reply: Reply<Answer>): Answer {
  if (reply.ok) return reply.answer;
  throw new StrobeError(reply.code, reply.message, reply.hint);
}
