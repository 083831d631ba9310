import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter, type WriterOptions } from '../../../src/db/writer/sessionWriter.ts';
import type { OutputPage, OutputQuery } from '../../../src/model/questions/query.ts';
import { allEvents, allOutput } from '../../support/questions.ts';
import { TemporaryFolder } from './randomSession.ts';

interface Store {
  readonly writer: SessionWriter;
  readonly reader: SessionReader;
}

function withStore(work: (store: Store) => void, options: Partial<WriterOptions> = {}): void {
  using folder = new TemporaryFolder();
  using writer = SessionWriter.open(folder.file('s.db'), { sessionId: 't', ...options });
  using reader = SessionReader.open(folder.file('s.db'));
  work({ writer, reader });
}

function write(
  { writer }: Store,
  time: number,
  bytes: Uint8Array | string,
  stream: 'stdout' | 'stderr' = 'stdout',
): void {
  const raw = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  writer.appendOutput([{ stream, pid: 7, time, bytes: raw }]);
}

function texts(page: OutputPage): string[] {
  return page.lines.map((line) => line.text);
}

test('however output is cut into reads and commits, the same lines come out', () => {
  const lines = fc.array(fc.stringMatching(/^[a-zé€😀 ]{0,12}$/u), { maxLength: 12 });
  fc.assert(
    fc.property(
      lines,
      fc.array(fc.nat(8), { minLength: 1 }),
      fc.boolean(),
      (wanted, cuts, ends) => {
        withStore((store) => {
          const whole = new TextEncoder().encode(wanted.map((line) => `${line}\n`).join(''));
          const bytes = ends ? whole : whole.subarray(0, Math.max(0, whole.length - 1));
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = 1 + (cuts[i % cuts.length] ?? 0);
            write(store, i, bytes.subarray(at, at + size));
            if (size % 2 === 0) store.writer.commit(i);
            at += size;
          }
          store.writer.commit(1000);
          // An empty last line without its newline was never begun.
          const shown = !ends && wanted.at(-1) === '' ? wanted.slice(0, -1) : wanted;
          expect(texts(store.reader.output(allOutput))).toEqual(shown);
          expect(store.reader.output(allOutput).lines.every((line) => line.bytes === null)).toBe(
            true,
          );
          expect(store.reader.summary()).toMatchObject({
            outputLines: shown.length,
            outputBytes: bytes.length,
          });
        });
      },
    ),
    { numRuns: 60 },
  );
});

test('of a long line it is told where the match begins', () => {
  withStore((store) => {
    write(store, 1, `${'é'.repeat(300)}Needle 17\nneedle\n${'x'.repeat(300)}\n`);
    store.writer.commit(2);
    const places = (match: string) =>
      store.reader.output({ ...allOutput, match }).lines.map(({ foundAt }) => foundAt);
    expect(places('needle')).toEqual([300, undefined]);
    expect(places('/eedle \\d/')).toEqual([301]);
    expect(places('x')).toEqual([undefined]);
  });
});

test('since a mark there is what came later, of unfinished lines the rest', () => {
  withStore((store) => {
    write(store, 5, 'ready\n> ');
    write(store, 6, 'é', 'stderr');
    store.writer.commit(10);
    const { unfinishedLines = [] } = store.reader.summary();
    expect(unfinishedLines).toEqual([
      { id: 2, time: 5, length: 2 },
      { id: 3, time: 6, length: 1 },
    ]);
    const since = { time: 10, unfinished: unfinishedLines };
    expect(store.reader.output({ ...allOutput, since })).toMatchObject({ lines: [], total: 0 });
    write(store, 20, '= 42\n> ');
    store.writer.commit(30);
    const later = { ...allOutput, since };
    expect(texts(store.reader.output(later))).toEqual(['= 42', '> ']);
    expect(texts(store.reader.output({ ...later, match: '42' }))).toEqual(['= 42']);
    expect(texts(store.reader.output({ ...later, match: '/^= \\d+$/' }))).toEqual(['= 42']);
    expect(texts(store.reader.output({ ...later, match: '> = 42' }))).toEqual([]);
    expect(store.reader.output({ ...later, tail: 1 })).toMatchObject({
      lines: [{ text: '> ' }],
      total: 2,
    });
    expect(texts(store.reader.output({ ...allOutput, match: '> = 42' }))).toEqual(['> = 42']);
  });
});

