import { monotonicMs } from '../../base/clock.ts';
import { member } from '../messages.ts';

/** The longest that one call waits (protocol/tools/debugContinue.ts). */
const longestMs = 50_000;

/** Asks again for the next stop while the program runs and none came, for so long in all. Answers with the last answer. */
export async function untilStopped(
  ask: (timeoutMs: number) => Promise<unknown>,
  forMs: number,
): Promise<unknown> {
  const end = monotonicMs() + forMs;
  for (;;) {
    const leftMs = Math.max(0, Math.round(end - monotonicMs()));
    const answer = await ask(Math.min(longestMs, leftMs));
    if (!isRunning(answer) || leftMs <= longestMs) return answer;
  }
}

function isRunning(answer: unknown): boolean {
  const structured = member(answer, 'structuredContent');
  const stops = member(structured, 'stops');
  return member(structured, 'state') === 'running' && Array.isArray(stops) && stops.length === 0;
}
