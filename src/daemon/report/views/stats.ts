import type { StatsResult, StatsRow } from '../../../model/questions/statsResult.ts';
import { assemble, type Item } from '../answers/assemble.ts';
import type { Rendered } from '../answers/budget.ts';
import { escaped } from '../../../base/visible.ts';
import { whyNoCalls, type Emptiness } from './emptiness.ts';
import { shortNames, shortType } from '../text/nameText.ts';
import { chosen, nextLines, type NextStep } from '../answers/nextSteps.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { place } from '../text/placeText.ts';
import { query, sceneLines, sceneTwin, withMoreRoom, type Scene } from '../answers/scene.ts';
import { duration } from '../text/timeText.ts';

/** Numbers per function, thread or caller, as aligned columns. */
export function renderStats(
  scene: Scene,
  result: StatsResult,
  extra: {
    readonly emptiness: Emptiness | null;
    /** What the calls of a row had, by its number: what is asked for with `show`. */
    readonly shown?: ReadonlyMap<number, string> | undefined;
  },
  room: number,
): Rendered & { readonly shown: number } {
  const empty =
    result.rows.length === 0 && extra.emptiness ? whyNoCalls(scene, extra.emptiness) : null;
  const steps = chosen(empty ? empty.steps : statsSteps(scene, result), room, scene);
  const notes = result.complete
    ? []
    : [
        'The time limit ended the count: these figures are lower bounds. Narrow it with timeFrom, timeTo or function.',
      ];
  const { head, items } = statsItems(scene, result.rows, extra.shown);
  const wanted = scene.request['sortBy'];
  const sorted = typeof wanted === 'string' ? wanted : 'total';
  return assemble(room, items, {
    keep: 'first',
    before: (shown) => [
      ...sceneLines(scene),
      ...notes.map((note) => `! ${escaped(note)}`),
      ...(empty
        ? empty.lines
        : [
            `${grouped(shown.count)} of ${counted(result.groups, groupWord(scene))} by ${sorted}; ${sourceText[result.source]}:`,
            head,
          ]),
    ],
    after: (shown) => [...moreGroups(scene, result, shown.count), ...nextLines(steps)],
    structured: (twins, shown) => ({
      view: 'stats',
      ...sceneTwin(
        scene,
        {
          pids: pidsOf(scene),
          total: result.groups,
          totalIsExact: result.complete,
          hasMore: shown.count < result.groups,
          cursor: null,
        },
        { steps, room, notes: [...notes, ...(empty?.lines ?? [])] },
      ),
      source: result.source,
      rows: twins,
    }),
  });
}

function moreGroups(scene: Scene, { rows, groups }: StatsResult, shown: number): string[] {
  if (shown >= groups) return [];
  const lacks = { tokens: shown < groups, rows: rows.length < groups };
  const narrower = 'narrow it with function, sourceFile or thread, or ask SQL for the rest.';
  return [`… ${grouped(groups - shown)} more: ${withMoreRoom(scene, lacks, narrower)}`];
}

const sourceText = {
  counters: 'exact counters of the whole session',
  scan: 'counted over the stored calls that fit',
} as const;

function groupWord(scene: Scene): string {
  const by = scene.request['groupBy'];
  return by === 'thread' || by === 'caller' ? by : 'function';
}

function pidsOf(scene: Scene): readonly number[] {
  return scene.summary.threads.pids;
}

interface Column {
  readonly title: string;
  readonly of: (row: StatsRow) => string;
}

const columns: readonly Column[] = [
  { title: 'calls', of: (row) => grouped(row.count) },
  { title: 'total', of: (row) => duration(row.totalNs) },
  { title: 'self', of: (row) => duration(row.selfNs) },
  { title: 'mean', of: (row) => duration(row.meanNs) },
  { title: 'p50', of: (row) => duration(row.p50Ns) },
  { title: 'p95', of: (row) => duration(row.p95Ns) },
  { title: 'p99', of: (row) => duration(row.p99Ns) },
  { title: 'max', of: (row) => duration(row.maxNs) },
];

const suspended: Column = {
  title: 'suspended',
  of: ({ suspendedNs }) => (suspendedNs === undefined ? '' : duration(suspendedNs)),
};

/** Number of calls from which that percentile differs from the longest. */
const callsFor = { p95: 20, p99: 100 } as const;

/**
 * What was suspended has a column where anything was. Means (the total by the calls) and percentiles that are the longest have none,
 * unless the rows are in their order.
 */
function columnsFor(rows: readonly StatsRow[], sortBy: unknown): readonly Column[] {
  const most = Math.max(...rows.map(({ count }) => count));
  const isShown = ({ title }: Column): boolean =>
    title === sortBy ||
    (title !== 'mean' &&
      (title !== 'p95' || most >= callsFor.p95) &&
      (title !== 'p99' || most >= callsFor.p99));
  const waited = rows.some(({ suspendedNs }) => suspendedNs !== undefined);
  const all = waited ? [...columns.slice(0, 3), suspended, ...columns.slice(3)] : columns;
  return all.filter(isShown);
}

