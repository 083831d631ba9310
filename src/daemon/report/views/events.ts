import type { EventsPage, EventView, CallEventView } from '../../../model/questions/eventView.ts';
import type { CallView } from '../../../model/questions/query.ts';
import { assemble, type Item, type Shown } from '../answers/assemble.ts';
import { briefly, glance } from '../answers/brevity.ts';
import type { Rendered } from '../answers/budget.ts';
import {
  callPlace,
  callText,
  callTwin,
  endText,
  repeatedLines,
  sharedLines,
  signatureText,
  valueNotes,
  type CallStyle,
} from '../text/callText.ts';
import { strandText } from '../../../model/values/valueWords.ts';
import { escaped } from '../../../base/visible.ts';
import { unread } from '../text/legends.ts';
import { exceptionTwin, detailText } from './exceptionTwin.ts';
import { shortened } from '../answers/clip.ts';
import { countNames, tally, whyNoCalls, type Emptiness } from './emptiness.ts';
import { chosen, nextLines, type NextStep } from '../answers/nextSteps.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import {
  areWritersKnown,
  callStyle,
  cursorAfter,
  moreLine,
  query,
  sceneLines,
  sceneTwin,
  statsStep,
  type Scene,
} from '../answers/scene.ts';
import { storyStep } from '../tree/treeSteps.ts';
import { Objects } from '../text/objectText.ts';
import { RepeatedValues } from '../text/repeatedValues.ts';
import { SharedArguments } from '../text/sharedArguments.ts';
import { stamp, type Decimals } from '../text/timeText.ts';
import { valueJson } from '../text/valueText.ts';
import { watchedText, watchedTwin } from '../text/watchText.ts';

const lineShown = { usual: 240, verbose: 2000 } as const;

/**
 * The timeline: a line per call, output line, process event or loss; rendered for some room, with the cursor
 * behind the last that has some. Where not all have room, values are written briefly if more have some then.
 * `emptiness`: needed when the page is empty.
 */
export function renderEvents(
  scene: Scene,
  page: EventsPage,
  emptiness: Emptiness | null,
): (room: number) => RenderedEvents {
  const whole = renderForm(scene, page, emptiness, false);
  let brief: typeof whole | null = null;
  return (room) => {
    const answer = whole(room);
    if (scene.verbose || !answer.leftOut) return answer;
    brief ??= renderForm(scene, page, emptiness, true);
    const shorter = brief(room);
    return shorter.shown > answer.shown ? shorter : answer;
  };
}

type RenderedEvents = Rendered & { readonly shown: number };

function renderForm(
  scene: Scene,
  page: EventsPage,
  emptiness: Emptiness | null,
  isBrief: boolean,
): (room: number) => RenderedEvents {
  const calls = callsOf(page.events);
  const shared = SharedArguments.of(scene.verbose ? [] : calls.map(asWritten));
  const style = eventStyle(scene, calls, shared);
  const legend = sharedLines(shared, style, isBrief ? glance : Infinity);
  const brevity = isBrief ? [briefLine] : [];
  const decimals = 6;
  const testOf = testNames(scene, calls);
  const items = eventItems(page, calls, {
    style,
    shared,
    decimals,
    testOf,
    writersKnown: areWritersKnown(scene),
    isBrief,
  });
  const empty = page.events.length === 0 && emptiness ? whyNoCalls(scene, emptiness) : null;
  const notes = page.complete
    ? []
    : [
        `The time limit ended the search at ${stamp(page.lookedUntil, decimals)}: narrow it with timeFrom and timeTo.`,
      ];

  return (room) => {
    const stepsAfter = ({ count, of }: Shown): readonly NextStep[] =>
      chosen(empty?.steps ?? eventSteps(scene, page.events.slice(0, count || of)), room, scene);
    return assemble(room, items, {
      keep: 'first',
      before: (shown) => [
        ...sceneLines(scene),
        ...notes.map((note) => `! ${escaped(note)}`),
        ...(empty
          ? empty.lines
          : [headline(scene, page, calls, shown), ...brevity, ...legend, ...repeatedLines(style)]),
      ],
      after: (shown) => [...moreLines(scene, page, shown), ...nextLines(stepsAfter(shown))],
      structured: (twins, shown) => ({
        view: 'events',
        ...sceneTwin(
          scene,
          {
            pids: page.pids,
            total: page.total,
            totalIsExact: page.totalIsExact,
            hasMore: page.hasMore || shown.count < shown.of,
            cursor: cursorAfter(page, shown),
          },
          {
            steps: stepsAfter(shown),
            room,
            notes: [
              ...notes,
              ...(empty ? empty.lines : []),
              ...notesOn(page, shown),
              ...beyondNotes(page, shown),
            ],
          },
        ),
        ...(oneTest(scene, calls) === null ? {} : { test: oneTest(scene, calls) }),
        events: twins,
        threads: threadsOf(page.events.slice(0, shown.count)),
        places: placesOf(page.events.slice(0, shown.count), style),
      }),
    });
  };
}

