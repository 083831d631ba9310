import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import { firstActivation, type TracedFunction } from '../../../src/model/eventColumns.ts';
import { definedFunction } from '../../../src/model/functions/definedFunction.ts';
import { callId } from '../../../src/model/ids.ts';
import type { CallView } from '../../../src/model/questions/query.ts';
import { mixedRun, type MixedThread } from '../../unit/db/mixedThread.ts';
import { allEvents } from '../../support/questions.ts';
import { batch, seeded } from '../../unit/db/simulatedThread.ts';
import { TemporaryFolder } from './randomSession.ts';

const ring = { path: '/rings/1', pid: 7, parent: null };
const thread = { key: 1, pid: 7, tid: 7, name: 'main' };

function native(number: number): TracedFunction {
  const name = `native${number}`;
  return {
    number,
    name,
    signature: name,
    linkageName: name,
    module: '/m',
    address: number,
    file: null,
    line: null,
    captured: [],
    uncaptured: [],
    returns: { kind: 'unknown' },
  };
}

function dynamic(number: number, parameters: readonly string[] = []): TracedFunction {
  return definedFunction(
    {
      kind: 'function',
      number,
      language: 'python',
      qualifiedName: `shop.f${number}`,
      file: '/shop.py',
      line: number - firstActivation,
      column: 0,
      offset: number,
      flags: 0,
      parameters,
    },
    [],
  );
}

const functions = [
  ...Array.from({ length: 8 }, (_unused, i) => native(i)),
  ...Array.from({ length: 6 }, (_unused, i) => dynamic(firstActivation + i)),
];

function allCalls(path: string): CallView[] {
  using reader = SessionReader.open(path);
  const found: CallView[] = [];
  let cursor: string | null = null;
  do {
    const page = reader.events({ ...allEvents, cursor });
    for (const event of page.events) if ('call' in event) found.push(event.call);
    cursor = page.cursor;
  } while (cursor !== null);
  return found;
}

/** What can be told of a call after all its events. */
interface Told extends Pick<CallView, 'id' | 'parent' | 'fn' | 'depth' | 'time' | 'end'> {
  readonly durationNs: number | null;
  readonly strand: number;
  readonly suspendedNs: number;
  readonly isWaiting: boolean;
}

function told({ id, parent, fn, depth, time, end, ...call }: CallView): Told {
  return {
    id,
    parent,
    fn,
    depth,
    time,
    end,
    durationNs: call.durationNs,
    strand: call.strand?.number ?? 0,
    suspendedNs: call.suspendedNs ?? 0,
    isWaiting: call.suspendedSince !== undefined,
  };
}

function truths(program: MixedThread): Told[] {
  const waiting = program.waiting();
  return program.calls.map(({ fn, parent, depth, start, end, strand, ...call }, ordinal) => ({
    id: callId(1, ordinal),
    parent: parent < 0 ? null : callId(1, parent),
    fn,
    depth,
    time: start,
    end,
    strand,
    durationNs: end === 'open' ? null : call.durationNs,
    suspendedNs: end === 'open' || fn < firstActivation ? 0 : call.suspendedNs,
    isWaiting: end === 'open' && waiting.has(ordinal),
  }));
}

test('[dynamic.nesting] a store holds mixed programs as they ran, whenever it is written and by how many writers', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 300 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 }),
      (seed, steps, parts) => {
        using folder = new TemporaryFolder();
        const program = mixedRun(seeded(seed), steps, { greenlets: seed % 3 === 0 ? 2 : 0 });
        const { events } = program;
        const options = { sessionId: 't', blockCalls: 16 };
        let { writer } = SessionWriter.continue(folder.file('s.db'), options);
        writer.defineFunctions(functions);
        writer.defineThread(thread, ring.path);
        for (let from = 0, i = 0; from < events.length; i++) {
          const to = Math.min(events.length, from + (parts[i % parts.length] ?? 1));
          writer.append(1, batch(events, from, to));
          from = to;
          if (i % 3 !== 2) continue;
          writer.commit(program.time);
          if (i % 4 !== 1) continue;
          writer.close();
          ({ writer } = SessionWriter.continue(folder.file('s.db'), options));
        }
        writer.commit(program.time);
        const { counters, openCalls } = writer.summary();
        expect(counters.stored).toBe(events.length);
        expect(counters.lost).toBe(0);
        expect(openCalls).toBe(program.calls.filter(({ end }) => end === 'open').length);
        writer.close();
        const inTime = allCalls(folder.file('s.db')).toSorted((a, b) => a.time - b.time);
        expect(inTime.map(told)).toEqual(truths(program));
      },
    ),
    { numRuns: 60 },
  );
});
