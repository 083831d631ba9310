import { errors, StrobeError } from '../../model/errors.ts';
import type { ToolAnswer } from '../tools/handler.ts';

/**
 * A failed request as a tool result (to be sent with `isError`). Anything that is not a
 * StrobeError is a fault of ours: the client gets `reference`, the log has the rest.
 */
export function renderError(error: unknown, reference: string): ToolAnswer {
  const known =
    error instanceof StrobeError
      ? error
      : new StrobeError(
          'INTERNAL',
          `Something in Strobe itself went wrong (reference ${reference}).`,
        );
  return {
    text: known.text,
    structured: {
      error: {
        code: known.code,
        kind: known.kind,
        message: known.message,
        hint: known.hint,
        retryable: errors[known.code].retryable,
      },
    },
  };
}
