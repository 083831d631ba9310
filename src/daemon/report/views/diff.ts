import type { SessionNs } from '../../../model/ids.ts';
import type {
  CallPair,
  DiffResult,
  DiffRow,
  ThreadDiff,
  WriteDiff,
} from '../../../model/questions/diffResult.ts';
import type { CallView } from '../../../model/questions/query.ts';
import type { SessionView } from '../../../model/session.ts';
import { assemble, type Item, type Shown } from '../answers/assemble.ts';
import type { Rendered } from '../answers/budget.ts';
import { callPlace, callText, callTwin, type CallStyle } from '../text/callText.ts';
import { escaped } from '../../../base/visible.ts';
import { sessionLine } from '../answers/header.ts';
import { chosen, nextLines, type NextStep } from '../answers/nextSteps.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { isCrashNote } from '../../../model/endings/crashLine.ts';
import {
  callStyle,
  query,
  sceneLines,
  sceneTwin,
  withMoreRoom,
  type Scene,
} from '../answers/scene.ts';
import { duration } from '../text/timeText.ts';
import { watchedText, watchedTwin } from '../text/watchText.ts';

/** What is compared with. */
export interface OtherSide {
  readonly session: SessionView;
  readonly range: { readonly from: SessionNs | null; readonly to: SessionNs | null };
}

/** So many names of functions that only one side traced. */
const NAMED = 5;

/** Where two runs begin to differ, thread by thread, then the functions that differ. */
export function renderDiff(
  scene: Scene,
  result: DiffResult,
  other: OtherSide,
  room: number,
): Rendered & { readonly shown: number } {
  const style = callStyle(scene, namesOf(result));
  const steps = chosen(diffSteps(scene, result, other), room, scene);
  const notes = [...otherCrashes(scene, other), ...diffNotes(result)];
  const named = new Map<string, number>();
  for (const { name } of result.threads)
    if (name !== '') named.set(name, (named.get(name) ?? 0) + 1);
  const items = [
    ...result.threads.map((thread) => threadItem(thread, style, named.get(thread.name) === 1)),
    ...result.writes.map(writeItem),
    ...result.rows.map((row) => rowItem(row, style)),
  ];
  const otherText = otherName(scene, other);
  return assemble(room, items, {
    keep: 'first',
    before: () => [
      ...sceneLines(scene),
      `compared with (there): ${otherText}`,
      ...notes.map((note) => `! ${escaped(note)}`),
      headline(result),
    ],
    after: (shown) => [...moreDifferences(scene, result, shown), ...nextLines(steps)],
    structured: (twins, shown) => ({
      view: 'diff',
      ...sceneTwin(
        scene,
        {
          pids: scene.summary.threads.pids,
          total: result.different,
          totalIsExact: result.complete,
          hasMore: shown.count < shown.of || result.rows.length < result.different,
          cursor: null,
        },
        { steps, room, notes: [headline(result), ...notes] },
      ),
      other: otherText,
      threads: twins.slice(0, result.threads.length),
      ...(result.writes.length > 0
        ? {
            writes: twins.slice(
              result.threads.length,
              result.threads.length + result.writes.length,
            ),
          }
        : {}),
      rows: twins.slice(result.threads.length + result.writes.length),
    }),
  });
}

function moreDifferences(scene: Scene, { rows, different }: DiffResult, shown: Shown): string[] {
  const unread = different - rows.length;
  const left = shown.of - shown.count + unread;
  if (left <= 0) return [];
  const lacks = { tokens: true, rows: unread > 0 };
  const narrower = 'narrow it with function, sourceFile, threadName or times.';
  return [`… ${grouped(left)} more: ${withMoreRoom(scene, lacks, narrower)}`];
}

