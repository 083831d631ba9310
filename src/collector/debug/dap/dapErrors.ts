import { StrobeError } from '../../../model/errors.ts';

export function notStopped(tid: number): StrobeError {
  return new StrobeError('NOT_STOPPED', `Thread ${tid} is not stopped.`);
}

/** What an error says, with what to do where it has that. */
export function wholeReason(error: unknown): string {
  if (error instanceof StrobeError) return `${error.message} ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
