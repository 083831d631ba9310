import { StrobeError } from '../../model/errors.ts';
import { parseCallId, type SessionNs } from '../../model/ids.ts';
import type { ArgumentFilter, CallFilter } from '../../model/questions/query.ts';
import { timePoint } from '../../model/questions/timePoint.ts';
import type { DebugQueryInput } from '../../protocol/tools/debugQuery.ts';
import type { DebugSessionInput } from '../../protocol/tools/debugSession.ts';

export type QueryInput<View extends DebugQueryInput['view']> = Extract<
  DebugQueryInput,
  { view: View }
>;

/** debug_session export asks for calls as views do. */
export type ExportInput = Extract<DebugSessionInput, { action: 'export' }>;

/** Absolute bounds; `end` is what `-5s` counts back from. */
export function timeRange(
  input: Pick<QueryInput<'events'>, 'timeFrom' | 'timeTo'>,
  end: SessionNs,
): { readonly from: SessionNs | null; readonly to: SessionNs | null } {
  const from = bound('timeFrom', input.timeFrom, end);
  const to = bound('timeTo', input.timeTo, end);
  if (from !== null && to !== null && from > to) {
    throw new StrobeError(
      'BAD_PARAMETER',
      `timeFrom (${from} ns) is after timeTo (${to} ns).`,
      'Exchange them.',
    );
  }
  return { from, to };
}

function bound(
  name: string,
  wanted: number | string | undefined,
  end: SessionNs,
): SessionNs | null {
  if (wanted === undefined) return null;
  const time = timePoint(wanted, end);
  if (time !== null) return time;
  throw new StrobeError(
    'BAD_PARAMETER',
    `${name} cannot be read: ${JSON.stringify(wanted)}.`,
    'Give nanoseconds or "3s" since the session began, or "-5s", "-500ms", "-1m" back from now.',
  );
}

/** What is compared on one side of a diff. */
export function diffFilter(
  { function: fn, sourceFile, threadName, pid }: QueryInput<'diff'>,
  range: ReturnType<typeof timeRange>,
): CallFilter {
  return {
    ...(fn ? { function: fn } : {}),
    ...(sourceFile ? { sourceFile } : {}),
    ...(threadName ? { threadName } : {}),
    ...(pid === undefined ? {} : { pid }),
    ...(range.from === null ? {} : { timeFrom: range.from }),
    ...(range.to === null ? {} : { timeTo: range.to }),
  };
}

/** What the views that are about calls have in common. */
export function callFilter(
  input: QueryInput<'events' | 'tree' | 'stats'> | ExportInput,
  end: SessionNs,
  ofTest: CallFilter,
): CallFilter {
  const range = timeRange(input, end);
  return narrowed(ofTest, {
    ...(input.function ? { function: input.function } : {}),
    ...(input.sourceFile ? { sourceFile: input.sourceFile } : {}),
    ...(input.returnValue ? { returnValue: input.returnValue } : {}),
    ...(input.argument ? { argument: input.argument.map(byIndex) } : {}),
    ...(input.where === undefined ? {} : { where: input.where }),
    ...(input.watched ? { watched: input.watched } : {}),
    ...(input.minDurationNs === undefined ? {} : { minDurationNs: input.minDurationNs }),
    ...(input.text === undefined ? {} : { text: input.text }),
    ...(input.within === undefined ? {} : { within: input.within }),
    ...(input.parent === undefined ? {} : { parent: input.parent }),
    ...(input.pid === undefined ? {} : { pid: input.pid }),
    ...(range.from === null ? {} : { timeFrom: range.from }),
    ...(range.to === null ? {} : { timeTo: range.to }),
    ...('lines' in input && input.lines ? { lines: true as const } : {}),
    ...threadFilter(input),
  });
}