test('an unfinished line is visible, keeps its id and time, and is completed in place', () => {
  withStore((store) => {
    write(store, 10, 'Password');
    store.writer.commit(11);
    const [begun] = store.reader.output(allOutput).lines;
    expect(begun).toMatchObject({ text: 'Password', time: 10 });
    write(store, 20, ': ok\nnext\n');
    write(store, 21, 'from stderr\n', 'stderr');
    store.writer.commit(30);
    const { lines } = store.reader.output(allOutput);
    expect(lines.map((line) => [line.id, line.time, line.stream, line.text])).toEqual([
      [begun?.id, 10, 'stdout', 'Password: ok'],
      [2, 20, 'stdout', 'next'],
      [3, 21, 'stderr', 'from stderr'],
    ]);
    const found = store.reader.events({
      ...allEvents,
      filter: { text: 'ok' },
      eventTypes: ['stdout'],
      limit: 5,
      until: 99,
    });
    expect(found.events.map((event) => 'text' in event && event.text)).toEqual(['Password: ok']);
  });
});

test('bytes that are not UTF-8 are kept beside the readable text', () => {
  withStore((store) => {
    const bytes = Uint8Array.from([0x61, 0xff, 0x62, 10]);
    write(store, 1, bytes);
    store.writer.commit(2);
    const [line] = store.reader.output(allOutput).lines;
    expect(line).toMatchObject({ text: 'a\ufffdb', bytes: Uint8Array.from([0x61, 0xff, 0x62]) });
  });
});

test('a line without end is stored in pieces that break no character', () => {
  withStore((store) => {
    const text = `x${'€'.repeat(50_000)}`;
    write(store, 1, text);
    store.writer.commit(2);
    const { lines } = store.reader.output(allOutput);
    expect(lines.length).toBe(3);
    expect(texts(store.reader.output(allOutput)).join('')).toBe(text);
  });
});

test('beyond the limit the oldest lines go and are counted', () => {
  withStore(
    (store) => {
      for (let i = 0; i < 100; i++) write(store, i, `line number ${i}\n`);
      store.writer.commit(100);
      const { lines, total } = store.reader.output(allOutput);
      expect(lines.at(-1)?.text).toBe('line number 99');
      expect(total).toBeLessThan(70);
      const summary = store.reader.summary();
      expect(summary.outputLines).toBe(total);
      expect(summary.counters.byCause.outputLimit).toBe(100 - total);
      expect(summary.counters.lost).toBe(0);
      const old = store.reader.events({
        ...allEvents,
        filter: { text: 'line 3' },
        eventTypes: ['stdout'],
        limit: 50,
        until: 999,
      });
      expect(old.events.some((event) => 'text' in event && event.text === 'line number 3')).toBe(
        false,
      );
    },
    { maxOutputBytes: 1000 },
  );
});

test('a match is a part of the line whatever the case, and nothing in it is special', () => {
  withStore((store) => {
    write(store, 1, '100% done\n100 done\na_b\naxb\nback\\slash\nÜBER\n/etc/passwd\n');
    store.writer.commit(2);
    const show = (match: string): string[] => texts(store.reader.output({ ...allOutput, match }));
    expect(show('0% D')).toEqual(['100% done']);
    expect(show('A_B')).toEqual(['a_b']);
    expect(show('K\\S')).toEqual(['back\\slash']);
    expect(show('über')).toEqual(['ÜBER']);
    expect(show('/etc')).toEqual(['/etc/passwd']);
    expect(show('/^a.b$/')).toEqual(['a_b', 'axb']);
  });
});