const briefLine =
  'Values are written briefly, for more events; "verbose": true writes them whole, "show" picks some.';

function eventStyle(scene: Scene, calls: readonly CallView[], shared: SharedArguments): CallStyle {
  const plain = callStyle(
    scene,
    calls.map((call) => call.function),
  );
  if (scene.verbose) return plain;
  const written = calls.map((call) => shared.without(call));
  return { ...plain, repeated: new RepeatedValues(written, shared.values) };
}

function asWritten(call: CallView) {
  return { call, varying: [] };
}

function callsOf(events: readonly EventView[]): CallView[] {
  return events.flatMap((event) => ('call' in event ? [event.call] : []));
}

function headline(
  scene: Scene,
  page: EventsPage,
  calls: readonly CallView[],
  shown: Shown,
): string {
  const total = `${page.totalIsExact ? '' : '≥ '}${grouped(page.total)}`;
  const order = scene.request['order'] === 'thread' ? 'thread by thread' : 'in order of time';
  const [first] = calls;
  const methods = calls.slice(0, shown.count).filter((call) => call.arguments[0]?.name === 'this');
  const [sign] = methods.length > 1 && !scene.verbose ? unread(scene.session, ['receiver']) : [];
  const hint = sign === undefined ? '' : ` (${sign})`;
  const one =
    first && calls.every((call) => call.tid === first.tid)
      ? `, thread ${escaped(first.threadName)} (${first.tid})`
      : '';
  const test = oneTest(scene, calls);
  const ofTest = test === null ? '' : `, test ${escaped(test)}`;
  return `${grouped(shown.count)} of ${total} events ${order}${one}${ofTest}${hint}:`;
}

interface EventStyle {
  readonly style: CallStyle;
  readonly shared: SharedArguments;
  readonly decimals: Decimals;
  /** The test a call belongs to, where the events are of several; else null. */
  readonly testOf: (call: CallView) => string | null;
  /** Whether lines of output are told with the process that wrote them. */
  readonly writersKnown: boolean;
  /** Values are written as in a tree, to be read at a glance. */
  readonly isBrief: boolean;
}

/** Said event by event only where the calls are not all of one test, which the headline names. */
function testNames({ testOf }: Scene, calls: readonly CallView[]): EventStyle['testOf'] {
  if (!testOf || oneTest({ testOf }, calls) !== null) return () => null;
  return testOf;
}

function oneTest({ testOf }: Pick<Scene, 'testOf'>, calls: readonly CallView[]): string | null {
  const names = new Set(calls.map((call) => testOf?.(call) ?? null));
  const [only] = names;
  return names.size === 1 ? (only ?? null) : null;
}

function eventItems(page: EventsPage, calls: readonly CallView[], form: EventStyle): Item[] {
  const { style, shared, decimals, testOf } = form;
  const plain = { ...style };
  delete plain.repeated;
  const threadLabel = threadLabels(calls);
  const severalPids = page.pids.length > 1;
  const placed = new Set<number>();
  const objects = new Objects();
  let lastTest: string | null = null;
  return page.events.map((event) => {
    const at = stamp(event.time, decimals);
    if (!('call' in event)) return otherItem(event, at, severalPids, form);
    const call = style.verbose ? event.call : objects.withoutRepeated(event.call);
    const written = shared.without(call);
    const isNew = !placed.has(call.fn);
    placed.add(call.fn);
    const stands = isNew ? callPlace(call, style) : '';
    // A breakpoint may be named by its place.
    const where = call.probe && stands.endsWith(call.function) ? '' : stands;
    const head = [at, threadLabel(call), severalPids ? `pid ${call.pid}` : '']
      .filter((part) => part !== '')
      .join(' ');
    const test = testOf(call);
    const ofTest = test === null || test === lastTest ? '' : `  test ${escaped(test)}`;
    lastTest = test;
    const raw = style.verbose && isNew && call.linkageName ? `  ${call.linkageName}` : '';
    const tail = `${where === '' ? '' : `  ${where}`}${raw}${ofTest}  [${call.id}]`;
    const base = {
      id: call.id,
      eventType: event.type,
      timestampNs: event.time,
      ...(test === null ? {} : { test }),
    };
    const inText = glanced(written, form);
    const inTwin = glanced(call, form);
    const twin = {
      ...base,
      ...typedTwin(event.type, callTwin(call, inTwin, threadLabel(call))),
      ...watchedTwin(watchedAt(event.type, call), style),
    };
    return {
      text: `${head} ${eventText(event.type, written, inText)}${watchedText(watchedAt(event.type, call), style)}${tail}`,
      twin,
      ...(where === '' ? {} : { adds: { [call.function]: where } }),
      smaller: {
        text: `${head} ${style.shortName(call.function)}(${counted(call.arguments.length, 'argument')})${endText(call, plain)}${tail}`,
        twin: { ...base, functionName: call.function },
      },
    };
  });
}

