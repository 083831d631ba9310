import { monotonicMs } from '../../../base/clock.ts';
import {
  channelFunctions,
  callChannels,
  type CallChannel,
} from '../../../model/channels/channelFunctions.ts';
import type {
  ChannelEvent,
  ChannelPage,
  ChannelQuery,
} from '../../../model/channels/channelEvent.ts';
import { StrobeError } from '../../../model/errors.ts';
import { parseCallId, type CallId } from '../../../model/ids.ts';
import { isKnownFunction } from '../../../model/names/pattern.ts';
import type { TracedFunction } from '../../../model/eventColumns.ts';
import type { SessionTables } from '../sessionTables.ts';
import { outlineOf } from '../views/callViews.ts';
import { textsOf } from '../values/capturedValues.ts';
import { channelCalls } from './channelCalls.ts';
import { ChannelReading, type ChannelPart } from './channelReading.ts';
import { withoutSecrets } from './httpExchanges.ts';

/** What is being read: a page follows another. */
const readings = new WeakMap<SessionTables, readonly KnownReading[]>();
const MOST_READINGS = 2;
/** Of the time that a question has, for reading calls. */
const READING = 2 / 3;

interface KnownReading {
  readonly key: string;
  readonly reading: ChannelReading;
}

/**
 * What went through a channel: its calls in the order in which they took effect. Of more than can be read at
 * once it is the first part from `query.part` on in which something fits. Inside a snapshot.
 */
export function queryChannel(tables: SessionTables, query: ChannelQuery): ChannelPage {
  const deadline = monotonicMs() + query.deadlineMs * READING;
  const isOfChannels = functionsOf(tables, [...callChannels]);
  const reading = readingOf(tables, query, isOfChannels);
  const { part: from, timeTo } = query;
  while (reading.from < from && monotonicMs() <= deadline)
    if (reading.next(tables, from, deadline).complete)
      throw new StrobeError('BAD_CURSOR', 'The cursor leads beyond the last call.');
  if (reading.from < from)
    return pageOf(tables, query, reading, { found: [], next: query, isOfChannels });
  for (let part = reading.last; ; part = null) {
    part = part?.from === from ? part : reading.next(tables, null, deadline);
    const found = fitting(tables, query, isOfChannels, part);
    const isEnd = part.complete || timeTo < part.before;
    if (isEnd || found.length > 0 || monotonicMs() > deadline) {
      const next = isEnd ? null : { part: part.before, from: 0 };
      return pageOf(tables, query, reading, { found, next, isOfChannels });
    }
  }
}

interface Found {
  readonly found: readonly ChannelEvent[];
  readonly next: ChannelPage['next'];
  readonly isOfChannels: Uint8Array;
}

function pageOf(
  tables: SessionTables,
  query: ChannelQuery,
  { fold, last }: ChannelReading,
  { found, next, isOfChannels }: Found,
): ChannelPage {
  const page = found.slice(query.from, query.from + query.limit);
  const events = query.text === null ? page.map(shownBy(tables, query, isOfChannels)) : page;
  const numbers = new Set(events.map(({ connection }) => connection));
  const kind = query.channel === 'file' ? 'file' : 'socket';
  const own = fold.descriptors.all.filter((one) => one.kind === kind);
  return {
    events,
    connections: own.filter(({ number }) => numbers.has(number)),
    isKnown: query.connection === null || own.some(({ number }) => number === query.connection),
    total: found.length,
    unknown: { calls: fold.unknownCalls, fds: [...fold.unknownFds] },
    functions: ownFunctions(tables, query.channel),
    part: last?.from ?? 0,
    next,
  };
}

/** One that has not read beyond the part that is asked for. */
function readingOf(
  tables: SessionTables,
  { channel, raw, until, part }: ChannelQuery,
  functions: Uint8Array,
): ChannelReading {
  const ofRequests = channel === 'net' && !raw;
  const key = `${until} ${ofRequests}`;
  const all = readings.get(tables) ?? [];
  const known = all.find(
    (one) => one.key === key && (one.reading.from <= part || one.reading.last?.from === part),
  );
  const reading = known?.reading ?? new ChannelReading({ functions, ofRequests, until });
  const others = all.filter((one) => one.reading !== reading);
  readings.set(tables, [{ key, reading }, ...others].slice(0, MOST_READINGS));
  return reading;
}