test('stream, time, process, match, tail and cursor restrict what is shown', () => {
  withStore((store) => {
    for (let i = 0; i < 30; i++)
      write(store, i * 10, `Line ${i}\n`, i % 3 === 0 ? 'stderr' : 'stdout');
    store.writer.commit(300);
    const show = (change: Partial<OutputQuery>): string[] =>
      texts(store.reader.output({ ...allOutput, ...change }));
    expect(show({ stream: 'stderr' })).toHaveLength(10);
    expect(show({ timeFrom: 280 })).toEqual(['Line 28', 'Line 29']);
    expect(show({ timeTo: 10 })).toEqual(['Line 0', 'Line 1']);
    expect(show({ until: 5 })).toEqual(['Line 0']);
    expect(show({ pid: 8 })).toEqual([]);
    expect(show({ match: 'LINE 2', tail: 2 })).toEqual(['Line 28', 'Line 29']);
    expect(show({ match: '/[12]9$/' })).toEqual(['Line 19', 'Line 29']);
    expect(show({ tail: 3 })).toEqual(['Line 27', 'Line 28', 'Line 29']);
    for (const match of [null, 'line', '/ine/']) {
      const paged: string[] = [];
      for (let cursor: string | null = null; ;) {
        const page = store.reader.output({ ...allOutput, match, limit: 7, cursor });
        expect(page.total).toBe(30);
        const [after] = page.cursors;
        const rest = store.reader.output({ ...allOutput, match, limit: 7, cursor: after ?? null });
        expect(texts(rest).slice(0, 6)).toEqual(texts(page).slice(1));
        paged.push(...texts(page));
        if (page.cursor === null) break;
        cursor = page.cursor;
      }
      expect(paged).toEqual(show({}));
    }
    expect(() => show({ match: '/(/' })).toThrow(expect.objectContaining({ code: 'BAD_REGEX' }));
    expect(() => show({ cursor: 'x' })).toThrow(expect.objectContaining({ code: 'BAD_CURSOR' }));
  });
});

test('[query.filter] every filter of output, alone and combined, page by page, shows the lines a plain search finds', () => {
  const words = ['ready', 'Error 4', 'é', '', 'a_b%', '/tmp/x', 'READY again'];
  const line = fc.record({
    text: fc.constantFrom(...words),
    stream: fc.constantFrom('stdout' as const, 'stderr' as const),
    pid: fc.constantFrom(7, 8),
    after: fc.nat(3),
  });
  const time = fc.option(fc.nat(120), { nil: null });
  const question = fc.record({
    stream: fc.constantFrom(null, 'stdout' as const, 'stderr' as const),
    tail: fc.option(fc.integer({ min: 1, max: 20 }), { nil: null }),
    match: fc.constantFrom(null, null, 'ready', 'É', '_B%', 'nothing', '/^[a-z]+ \\d$/', '/x$|^$/'),
    pid: fc.constantFrom(null, 7, 8, 9),
    timeFrom: time,
    timeTo: time,
    until: fc.constantFrom(60, 1000),
    limit: fc.integer({ min: 1, max: 9 }),
  });
  let found = 0;
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 80 }),
      fc.array(question, { minLength: 6, maxLength: 6 }),
      (lines, questions) => {
        withStore(({ writer, reader }) => {
          let now = 0;
          const known = lines.map(({ after, ...rest }) => ({ ...rest, time: (now += after) }));
          for (const { stream, pid, time: at, text } of known)
            writer.appendOutput([{ stream, pid, time: at, bytes: Buffer.from(`${text}\n`) }]);
          writer.commit(1000);
          const matches = (text: string, match: string | null): boolean => {
            if (match === null) return true;
            return match.startsWith('/')
              ? new RegExp(match.slice(1, -1)).test(text)
              : text.toLowerCase().includes(match.toLowerCase());
          };
          for (const { tail, limit, ...wanted } of questions) {
            const fits = known.filter(
              ({ stream, pid, time: at, text }) =>
                (wanted.stream ?? stream) === stream &&
                (wanted.pid ?? pid) === pid &&
                at >= (wanted.timeFrom ?? 0) &&
                at <= Math.min(wanted.timeTo ?? Number.POSITIVE_INFINITY, wanted.until) &&
                matches(text, wanted.match),
            );
            found += fits.length;
            const expected = fits.map((one) => [one.time, one.stream, one.text]);
            const shown: unknown[] = [];
            for (let cursor: string | null = null; ;) {
              const page = reader.output({ ...allOutput, ...wanted, limit, cursor });
              expect(page.total).toBe(fits.length);
              shown.push(...page.lines.map((one) => [one.time, one.stream, one.text]));
              ({ cursor } = page);
              if (cursor === null) break;
            }
            expect(shown).toEqual(expected);
            if (tail === null) continue;
            const last = reader.output({ ...allOutput, ...wanted, tail });
            expect(last.lines.map((one) => [one.time, one.stream, one.text])).toEqual(
              expected.slice(-tail),
            );
          }
        });
      },
    ),
    { numRuns: 40 },
  );
  expect(found).toBeGreaterThan(0);
});