function glanced(call: CallView, { style, isBrief }: EventStyle): CallStyle {
  return isBrief ? { ...style, brief: briefly(call, style, []) } : style;
}

/** One that is shown as a call is. */
type CallEvent = Extract<EventView, { call: CallView }>;

/** A call with what was watched at the moment of the event. */
function watchedAt(type: CallEvent['type'], call: CallView): CallView {
  if (type === 'call' || !call.watched) return call;
  const atReturn = type === 'function_exit';
  return { ...call, watched: call.watched.filter((one) => one.atReturn === atReturn) };
}

function eventText(type: CallEvent['type'], call: CallView, style: CallStyle): string {
  if (type === 'function_enter') return `→ ${signatureText(call, style)}`;
  return type === 'function_exit'
    ? `← ${callText({ ...call, arguments: [] }, style)}`
    : callText(call, style);
}

/** An enter does not know yet how the call ended; an exit does not repeat the arguments. */
function typedTwin(
  type: EventView['type'],
  twin: Record<string, unknown>,
): Record<string, unknown> {
  if (type === 'function_enter') {
    const { returnValue: _returned, end: _end, durationNs: _duration, ...rest } = twin;
    return rest;
  }
  if (type === 'function_exit') {
    const { arguments: _arguments, ...rest } = twin;
    return rest;
  }
  return twin;
}

function otherItem(
  event: Exclude<EventView, { call: CallView }>,
  at: string,
  severalPids: boolean,
  { style: { verbose }, writersKnown }: EventStyle,
): Item {
  const isOf = 'pid' in event && (writersKnown || !isOutput(event)) ? event.pid : null;
  const pid = severalPids && isOf !== null ? ` pid ${isOf}` : '';
  const text = shortened(event.text, verbose ? lineShown.verbose : lineShown.usual);
  const twin = {
    id: 'id' in event ? event.id : `${event.type}@${event.time}`,
    eventType: event.type,
    timestampNs: event.time,
    text,
    ...(isOf !== null && (severalPids || verbose) ? { pid: isOf } : {}),
    ...('base64' in event && event.base64 !== null
      ? { base64: shortened(event.base64, lineShown.usual) }
      : {}),
    ...(event.type === 'exception' ? exceptionTwin(event.exception, verbose) : {}),
    ...(event.type === 'crash' ? event.fault : {}),
    ...(event.type === 'loss' ? { count: event.count } : {}),
    ...(event.type === 'variable_snapshot' ? snapshotTwin(event) : {}),
    ...('strand' in event ? callEventTwin(event) : {}),
  };
  const label = otherLabel(event);
  const stack = event.type === 'exception' ? detailText(event.exception, verbose) : [];
  return { text: [`${at}${pid} ${label} ${escaped(text)}`, ...stack].join('\n'), twin };
}

function isOutput({ type }: EventView): boolean {
  return type === 'stdout' || type === 'stderr';
}

function otherLabel(event: Exclude<EventView, { call: CallView }>): string {
  if (event.type === 'loss') return `LOST ${grouped(event.count)}:`;
  if ('strand' in event)
    return `${event.type}${event.within === null ? '' : ` in ${event.within}`}|`;
  if (event.type !== 'variable_snapshot') return `${event.type}|`;
  const { watched, within, isWritten } = event;
  if (isWritten) return `watch write${within === null ? '' : ` in ${within}`}|`;
  return `watch ${watched.atReturn ? 'return' : 'enter'} of ${within}|`;
}