function statsItems(
  scene: Scene,
  rows: readonly StatsRow[],
  shown: ReadonlyMap<number, string> | undefined,
): { readonly head: string; readonly items: Item[] } {
  const shortName = scene.verbose
    ? (name: string) => name
    : shortNames(rows.map((row) => row.function ?? row.key));
  const all = columnsFor(rows, scene.request['sortBy']);
  const cells = rows.map((row) => all.map((column) => column.of(row)));
  const widths = all.map((column, at) =>
    Math.max(column.title.length, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  const aligned = (row: readonly string[]): string =>
    row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ');
  const overloads = overloadTexts(rows);
  const items = rows.map((row, at) => {
    const where = place(row.file, row.line, scene.session.projectRoot);
    const values = shown?.get(row.number);
    const name = `${escaped(shortName(row.function ?? row.key))}${escaped(overloads(row))}`;
    return {
      text: `${aligned(cells[at] ?? [])}  ${name}${oddText(row)}${where === '' ? '' : `  ${where}`}${values === undefined ? '' : `  ${values}`}`,
      twin: {
        ...rowTwin(row, where, scene.verbose),
        ...(values === undefined ? {} : { shown: values }),
      },
    };
  });
  return { head: `${aligned(all.map((column) => column.title))}  ${groupWord(scene)}`, items };
}

/** The parameters of functions that share their name with another row. */
function overloadTexts(rows: readonly StatsRow[]): (row: StatsRow) => string {
  const times = new Map<string, number>();
  for (const { function: name } of rows)
    if (name !== null) times.set(name, (times.get(name) ?? 0) + 1);
  return ({ key, function: name }) => {
    if (name === null || (times.get(name) ?? 0) < 2) return '';
    const from = key.indexOf('(', key.startsWith(name) ? name.length : 0);
    return from < 0 ? '' : shortType(key.slice(from));
  };
}

function oddText(row: StatsRow): string {
  const parts: string[] = [];
  if (row.unwound > 0) parts.push(`✗ ${grouped(row.unwound)} unwound`);
  if (row.open > 0) parts.push(`… ${grouped(row.open)} not returned`);
  return parts.length > 0 ? `  ${parts.join(', ')}` : '';
}

function rowTwin(row: StatsRow, where: string, verbose: boolean): Record<string, unknown> {
  return {
    key: row.key,
    ...(row.function !== null && row.function !== row.key ? { function: row.function } : {}),
    ...(where === '' ? {} : { place: where }),
    count: row.count,
    ...(row.unwound > 0 || verbose ? { unwound: row.unwound } : {}),
    ...(row.open > 0 || verbose ? { open: row.open } : {}),
    totalNs: Math.round(row.totalNs),
    selfNs: Math.round(row.selfNs),
    meanNs: Math.round(row.meanNs),
    ...(verbose ? { minNs: Math.round(row.minNs) } : {}),
    p50Ns: Math.round(row.p50Ns),
    p95Ns: Math.round(row.p95Ns),
    p99Ns: Math.round(row.p99Ns),
    maxNs: Math.round(row.maxNs),
    ...(row.suspendedNs === undefined ? {} : { suspendedNs: Math.round(row.suspendedNs) }),
  };
}

function statsSteps(scene: Scene, result: StatsResult): NextStep[] {
  const steps: NextStep[] = [];
  const failing = result.rows.find((row) => row.unwound > 0 && row.function !== null);
  if (failing?.function) {
    steps.push(
      query(
        scene,
        { view: 'tree', root: failing.function },
        'calls an exception left, with arguments',
      ),
    );
  }
  const hanging = result.rows.find((row) => row.open > 0 && row.function !== null);
  if (hanging?.function) {
    steps.push(
      query(scene, { view: 'tree', root: hanging.function }, 'the calls that have not returned'),
    );
  }
  const uneven = result.rows.find(
    (row) => row.function !== null && row.count >= 20 && row.maxNs > 20 * Math.max(1, row.p50Ns),
  );
  if (uneven?.function) {
    steps.push(
      query(
        scene,
        {
          view: 'events',
          function: { equals: uneven.function },
          minDurationNs: Math.floor(Math.max(uneven.p99Ns, uneven.maxNs / 4)),
        },
        'its slowest calls with their arguments',
      ),
    );
  }
  const [top] = result.rows;
  if (top?.function)
    steps.push(query(scene, { view: 'tree', root: top.function }, 'inside the first function'));
  steps.push(query(scene, { view: 'tree' }, 'who calls whom'));
  return steps;
}
