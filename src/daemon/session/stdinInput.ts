import { StrobeError } from '../../model/errors.ts';
import type { OutputMark } from '../../model/questions/query.ts';
import type { LiveSession } from './liveSession.ts';
import { markOf } from './wait.ts';

/** Writes to the stdin or terminal of a program; where its output stood before. Throws STDIN_CLOSED. */
export async function writeStdin(
  session: LiveSession,
  bytes: Uint8Array,
  eof: boolean,
): Promise<OutputMark> {
  if (session.facts.isAttached) {
    throw new StrobeError(
      'STDIN_CLOSED',
      `The input of process ${session.pid} is not ours: it was attached to.`,
      'Write to it where it was started.',
    );
  }
  if (session.facts.stdin === 'closed') {
    throw new StrobeError(
      'STDIN_CLOSED',
      `Session ${session.facts.id} was launched without open stdin.`,
    );
  }
  const settled = await session.settle();
  const from = markOf(settled ?? { until: 0, summary: null });
  await session.input.write(bytes, { eof, from });
  return from;
}
