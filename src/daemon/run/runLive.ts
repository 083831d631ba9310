import type { DebugQueryInput } from '../../protocol/tools/debugQuery.ts';
import type { RunLive } from '../../protocol/runCommand.ts';
import { grouped } from '../report/text/groupedNumber.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { RequestContext } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';

/** A person cannot read faster. */
const TURN_MS = 200;
/** What is read in one page, and shown of one turn: more is only counted. */
const PAGE = 500;
const UNLIMITED = 1_000_000;

type Ask = (input: DebugQueryInput) => Promise<ToolAnswer>;

/** What happened in a run since `after`, a line each; waits a moment for more. */
export async function runLive(
  session: LiveSession,
  ask: Ask,
  after: number,
  { signal }: RequestContext,
): Promise<RunLive> {
  if (!session.isFinished) await session.changes.until(() => session.isFinished, TURN_MS);
  if (signal.aborted) return { lines: [], upTo: after, isOver: true };
  const isOver = session.isFinished;
  const settled = await session.settle();
  const upTo = settled
    ? Math.min(settled.until, settled.summary.indexedTo)
    : Number.MAX_SAFE_INTEGER;
  if (upTo <= after || (settled && settled.summary.indexedTo === 0))
    return { lines: [], upTo: after, isOver };
  const { text, structured } = await ask({
    view: 'events',
    sessionId: session.facts.id,
    eventType: ['function_enter', 'function_exit', 'exception', 'crash'],
    timeFrom: after + 1,
    timeTo: upTo,
    order: 'time',
    limit: PAGE,
    verbose: true,
    budget: UNLIMITED,
  });
  return { lines: eventLines(text, structured), upTo, isOver };
}

/** The lines of events, and how many there are no lines of. */
function eventLines(text: string, structured: object): string[] {
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('+'))
    .map((line) => line.replace(/ {2}_Z\w+(?= {2}\[)/, '').replace(/ {2}\[c\d+\.\d+\]$/, ''));
  const total = 'totalCount' in structured ? Number(structured.totalCount) : lines.length;
  const more = total - lines.length;
  return more > 0 ? [...lines, `… ${grouped(more)} more until here, too many to show`] : lines;
}