function snapshotTwin({
  watched,
  within,
  isWritten,
  tid,
}: Extract<EventView, { type: 'variable_snapshot' }>): object {
  const { label, atReturn, value } = watched;
  return {
    watchValues: { [label]: valueJson(value, { verbose: false }) },
    at: isWritten ? 'write' : atReturn ? 'return' : 'enter',
    parentEventId: within,
    threadId: tid,
  };
}

function callEventTwin({ within, tid, line, value, strand }: CallEventView): object {
  return {
    threadId: tid,
    ...(within === null ? {} : { parentEventId: within }),
    ...(line === null ? {} : { line }),
    ...(value === null ? {} : { value: valueJson(value, { verbose: false }) }),
    ...(strand === null ? {} : { strand: strandText(strand) }),
  };
}

/** A thread's name where several threads are shown; with its number where names repeat. */
function threadLabels(calls: readonly CallView[]): (call: CallView) => string {
  const tids = new Map<string, Set<number>>();
  for (const call of calls)
    tids.set(call.threadName, (tids.get(call.threadName) ?? new Set()).add(call.tid));
  const threads = [...tids.values()].reduce((sum, set) => sum + set.size, 0);
  if (threads < 2) return () => '';
  return (call) =>
    (tids.get(call.threadName)?.size ?? 0) > 1
      ? `[${escaped(call.threadName)}/${call.tid}]`
      : `[${escaped(call.threadName)}]`;
}

function threadsOf(events: readonly EventView[]): object[] {
  const names = new Map<number, string>();
  for (const event of events) if ('call' in event) names.set(event.call.tid, event.call.threadName);
  return [...names].map(([threadId, name]) => ({ threadId, name }));
}

function placesOf(events: readonly EventView[], style: CallStyle): Record<string, string> {
  const places: Record<string, string> = {};
  for (const event of events) {
    if (!('call' in event)) continue;
    const where = callPlace(event.call, style);
    if (where !== '') places[event.call.function] = where;
  }
  return places;
}

function moreLines(scene: Scene, page: EventsPage, shown: Shown): string[] {
  const beyond = beyondNotes(page, shown).map((note) => `… ${note}`);
  return [...notesOn(page, shown), ...beyond, ...moreLine(scene, cursorAfter(page, shown))];
}

/** What is to be said of the values of these calls. */
function notesOn(page: EventsPage, shown: Shown): string[] {
  const events = page.events.slice(0, shown.count);
  return valueNotes
    .filter((note) => events.some((event) => 'call' in event && note.applies(event.call)))
    .map(({ text }) => text);
}

/** Events that were fetched but had no room, said in sum. */
function beyondNotes(page: EventsPage, shown: Shown): string[] {
  const names = page.events
    .slice(shown.count)
    .map((event) => ('call' in event ? event.call.function : event.type));
  return names.length === 0
    ? []
    : [
        `the next ${counted(names.length, 'event')}: ${tally(countNames(names), ['other kind', 'other kinds'])}`,
      ];
}

function eventSteps(scene: Scene, events: readonly EventView[]): NextStep[] {
  const calls = callsOf(events);
  const steps: NextStep[] = [];
  const thrown = calls.find((call) => call.end === 'unwound');
  if (thrown) {
    const story = scene.request['argument'] === undefined ? storyStep(scene, thrown) : null;
    if (story) steps.push(story);
    steps.push(
      query(scene, { view: 'tree', root: thrown.parent ?? thrown.id }, 'where the exception went'),
    );
  }
  const open = calls.find((call) => call.end === 'open');
  if (open)
    steps.push(query(scene, { view: 'tree', root: open.id }, 'what the unfinished call did last'));
  const slowest = calls.reduce<CallView | null>(
    (most, call) => ((call.durationNs ?? 0) > (most?.durationNs ?? 0) ? call : most),
    null,
  );
  if (slowest && slowest !== thrown && !isNarrow(scene))
    steps.push(
      query(scene, { view: 'tree', root: slowest.id }, 'inside the slowest of these calls'),
    );
  const line = events.find((event) => event.type === 'stderr');
  if (line)
    steps.push(query(scene, { view: 'output', stream: 'stderr' }, 'all it wrote to stderr'));
  steps.push(...statsStep(scene));
  return steps;
}

/** Asked for by what they hold: then how long they took is not the question. */
function isNarrow({ request }: Scene): boolean {
  return ['text', 'argument', 'returnValue', 'where', 'watched'].some((name) => name in request);
}
