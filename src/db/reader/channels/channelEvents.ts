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
import { parseCallId, type CallId, type SessionNs } from '../../../model/ids.ts';
import { isKnownFunction } from '../../../model/names/pattern.ts';
import type { TracedFunction } from '../../../model/eventColumns.ts';
import type { SessionTables } from '../sessionTables.ts';
import { outlineOf } from '../views/callViews.ts';
import { textsOf } from '../values/capturedValues.ts';
import { channelCalls } from './channelCalls.ts';
import { ChannelFold } from './channelFold.ts';
import { bytesOf, HttpConnection, type HttpOpening } from './httpConnection.ts';
import { withoutSecrets } from './httpExchanges.ts';
import { PostgresConnection } from './postgresConnection.ts';

/** All that went through the channels, whatever is asked of it. */
interface Read {
  readonly key: string;
  readonly events: readonly ChannelEvent[];
  readonly fold: ChannelFold;
  readonly complete: boolean;
  readonly lookedUntil: SessionNs;
}

/** What was read last: a page follows another. */
const lastReads = new WeakMap<SessionTables, readonly Read[]>();
const MOST_READS = 2;
/** Of the time that a question has, for reading calls: what they mean takes about as long. */
const READING = 1 / 3;

/** What went through a channel: its calls in the order in which they took effect. Inside a snapshot. */
export function queryChannel(tables: SessionTables, query: ChannelQuery): ChannelPage {
  const isOfChannels = functionsOf(tables, [...callChannels]);
  const { events: all, fold, complete, lookedUntil } = read(tables, query, isOfChannels);
  const wanted = passingIds(tables, query, isOfChannels);
  const found = all
    .filter((event) => event.channel === query.channel && isMeant(event, query))
    .filter(({ call }) => wanted === null || wanted.has(call));
  const shown = (event: ChannelEvent): ChannelEvent => ({
    ...(query.raw ? event : withoutSecrets(event)),
    cause: causeOf(tables, event.call, isOfChannels),
  });
  const { text, from, limit } = query;
  // What costs time is done for those that are shown, or may hold the text.
  const fitting =
    text === null ? found : found.map(shown).filter((event) => holdsText(event, text));
  const page = fitting.slice(from, from + limit);
  const events = text === null ? page.map(shown) : page;
  const numbers = new Set(events.map(({ connection }) => connection));
  const kind = query.channel === 'file' ? 'file' : 'socket';
  const own = fold.descriptors.all.filter((one) => one.kind === kind);
  return {
    events,
    connections: own.filter(({ number }) => numbers.has(number)),
    isKnown: query.connection === null || own.some(({ number }) => number === query.connection),
    total: fitting.length,
    unknown: { calls: fold.unknownCalls, fds: [...fold.unknownFds] },
    functions: ownFunctions(tables, query.channel),
    complete,
    lookedUntil,
  };
}

/** All; of more than can be read at once the range of time that is asked for. */
function read(tables: SessionTables, query: ChannelQuery, isOfChannels: Uint8Array): Read {
  const { timeFrom, timeTo } = query;
  const all = readOnce(tables, query, isOfChannels, null);
  if (all.complete) return all;
  if (timeTo < all.lookedUntil) return { ...all, complete: true };
  if (timeFrom === 0) return all;
  return readOnce(tables, query, isOfChannels, { from: timeFrom, to: timeTo });
}

function readOnce(
  tables: SessionTables,
  query: ChannelQuery,
  isOfChannels: Uint8Array,
  window: { readonly from: SessionNs; readonly to: SessionNs } | null,
): Read {
  const isOfRequests = query.channel === 'net' && !query.raw;
  const key = `${query.until} ${isOfRequests} ${window?.from} ${window?.to}`;
  const known = lastReads.get(tables) ?? [];
  const same = known.find((one) => one.key === key);
  if (same) return same;
  const { calls, complete, lookedUntil } = channelCalls(tables, {
    functions: isOfChannels,
    filter: {},
    window,
    until: query.until,
    deadlineMs: query.deadlineMs * READING,
  });
  const fold = new ChannelFold();
  fold.add(calls);
  const events = (isOfRequests ? withRequests(fold) : fold.events).toSorted(
    (a, b) => a.time - b.time,
  );
  const made = { key, events, fold, complete, lookedUntil };
  lastReads.set(tables, [made, ...known].slice(0, MOST_READS));
  return made;
}

