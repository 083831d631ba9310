import type { StopView } from '../../model/debug/stop.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';

export function notStopped(tid?: number): StrobeError {
  const who = tid === undefined ? 'No thread' : `Thread ${tid}`;
  return new StrobeError('NOT_STOPPED', `${who} is ${tid === undefined ? '' : 'not '}stopped.`);
}

/** `present`: ids of the stops that stand now, the newest first. */
export function unknownStop(id: string, present: readonly string[]): StrobeError {
  return new StrobeError('NOT_STOPPED', `There is no stop ${id}.`, presentHint(present));
}

/** As `unknownStop`, of one that was left. */
export function staleStop(
  { id, left }: Pick<StopView, 'id' | 'left'>,
  now: SessionNs,
  present: readonly string[],
): StrobeError {
  const ago = left === null ? 0 : (now - left.at) / 1e9;
  const said = `${id} was left ${ago.toFixed(1)} s ago: ${left?.how ?? ''}.`;
  return new StrobeError('STALE_STOP', said, presentHint(present));
}

function presentHint(present: readonly string[]): string {
  const [first] = present;
  return first === undefined
    ? 'Nothing is stopped now: debug_continue {"action":"wait"} waits for the next stop.'
    : `Stopped now: ${present.join(', ')}. Use debug_inspect {"stop":"${first}"}.`;
}

/** `stopped`: ids of those whose threads stand still; none: a thread steps. */
export function notEntered(stopped: readonly string[]): StrobeError {
  const who = stopped.length > 0 ? `threads are stopped (${stopped.join(', ')})` : 'one steps';
  return new StrobeError(
    'ALREADY_OBSERVED',
    `Tracing has not entered the program yet, and cannot while ${who}.`,
    'Let them run: debug_continue {"action":"continue"}; then repeat this. Breakpoints that stop can be set now.',
  );
}
