import type { CallView } from '../../../model/questions/query.ts';
import { escaped } from '../../../base/visible.ts';
import { assemble, type Item, type Shown } from '../answers/assemble.ts';
import type { Rendered } from '../answers/budget.ts';
import { chosen, nextLines } from '../answers/nextSteps.ts';
import {
  callStyle,
  cursorAfter,
  moreLine,
  query,
  sceneLines,
  sceneTwin,
  type Scene,
} from '../answers/scene.ts';
import {
  callPlace,
  callText,
  endText,
  repeatedLines,
  sharedLines,
  type CallStyle,
} from '../text/callText.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { unread } from '../text/legends.ts';
import { Objects } from '../text/objectText.ts';
import { RepeatedValues } from '../text/repeatedValues.ts';
import { SharedArguments } from '../text/sharedArguments.ts';

/** Calls thread by thread, each thread's in the order they began. */
export interface OrderedCalls {
  readonly calls: readonly CallView[];
  readonly total: number;
  readonly totalIsExact: boolean;
  readonly cursors: readonly string[];
  readonly cursor: string | null;
  readonly complete: boolean;
}

/** A tree in which nothing is folded: each call in its place, below the shown call it ran in. */
export function renderCalls(
  scene: Scene,
  page: OrderedCalls,
): (room: number) => Rendered & { readonly shown: number } {
  const { calls } = page;
  const plain = callStyle(
    scene,
    calls.map((call) => call.function),
  );
  const shared = SharedArguments.of(calls.map((call) => ({ call, varying: [] })));
  const written = calls.map((call) => shared.without(call));
  const style = { ...plain, repeated: new RepeatedValues(written, shared.values) };
  const legend = sharedLines(shared, style);
  const items = callItems(calls, style, plain, shared);
  const notes = page.complete ? [] : ['The time limit ended the search: narrow it with timeFrom.'];
  const possible = [query(scene, { view: 'stats' }, 'counts and times per function')];
  return (room) => {
    const steps = chosen(possible, room);
    return assemble(room, items, {
      keep: 'first',
      before: (shown) => [
        ...sceneLines(scene),
        ...notes.map((note) => `! ${escaped(note)}`),
        headline(scene, page, shown),
        ...legend,
        ...repeatedLines(style),
      ],
      after: (shown) => [...moreLine(scene, cursorAfter(page, shown)), ...nextLines(steps)],
      structured: (twins, shown) => ({
        view: 'tree',
        ...sceneTwin(
          scene,
          {
            pids: [...new Set(calls.map(({ pid }) => pid))],
            total: page.total,
            totalIsExact: page.totalIsExact,
            hasMore: page.cursor !== null || shown.count < shown.of,
            cursor: cursorAfter(page, shown),
          },
          { steps, room, notes },
        ),
        tree: twins.join('\n'),
        threads: threadsOf(calls.slice(0, shown.count)),
      }),
    });
  };
}

function headline({ session }: Scene, { total, totalIsExact }: OrderedCalls, shown: Shown): string {
  const all = `${totalIsExact ? '' : '≥ '}${counted(total, 'call')}`;
  const [sign] = unread(session, ['receiver']);
  return `${grouped(shown.count)} of ${all} in order, thread by thread${sign === undefined ? '' : `; ${sign}`}:`;
}

function callItems(
  calls: readonly CallView[],
  style: CallStyle,
  plain: CallStyle,
  shared: SharedArguments,
): Item[] {
  const placed = new Set<number>();
  const objects = new Objects();
  const open: CallView[] = [];
  let thread: number | null = null;
  return calls.map((call) => {
    const begins = call.thread !== thread;
    if (begins) open.length = 0;
    thread = call.thread;
    while (open.length > 0 && !runsIn(call, open.at(-1))) open.pop();
    const indent = '  '.repeat(open.length + 1);
    open.push(call);
    const where = placed.has(call.fn) ? '' : callPlace(call, style);
    placed.add(call.fn);
    const head = begins ? [`thread ${escaped(call.threadName)} (${call.tid}):`] : [];
    const shown = shared.without(objects.withoutRepeated(call));
    const tail = `${where === '' ? '' : `  ${where}`}  [${call.id}]`;
    const text = [...head, `${indent}${callText(shown, style)}${tail}`].join('\n');
    const brief = `${indent}${style.shortName(call.function)}(${counted(call.arguments.length, 'argument')})${endText(call, plain)}${tail}`;
    const small = [...head, brief].join('\n');
    return { text, twin: text, smaller: { text: small, twin: small } };
  });
}

function runsIn(call: CallView, outer: CallView | undefined): boolean {
  if (outer === undefined) return false;
  if (call.parent === outer.id) return true;
  return outer.durationNs === null || call.time < outer.time + outer.durationNs;
}

function threadsOf(calls: readonly CallView[]): object[] {
  const threads = new Map<number, { threadId: number; name: string; pid: number; calls: number }>();
  for (const { thread, tid, threadName, pid } of calls) {
    const known = threads.get(thread);
    if (known) known.calls += 1;
    else threads.set(thread, { threadId: tid, name: threadName, pid, calls: 1 });
  }
  return [...threads.values()];
}
