import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import type { ChannelQuery } from '../../../src/model/channels/channelEvent.ts';
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

/** A connection is accepted, then bytes are sent over it again and again. */
function recorded(path: string): void {
  const thread = new SimulatedThread(seeded(1));
  thread.enter(0, word(3));
  thread.leave('return', word(7));
  for (let i = 0; i < sends; i++) {
    thread.enter(1, word(7));
    thread.leave('return', word(5));
  }
  const writer = SessionWriter.open(path, { sessionId: 'test', blockCalls });
  writer.defineFunctions(functions);
  writer.defineThread({ key: 1, pid: 100, tid: 100, name: 'main' });
  writer.append(1, batch(thread.events));
  writer.commit(thread.time);
  writer.close();
}

test('[channel.net] of more than is read at once the first events are shown, and a later range of time with what was opened before it', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  recorded(path);
  using reader = SessionReader.open(path);
  const all = reader.channel(everything);
  expect(all).toMatchObject({ total: sends + 1, complete: true });

  const hasty = { ...everything, deadlineMs: 0 };
  const first = reader.channel({ ...hasty, until: everything.until - 1 });
  expect(first.complete).toBe(false);
  expect(first.events).toEqual(all.events.slice(0, blockCalls));
  expect(first.lookedUntil).toBe(all.events[blockCalls]?.time);

  // Within what was read: nothing is missing.
  const timeTo = all.events[10]?.time ?? 0;
  const early = reader.channel({ ...hasty, timeTo, until: everything.until - 1 });
  expect(early).toMatchObject({ total: 11, complete: true });

  const timeFrom = all.events[sends - 20]?.time ?? 0;
  const late = reader.channel({ ...hasty, timeFrom, until: everything.until - 1 });
  expect(late).toMatchObject({ complete: true, connections: [{ isAccepted: true, fd: 7 }] });
  expect(late.events).toEqual(all.events.slice(sends - 20));
});
