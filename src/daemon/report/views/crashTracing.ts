import { breakpointText } from '../../../model/endings/crashLine.ts';
import type { StoredCrash, ThreadStack } from '../../../model/endings/crashReport.ts';
import type { LastCalls } from '../../../model/questions/query.ts';
import { stackRoom } from '../../../protocol/supervisor.ts';

/** Bytes that a traced call takes of the stack beside its own, at least. */
const framePerCall = 64;

/** What tracing has to do with a crash. */
export function tracingLines({
  crash,
  lastCalls,
}: {
  readonly crash: StoredCrash | null;
  readonly lastCalls: readonly LastCalls[];
}): string[] {
  if (crash === null) return [];
  const { place: at, threads, breakpoints = [] } = crash.report;
  const lines = breakpoints
    .filter(({ isCause }) => !isCause)
    .map((one) => `tracing: ${breakpointText(one)}`);
  const [thread] = threads;
  const cycle = thread?.cycle?.functions ?? [];
  const open = lastCalls.find((one) => one.thread.tid === thread?.tid)?.open ?? [];
  const traced = new Set(open.map((call) => call.function));
  const count = cycle.filter((name) => traced.has(name)).length;
  const round = roundBytes(thread, cycle.length);
  if (at.kind !== 'stackOverflow' || count === 0) return lines;
  const share = round === null ? '' : ` of the ${round} bytes that a round takes`;
  const room =
    at.stackBytes > stackRoom.bytes ? `; the stack was made ${roomText} larger for it` : '';
  return [...lines, `tracing: its frames are at least ${count * framePerCall}${share}${room}`];
}

const roomText = `${Math.floor(stackRoom.bytes / 1024 / 1024)} MB`;

/** What one round of a recursion takes of the stack; null where it is not known. */
function roundBytes(thread: ThreadStack | undefined, length: number): number | null {
  const frames = thread?.frames.filter(({ isInlined }) => !isInlined) ?? [];
  const [later, earlier] = [frames[2 * length], frames[length]];
  if (!later?.frameAddress || !earlier?.frameAddress) return null;
  return Number(BigInt(later.frameAddress) - BigInt(earlier.frameAddress));
}