function otherName(scene: Scene, { session, range }: OtherSide): string {
  const time = (at: SessionNs | null, open: string): string =>
    at === null ? open : `+${(at / 1e9).toFixed(6)}s`;
  const part =
    range.from === null && range.to === null
      ? ''
      : `${time(range.from, 'its start')} to ${time(range.to, 'its end')}`;
  if (session.id === scene.session.id)
    return `the same session, ${part === '' ? 'all of it' : part}`;
  return `${sessionLine(session)}${part === '' ? '' : `, ${part}`}`;
}

function headline(result: DiffResult): string {
  const places = result.writes.length;
  const differing = result.threads.filter(
    ({ order, values, here, there }) => order ?? values ?? (!here || !there),
  ).length;
  if (result.threads.length === 0 && result.functions === 0 && places === 0) {
    return 'Nothing was compared: neither side has a call that fits.';
  }
  if (differing === 0 && result.different === 0 && places === 0) {
    return 'No difference: the same calls in the same order, with the same values (addresses not compared).';
  }
  return `${grouped(differing)} of ${counted(result.threads.length, 'thread')} and ${grouped(result.different)} of ${counted(result.functions, 'function')}${places > 0 ? `, and the writes to ${counted(places, 'watched place')},` : ''} differ:`;
}

function diffNotes(result: DiffResult): string[] {
  const notes = [
    ...onlyNote(result.tracedHereOnly, 'here'),
    ...onlyNote(result.tracedThereOnly, 'there'),
  ];
  if (!result.complete) {
    notes.push(
      'The time limit ended the comparison: calls beyond those counted were not compared. Narrow it with timeFrom, timeTo or function.',
    );
  }
  return notes;
}

/** What the other side's own answers say of its crashes. */
function otherCrashes(scene: Scene, { session }: OtherSide): string[] {
  if (session.id === scene.session.id) return [];
  const crash = JSON.stringify({ view: 'crash', sessionId: session.id });
  return session.notes
    .filter(isCrashNote)
    .map((note) => `there: ${note.replaceAll('{"view": "crash"}', crash)}`);
}

function onlyNote(names: readonly string[], side: string): string[] {
  if (names.length === 0) return [];
  const more = names.length > NAMED ? ` and ${grouped(names.length - NAMED)} more` : '';
  const named = names
    .slice(0, NAMED)
    .map((name) => escaped(name))
    .join(', ');
  return [`Traced only ${side}, left out of the order: ${named}${more}.`];
}

/** `isAlone`: no other thread that is compared has its name, which it has. */
function threadItem(thread: ThreadDiff, style: CallStyle, isAlone: boolean): Item {
  const { name, here, there, compared, order, before, values } = thread;
  const tids = [...new Set([here, there].flatMap((side) => (side ? [side.tid] : [])))];
  const head = `thread ${escaped(name)}${isAlone ? '' : ` (${tids.join(' here, ')}${tids.length > 1 ? ' there' : ''})`}`;
  const twin = { name, here: here?.tid ?? null, there: there?.tid ?? null, compared };
  if (!here || !there) return { text: `${head}: only ${here ? 'here' : 'there'}`, twin };
  const lines = threadLines(head, thread, style);
  return {
    text: lines.join('\n'),
    twin: {
      ...twin,
      ...(order ? { order: pairTwin(order, style), after: before?.id ?? null } : {}),
      ...(values ? { values: { ...pairTwin(values, style), names: values.names } } : {}),
    },
    smaller: { text: lines[0] ?? head, twin },
  };
}

/** Where one thread's calls begin to differ. */
export function threadLines(
  head: string,
  { compared, order, before, values }: ThreadDiff,
  style: CallStyle,
): string[] {
  const lines: string[] = [];
  if (order) {
    lines.push(`${head}: the first ${counted(order.alike, 'call')} in the same order, then`);
    if (before) lines.push(`  after ${callText(before, style)}  [${before.id}]`);
    lines.push(...pairLines(order, style));
  } else {
    const same = values ? '' : ', with the same values';
    lines.push(`${head}: ${counted(compared, 'call')} in the same order${same}`);
  }
  if (values) {
    const names = values.names.join(', ');
    const alike = counted(values.alike, 'call');
    lines.push(`  first different values (${names}), after ${alike}:`, ...pairLines(values, style));
  }
  return lines;
}

