import type { RaisedException } from '../../model/endings/exception.ts';
import type { EventsQuery, CallView } from '../../model/questions/query.ts';
import type { TreeNode, TreeResult } from '../../model/questions/treeResult.ts';
import { shownVarying, withShown } from '../../model/questions/shownValues.ts';
import type { Queries } from '../queries.ts';
import { shortType } from '../report/text/nameText.ts';

/** Exceptions that are looked through. */
const MOST = 500;
const DEADLINE_MS = 1000;

/** Says of calls which exception left them. */
export type NamedExceptions = (call: CallView) => CallView;

/** What names the exceptions of an answer's calls; asks for them only where one was left by one that is not known. */
export async function namedExceptions(
  queries: Queries,
  storePath: string,
  until: EventsQuery['until'],
  calls: readonly CallView[],
): Promise<NamedExceptions> {
  const unnamed = calls.filter(isUnnamed);
  if (unnamed.length === 0) return (call) => call;
  const begin = Math.min(...unnamed.map(({ time }) => time));
  const end = Math.max(...unnamed.map((call) => call.time + (call.durationNs ?? 0)));
  const page = await queries.ask('events', storePath, {
    filter: { timeFrom: begin, timeTo: end },
    eventTypes: ['exception'],
    order: 'time',
    limit: MOST,
    cursor: null,
    until,
    deadlineMs: DEADLINE_MS,
  });
  const raised = page.events.flatMap((event) =>
    event.type === 'exception' ? [event.exception] : [],
  );
  return (call) => {
    const exception = isUnnamed(call) ? thatLeft(raised, call) : undefined;
    return exception
      ? { ...call, exception: { kind: 'word', text: exceptionText(exception) } }
      : call;
  };
}

/** The same for all calls of a tree; `show`: the values that are asked for. */
export function withExceptions(
  result: TreeResult,
  named: NamedExceptions,
  show?: readonly string[],
): TreeResult {
  const inNode = (node: TreeNode): TreeNode => ({
    ...node,
    call: show ? withShown(named(node.call), show) : named(node.call),
    varying: show ? shownVarying(node.call, node.varying, show) : node.varying,
    children: node.children.map(inNode),
  });
  const threads = result.threads.map((thread) => ({ ...thread, roots: thread.roots.map(inNode) }));
  return { ...result, threads };
}

/** The calls of a tree's lines. */
export function callsInTree({ threads }: TreeResult): CallView[] {
  const inNode = ({ call, children }: TreeNode): CallView[] => [call, ...children.flatMap(inNode)];
  return threads.flatMap(({ roots }) => roots.flatMap(inNode));
}

function isUnnamed({ end, exception }: CallView): boolean {
  return end === 'unwound' && exception === undefined;
}

/** The last one that its thread raised while the call ran. */
function thatLeft(raised: readonly RaisedException[], call: CallView): RaisedException | undefined {
  const end = call.time + (call.durationNs ?? 0);
  return raised.findLast(
    ({ pid, tid, time }) =>
      pid === call.pid && tid === call.tid && time >= call.time && time <= end,
  );
}

function exceptionText({ type, message, language }: RaisedException): string {
  const named = type === null ? null : shortType(type);
  const what = named ?? (language === 'Rust' ? 'a panic' : 'an exception');
  return message === null ? what : `${what} ${JSON.stringify(message)}`;
}
