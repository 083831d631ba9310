import fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writeExport } from '../../../src/db/export/writeExport.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import { firstActivation } from '../../../src/model/eventColumns.ts';
import { definedFunction } from '../../../src/model/functions/definedFunction.ts';
import { callId } from '../../../src/model/ids.ts';
import type { ExportFormatName } from '../../../src/model/questions/exportFormat.ts';
import type { CallFilter } from '../../../src/model/questions/query.ts';
import { at, listAt, numberAt } from '../../support/read.ts';
import { MixedThread, mixedRun } from '../../unit/db/mixedThread.ts';
import { batch, seeded } from '../../unit/db/simulatedThread.ts';
import { madeUpFunction, TemporaryFolder } from './randomSession.ts';

const functions = [
  ...Array.from({ length: 8 }, (_unused, i) =>
    madeUpFunction(`native${i}`, i, { captured: [], returns: { kind: 'unknown' } }),
  ),
  ...Array.from({ length: 6 }, (_unused, i) =>
    definedFunction(
      {
        kind: 'function',
        number: firstActivation + i,
        language: 'python',
        qualifiedName: `f${i}`,
        file: '/shop.py',
        line: 1,
        column: 0,
        offset: i,
        flags: 0,
        parameters: [],
      },
      [],
    ),
  ),
];

function stored(folder: TemporaryFolder, program: MixedThread): void {
  using writer = SessionWriter.open(folder.file('s.db'), { sessionId: 't', blockCalls: 16 });
  writer.defineFunctions(functions);
  writer.defineThread({ key: 1, pid: 7, tid: 7, name: 'main' });
  writer.append(1, batch(program.events));
  writer.commit(program.time);
}

async function exported(
  folder: TemporaryFolder,
  program: MixedThread,
  format: ExportFormatName,
  filter: CallFilter = {},
): Promise<{ readonly text: string; readonly notes: readonly string[] }> {
  const path = folder.file('export');
  writeFileSync(path, '');
  const { notes } = await writeExport(
    {
      storePath: folder.file('s.db'),
      format,
      filter,
      eventTypes: ['call'],
      until: Number.MAX_SAFE_INTEGER,
      about: {
        sessionId: 'random-1',
        command: ['random'],
        pid: 7,
        strobe: '0',
        filters: {},
        sampled: 0,
        lost: {},
        startedAt: new Date(0).toISOString(),
        startedAtMs: 0,
        notes: [],
        knownUntil: program.time,
      },
      target: { kind: 'file', path },
    },
    () => undefined,
  );
  return { text: readFileSync(path, 'utf8'), notes };
}

test('[dynamic.exports] slices of a track never overlap: what was suspended has tracks of its own', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 200 }), async (seed, steps) => {
      using folder = new TemporaryFolder();
      const program = mixedRun(seeded(seed), steps, { greenlets: seed % 2 === 0 ? 2 : 0 });
      stored(folder, program);
      const { text } = await exported(folder, program, 'chrome');
      const all = listAt(JSON.parse(text), 'traceEvents');
      const calls = all.filter((one) => ['X', 'B'].includes(String(at(one, 'ph'))));
      expect(calls.map((one) => at(one, 'args', 'strobe.call.id'))).toEqual(
        program.calls.map((_call, ordinal) => callId(1, ordinal)),
      );
      const open = new Map<unknown, number[]>();
      for (const one of calls) {
        const from = Math.round(numberAt(one, 'ts') * 1000);
        const tid = at(one, 'tid');
        const ends = open.get(tid) ?? [];
        open.set(tid, ends);
        while ((ends.at(-1) ?? Infinity) <= from) ends.pop();
        if (at(one, 'ph') === 'B') continue;
        const to = from + Math.round(numberAt(one, 'dur') * 1000);
        expect(to).toBeLessThanOrEqual(ends.at(-1) ?? Infinity);
        ends.push(to);
      }
    }),
    { numRuns: 40 },
  );
});

test('[dynamic.exports] every format of calls tells callers, suspended time and strands', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 150 }), async (seed, steps) => {
      using folder = new TemporaryFolder();
      const program = mixedRun(seeded(seed), steps, { greenlets: seed % 2 === 0 ? 2 : 0 });
      stored(folder, program);
      const { text } = await exported(folder, program, 'otlp');
      const spans = text
        .trimEnd()
        .split('\n')
        .filter((line) => line !== '')
        .flatMap((line) => listAt(JSON.parse(line), 'resourceSpans', 0, 'scopeSpans', 0, 'spans'));
      const ids = new Map(
        spans.map((span) => [at(span, 'spanId'), attributeOf(span, 'strobe.call.id')]),
      );
      const parents = new Map(
        spans.map((span) => [
          attributeOf(span, 'strobe.call.id'),
          ids.get(at(span, 'parentSpanId')) ?? null,
        ]),
      );
      for (const [ordinal, { parent }] of program.calls.entries())
        expect(parents.get(callId(1, ordinal))).toBe(parent < 0 ? null : callId(1, parent));
      const lines = (await exported(folder, program, 'jsonl')).text
        .trimEnd()
        .split('\n')
        .slice(1, -1);
      for (const [ordinal, line] of lines.map((one): unknown => JSON.parse(one)).entries()) {
        const call = program.calls[ordinal];
        if (!call) continue;
        expect(at(line, 'parentEventId')).toBe(call.parent < 0 ? null : callId(1, call.parent));
        const suspended = call.end === 'open' || call.fn < firstActivation ? 0 : call.suspendedNs;
        expect(at(line, 'suspendedNs') ?? 0).toBe(suspended);
        expect(at(line, 'strand') ?? null).toBe(call.strand === 0 ? null : `strand ${call.strand}`);
      }
      const rows = (await exported(folder, program, 'csv')).text.trimEnd().split('\r\n');
      expect(new Set(rows.slice(2, -1).map((row) => row.split(',').length)).size).toBeLessThan(2);
    }),
    { numRuns: 30 },
  );
});

function attributeOf(span: unknown, key: string): unknown {
  const found = listAt(span, 'attributes').find((one) => at(one, 'key') === key);
  return at(found, 'value', 'stringValue');
}

test('[dynamic.exports] flame graphs count no time in which a call was suspended; speedscope says what it leaves out', async () => {
  using folder = new TemporaryFolder();
  const program = new MixedThread((below) => (below === 1000 ? 99 : 0));
  // Each step takes 100 ns.
  program.enterActivation(false);
  program.enterActivation(true);
  program.suspend();
  program.enterNative();
  program.leave('return');
  program.resume(0, 'resume');
  program.enterNative();
  program.leave('return');
  program.leave('return');
  program.leave('return');
  stored(folder, program);
  const folded = (await exported(folder, program, 'folded')).text.trimEnd().split('\n').toSorted();
  const [outer, inner, , last] = program.calls.map(
    ({ fn }) => functions.find(({ number }) => number === fn)?.name,
  );
  expect(folded).toEqual(
    [
      `main;${outer} 400`,
      `main;${outer};${inner} 300`,
      `main;${outer};${inner};${last} 100`,
      `main;${outer};${last} 100`,
    ].toSorted(),
  );
  const { notes } = await exported(folder, program, 'speedscope');
  expect(notes.join(' ')).toMatch(/^2 calls that were suspended/);
});