function pairLines({ here, there }: CallPair, style: CallStyle): string[] {
  return [`  here   ${callLine(here, style)}`, `  there  ${callLine(there, style)}`];
}

function callLine(call: CallView | null, style: CallStyle): string {
  if (!call) return 'no further call';
  const where = callPlace(call, style);
  const seen = watchedText(call, style);
  return `${callText(call, style)}${seen}${where === '' ? '' : `  ${where}`}  [${call.id}]`;
}

function pairTwin({ alike, here, there }: CallPair, style: CallStyle): object {
  const one = (call: CallView | null): object | null =>
    call && {
      id: call.id,
      timestampNs: call.time,
      ...callTwin(call, style, ''),
      ...watchedTwin(call, style),
    };
  return { alike, here: one(here), there: one(there) };
}

/** `watch total: the first 2 writes alike, then here total = 5, written by add [c1.4], there total = 7, …` */
function writeItem({ label, alike, here, there }: WriteDiff): Item {
  const text = (write: WriteDiff['here']): string =>
    write
      ? `${escaped(write.text)}${write.within === null ? '' : ` [${write.within}]`}`
      : 'no more';
  const side = (write: WriteDiff['here']): object | null =>
    write && { text: write.text, timestampNs: write.time, parentEventId: write.within };
  return {
    text: `watch ${escaped(label)}: ${alike === 0 ? 'at once' : `the first ${counted(alike, 'write')} alike, then`} here ${text(here)}; there ${text(there)}`,
    twin: { label, alike, here: side(here), there: side(there) },
  };
}

function rowItem({ key, here, there }: DiffRow, style: CallStyle): Item {
  const signature = here?.key ?? there?.key ?? key;
  // Of namesakes the key says more than the signature.
  const name = escaped(
    style.shortName(here?.function ?? there?.function ?? key) + key.slice(signature.length),
  );
  const parts: string[] = [];
  if (!here || !there) {
    parts.push(`only ${here ? 'here' : 'there'}: ${counted((here ?? there)?.count ?? 0, 'call')}`);
  } else {
    parts.push(`calls ${grouped(here.count)} here, ${grouped(there.count)} there`);
    if (here.unwound !== there.unwound) {
      parts.push(`✗ unwound ${grouped(here.unwound)} here, ${grouped(there.unwound)} there`);
    }
    parts.push(`mean ${duration(here.meanNs)} here, ${duration(there.meanNs)} there`);
  }
  const side = (row: typeof here): object | null =>
    row && { count: row.count, unwound: row.unwound, meanNs: row.meanNs, maxNs: row.maxNs };
  return {
    text: `${name}  ${parts.join(' · ')}`,
    twin: { key, here: side(here), there: side(there) },
  };
}

function diffSteps(scene: Scene, { threads }: DiffResult, { session }: OtherSide): NextStep[] {
  const steps: NextStep[] = [];
  const first =
    threads.find(({ order }) => order)?.order ?? threads.find(({ values }) => values)?.values;
  const root = (call: CallView): string => call.parent ?? call.id;
  if (first?.here) {
    steps.push(
      query(scene, { view: 'tree', root: root(first.here) }, 'around the difference, here'),
    );
  }
  if (first?.there) {
    steps.push(
      query(
        scene,
        { view: 'tree', root: root(first.there), sessionId: session.id },
        'the same place, there',
      ),
    );
  }
  return steps;
}

function namesOf({ rows, threads }: DiffResult): Set<string> {
  const names = new Set(rows.flatMap(({ here, there }) => here?.function ?? there?.function ?? []));
  for (const { before, order, values } of threads) {
    for (const call of [before, order?.here, order?.there, values?.here, values?.there]) {
      if (call) names.add(call.function);
    }
  }
  return names;
}
