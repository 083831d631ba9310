import { hasEnded } from '../../../base/proc.ts';
import { StrobeError } from '../../../model/errors.ts';

export function notStopped(tid: number): StrobeError {
  return new StrobeError('NOT_STOPPED', `Thread ${tid} is not stopped.`);
}

/** `why`: a clause; `cure`: how the adapter is got, where it has not answered at all. */
export function cannotHold(
  name: string,
  pid: number,
  why: string,
  cure: string | null,
): StrobeError {
  const one = 'A process has one debugger at a time.';
  return new StrobeError(
    'CANNOT_DEBUG',
    `${name} cannot hold process ${pid}: ${why}.`,
    hasEnded(pid)
      ? 'Launch it again, so that it waits for its input or runs longer.'
      : (cure ?? `${one} Recording ("log", "capture") and tracing need none.`),
  );
}

/** What an error says, with what to do where it has that. */
export function wholeReason(error: unknown): string {
  if (error instanceof StrobeError) return `${error.message} ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