/** Requests in place of the bytes that they were made of. */
function withRequests({ events, descriptors }: ChannelFold): ChannelEvent[] {
  const connections = new Map<number, HttpConnection>();
  const joined = new Set(
    descriptors.all.filter((one) => one.kind === 'socket' && one.isJoined).map((one) => one.number),
  );
  const databases = new Map<number, Database>();
  const openings = openingsOf(events);
  const others = events.flatMap((event) => {
    if (event.channel !== 'net' || event.connection === null) return [event];
    const named = withMessages(databases, event, event.connection);
    if (named !== null) return [named];
    let connection = connections.get(event.connection);
    if (!connection) {
      const { connection: number } = event;
      connection = new HttpConnection(joined.has(number), openings.get(number) ?? null);
      connections.set(event.connection, connection);
    }
    return connection.take(event) ? [] : [event];
  });
  for (const one of descriptors.all) {
    if (one.kind === 'socket' && databases.has(one.number)) one.protocol = 'PostgreSQL';
    const http = one.kind === 'socket' ? connections.get(one.number) : undefined;
    if (!http) continue;
    one.protocol ??= http.isHttp2 ? 'HTTP/2' : http.isHttp ? 'HTTP/1' : null;
    one.undecoded = http.undecoded;
  }
  const requests = [...connections.values()].flatMap((connection) => connection.requests);
  return [...others, ...requests];
}

/** Of a first line, which some programs write word by word. */
const MOST_OPENING = 2000;

function openingsOf(events: readonly ChannelEvent[]): ReadonlyMap<number, HttpOpening> {
  const openings = new Map<number, HttpOpening & { isOver: boolean }>();
  for (const { channel, connection, direction, data, bytes } of events) {
    if (channel !== 'net' || connection === null || direction === 'act') continue;
    const before = openings.get(connection) ?? { direction, known: Buffer.alloc(0), isOver: false };
    if (before.isOver) continue;
    const more = data?.kind === 'string' ? bytesOf(data) : Buffer.alloc(0);
    const isSame = direction === before.direction;
    const known = isSame ? Buffer.concat([before.known, more]) : before.known;
    const isOver = !isSame || more.length !== bytes || known.length >= MOST_OPENING;
    openings.set(connection, { ...before, known, isOver });
  }
  return openings;
}

/** A connection of PostgreSQL, and which side asks. */
interface Database {
  readonly connection: PostgresConnection;
  readonly asks: 'in' | 'out';
}

/** The event with the names of its messages in place of its data; null: it is none of a connection of PostgreSQL. */
function withMessages(
  databases: Map<number, Database>,
  event: ChannelEvent,
  number: number,
): ChannelEvent | null {
  const { data, bytes, direction } = event;
  if (data?.kind !== 'string' || bytes === null || direction === 'act') return null;
  const known = bytesOf(data);
  let database = databases.get(number);
  if (!database) {
    if (!PostgresConnection.begins(known)) return null;
    database = { connection: new PostgresConnection(), asks: direction };
    databases.set(number, database);
  }
  const messages = database.connection.take(direction === database.asks, known, bytes);
  return { ...event, data: null, messages };
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
  isOfChannels: Uint8Array,
): ReadonlySet<CallId> | null {
  if (Object.keys(query.calls).length === 0) return null;
  const { calls } = channelCalls(tables, {
    functions: isOfChannels,
    filter: query.calls,
    window: { from: query.timeFrom, to: query.timeTo },
    until: query.until,
    deadlineMs: query.deadlineMs * READING,
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
