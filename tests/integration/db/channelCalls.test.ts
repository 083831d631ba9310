import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import type { ChannelPage, ChannelQuery } from '../../../src/model/channels/channelEvent.ts';
import type { TracedFunction } from '../../../src/model/eventColumns.ts';
import { batch, seeded, SimulatedThread } from '../../unit/db/simulatedThread.ts';
import { madeUpFunction, TemporaryFolder } from './randomSession.ts';

const int = { kind: 'int', name: 'int', bytes: 4, signed: true } as const;
const functions: TracedFunction[] = ['accept', 'send'].map((name, number) => ({
  ...madeUpFunction(name, number, {
    captured: [{ name: 'fd', type: int }],
    returns: { ...int, name: 'long', bytes: 8 },
  }),
  module: '/usr/lib/libc.so.6',
}));

const blockCalls = 64;
const sends = 1000;

const everything: ChannelQuery = {
  channel: 'net',
  calls: {},
  timeFrom: 0,
  timeTo: Number.MAX_SAFE_INTEGER,
  pid: null,
  connection: null,
  direction: null,
  raw: false,
  text: null,
  part: 0,
  from: 0,
  limit: 2 * sends,
  until: Number.MAX_SAFE_INTEGER,
  deadlineMs: 60_000,
};

function word(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return bytes;
}

/** Bytes are sent over a connection again and again; halfway over another, which a thread has waited for from the beginning. */
function recorded(path: string): void {
  const [thread, listener] = [new SimulatedThread(seeded(1)), new SimulatedThread(seeded(2))];
  thread.enter(0, word(3));
  thread.leave('return', word(7));
  listener.enter(0, word(3));
  for (let i = 0; i < sends; i++) {
    if (i === sends / 2) {
      listener.time = thread.time;
      listener.leave('return', word(9));
      thread.time = listener.time;
    }
    thread.enter(1, word(i < sends / 2 ? 7 : 9));
    thread.leave('return', word(5));
  }
  const writer = SessionWriter.open(path, { sessionId: 'test', blockCalls });
  writer.defineFunctions(functions);
  for (const [at, { events }] of [thread, listener].entries()) {
    writer.defineThread({ key: at + 1, pid: 100, tid: 100 + at, name: 'main' });
    writer.append(at + 1, batch(events));
  }
  writer.commit(thread.time);
  writer.close();
}

/** Page after page, each of a part that is no longer than it has to be. */
function inParts(ask: (query: ChannelQuery) => ChannelPage, query: ChannelQuery): ChannelPage[] {
  const pages: ChannelPage[] = [];
  for (let next: ChannelPage['next'] = { part: 0, from: 0 }; next !== null;) {
    const page = ask({ ...query, ...next, deadlineMs: 0 });
    pages.push(page);
    ({ next } = page);
  }
  return pages;
}

test('[channel.net] more calls than are read at once are read in parts, in which each event is what it is among all', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  recorded(path);
  using reader = SessionReader.open(path);
  const all = reader.channel(everything);
  expect(all).toMatchObject({ total: sends + 2, next: null });
  expect(new Set(all.events.map(({ connection }) => connection))).toEqual(new Set([1, 2]));

  const pages = inParts((query) => reader.channel(query), { ...everything, until: 1e15 });
  expect(pages.length).toBeGreaterThan(sends / blockCalls - 2);
  const events = pages.flatMap((page) => page.events);
  expect(events.toSorted((a, b) => a.time - b.time)).toEqual(all.events);

  // Who has read nothing of it finds the same behind a cursor.
  const { next } = pages.at(-3) ?? all;
  using other = SessionReader.open(path);
  const later = other.channel({ ...everything, ...next, until: 1e15 });
  expect(later.events).toEqual(pages.slice(-2).flatMap((page) => page.events));
  expect(later).toMatchObject({ next: null, connections: [{ isAccepted: true, fd: 9 }] });

  expect(() => other.channel({ ...everything, part: 1e14, until: 1e15 })).toThrow(
    /beyond the last/,
  );

  // A range of time comes with what was opened before it; parts without anything of it are passed over.
  const [timeFrom = 0, timeTo = 0] = [sends - 20, sends - 10].map((at) => all.events[at]?.time);
  const late = reader.channel({ ...everything, timeFrom, timeTo, until: 1e15 });
  expect(late.events).toEqual(all.events.slice(sends - 20, sends - 9));
  expect(late.next).toBeNull();
});