function fitting(
  tables: SessionTables,
  query: ChannelQuery,
  isOfChannels: Uint8Array,
  part: ChannelPart,
): readonly ChannelEvent[] {
  const wanted = passingIds(tables, query, isOfChannels, part);
  const found = part.events
    .filter((event) => event.channel === query.channel && isMeant(event, query))
    .filter(
      ({ call, asked, answered }) =>
        wanted === null ||
        wanted.has(asked ?? call) ||
        (answered !== undefined && wanted.has(answered)),
    );
  // What costs time is done for those that are shown, or may hold the text.
  const { text } = query;
  if (text === null) return found;
  return found.map(shownBy(tables, query, isOfChannels)).filter((event) => holdsText(event, text));
}

function shownBy(tables: SessionTables, { raw }: ChannelQuery, isOfChannels: Uint8Array) {
  return (event: ChannelEvent): ChannelEvent => ({
    ...(raw ? event : withoutSecrets(event)),
    cause: eventCause(tables, event, isOfChannels),
  });
}

/** Event loops read a request below no call: then it is the call that answered it. */
function eventCause(
  tables: SessionTables,
  { call, asked, answered }: ChannelEvent,
  isOfChannels: Uint8Array,
): ChannelEvent['cause'] {
  const cause = causeOf(tables, asked ?? call, isOfChannels);
  return cause ?? (answered === undefined ? null : causeOf(tables, answered, isOfChannels));
}

function functionsOf(tables: SessionTables, channels: readonly CallChannel[]): Uint8Array {
  const tests = channels.map((name) => channelFunctions[name]);
  return tables.functionsThat((fn: TracedFunction) =>
    tests.some((known) => isKnownFunction(known, fn)),
  );
}

/** How many it does not share with another channel: those are hooked for that one as well. */
function ownFunctions(tables: SessionTables, channel: CallChannel): number {
  const others = functionsOf(
    tables,
    callChannels.filter((one) => one !== channel),
  );
  return functionsOf(tables, [channel]).filter((one, at) => one === 1 && others[at] === 0).length;
}

/** Null: all pass. */
function passingIds(
  tables: SessionTables,
  query: ChannelQuery,
  functions: Uint8Array,
  { firstCall, before }: ChannelPart,
): ReadonlySet<CallId> | null {
  if (Object.keys(query.calls).length === 0) return null;
  const { calls } = channelCalls(tables, {
    functions,
    filter: query.calls,
    from: firstCall,
    before,
    until: query.until,
    deadline: Number.POSITIVE_INFINITY,
  });
  return new Set(calls.map(({ id }) => id));
}

function isMeant(event: ChannelEvent, query: ChannelQuery): boolean {
  const { timeFrom, timeTo, pid, connection, direction } = query;
  if (event.time < timeFrom || event.time > timeTo) return false;
  if (pid !== null && event.pid !== pid) return false;
  if (connection !== null && event.connection !== connection) return false;
  return direction === null || event.direction === direction;
}

function holdsText(event: ChannelEvent, text: string): boolean {
  const { peer, verb, failure, data, cause, http } = event;
  const request = http && `${http.method} ${http.path} ${http.status}`;
  const bodies = http ? [http.body, http.answerBody] : (event.messages ?? []);
  const own = [peer, verb, failure, request, cause?.function, ...bodies];
  const texts = [...own, ...(data ? textsOf(data) : [])];
  const wanted = text.toLowerCase();
  return texts.some((one) => one?.toLowerCase().includes(wanted) === true);
}

/** The innermost traced call around it that is none of a channel's library functions. */
function causeOf(
  tables: SessionTables,
  call: CallId,
  isOfChannels: Uint8Array,
): ChannelEvent['cause'] {
  const at = parseCallId(call);
  return at && outerCause(tables, at, isOfChannels);
}

function outerCause(
  tables: SessionTables,
  { thread, ordinal }: { readonly thread: number; readonly ordinal: number },
  isOfChannels: Uint8Array,
): ChannelEvent['cause'] {
  for (let at = ordinal; ;) {
    const inner = tables.blocks.find(thread, at);
    const up = inner?.block.up[inner.row] ?? 0;
    at -= up;
    const outer = up === 0 ? null : tables.blocks.find(thread, at);
    if (!outer) return null;
    const outline = outlineOf(tables, outer.block, outer.row, Number.MAX_SAFE_INTEGER);
    if (isOfChannels[outline.fn] !== 1) return { call: outline.id, function: outline.function };
  }
}