/** `args[0]` is the argument with index 0. */
function byIndex(filter: ArgumentFilter): ArgumentFilter {
  const [, index] = /^args\[(\d{1,3})\]$/.exec(filter.name ?? '') ?? [];
  if (index === undefined) return filter;
  const { name: _name, ...rest } = filter;
  return { ...rest, index: Number(index) };
}

const ofEachEvent: readonly string[] = ['pid', 'text', 'timeFrom', 'timeTo'];
const besideCalls = ['stdout', 'stderr', 'process', 'exception', 'crash'] as const;

/** What an answer says of events that were asked for by their type and that a filter of calls keeps out. */
export function keptOutNotes(
  { eventType, threadName }: QueryInput<'events'>,
  filter: CallFilter,
): readonly string[] {
  const types = besideCalls.filter((type) => eventType?.includes(type));
  const filters = Object.keys(filter).filter((name) => !ofEachEvent.includes(name));
  if (types.length === 0 || filters.length === 0) return [];
  const named = filters.map((name) => (name === 'threadName' && !threadName ? 'test' : name));
  return [
    `${named.join(', ')} ${named.length === 1 ? 'filters' : 'filter'} calls only, so ${types.join(', ')} events are left out; drop ${named.length === 1 ? 'it' : 'them'} to see those.`,
  ];
}

/** Both hold: the later beginning, the earlier end. */
function narrowed(ofTest: CallFilter, asked: CallFilter): CallFilter {
  for (const name of ['pid', 'threadName'] as const)
    if (ofTest[name] !== undefined && asked[name] !== undefined)
      throw new StrobeError('BAD_PARAMETER', `test says the ${name} already: leave ${name} out.`);
  const from = Math.max(ofTest.timeFrom ?? 0, asked.timeFrom ?? 0);
  const to = Math.min(
    ofTest.timeTo ?? Number.MAX_SAFE_INTEGER,
    asked.timeTo ?? Number.MAX_SAFE_INTEGER,
  );
  return {
    ...ofTest,
    ...asked,
    ...(from > 0 ? { timeFrom: from } : {}),
    ...(to < Number.MAX_SAFE_INTEGER ? { timeTo: to } : {}),
  };
}

function threadFilter(
  input: QueryInput<'events' | 'tree' | 'stats'> | ExportInput,
): Pick<CallFilter, 'threadId' | 'threadName'> {
  if ('view' in input && input.view === 'tree') {
    if (input.thread === undefined) return {};
    return typeof input.thread === 'number'
      ? { threadId: input.thread }
      : { threadName: { equals: input.thread } };
  }
  return {
    ...(input.threadId === undefined ? {} : { threadId: input.threadId }),
    ...(input.threadName ? { threadName: input.threadName } : {}),
  };
}

/** The function the request names in some way, for suggestions; null when it names none. */
export function wantedFunction(input: DebugQueryInput): string | null {
  const { view } = input;
  if (view === 'output' || view === 'crash' || view === 'sql' || view === 'changes') return null;
  const root = input.view === 'tree' ? input.root : undefined;
  if (root !== undefined && parseCallId(root) === null) return root;
  const { equals, contains, pattern, matches } = input.function ?? {};
  return equals ?? contains ?? pattern ?? matches ?? null;
}

/** Values a client need not send. */
const defaults: Readonly<Record<string, unknown>> = {
  budget: 2000,
  limit: 50,
  order: 'time',
  verbose: false,
  maxDepth: 12,
  selfTime: false,
  overwrite: false,
  sortBy: 'total',
  groupBy: 'function',
};

/** The request as it can be sent again: the session named, defaults and the cursor left out. */
export function repeatable(
  input: DebugQueryInput | ExportInput,
  sessionId: string,
): Record<string, unknown> {
  const rest = Object.entries(input).filter(
    ([name, value]) =>
      name !== 'cursor' && name !== 'sessionId' && value !== undefined && defaults[name] !== value,
  );
  return { sessionId, ...Object.fromEntries(rest) };
}
