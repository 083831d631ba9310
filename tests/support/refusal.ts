import { StrobeError } from '../../src/model/errors.ts';

/** `CODE: message` and its hint, of a work that must fail with a StrobeError. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof StrobeError) return error.text;
  throw error;
}
