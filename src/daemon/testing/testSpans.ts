import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { StrobeError } from '../../model/errors.ts';
import type { CallFilter } from '../../model/questions/query.ts';
import type { TestSpan } from '../../model/tests/testSpan.ts';
import { findTests } from '../../testing/findTest.ts';

const span = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('time'),
    test: z.string(),
    pid: z.number(),
    from: z.number(),
    to: z.number().nullable(),
  }),
  z.object({ kind: z.literal('thread'), test: z.string(), threadName: z.string() }),
  z.object({
    kind: z.literal('threads'),
    test: z.string(),
    pid: z.number(),
    threadNames: z.array(z.string()),
  }),
  z.object({ kind: z.literal('strand'), test: z.string(), strand: z.string() }),
]);
const spansFile = z.object({ version: z.literal(1), spans: z.array(span) });

function fileOf(storePath: string): string {
  return join(dirname(storePath), 'tests.json');
}

/** Leaves beside a session's store which of its events belong to which test. */
export async function writeSpans(storePath: string, spans: readonly TestSpan[]): Promise<void> {
  await writeFile(fileOf(storePath), JSON.stringify({ version: 1, spans }), { mode: 0o600 });
}

/** The tests of a session; null when it ran none, or they cannot be told apart. */
export async function readSpans(storePath: string): Promise<readonly TestSpan[] | null> {
  try {
    return spansFile.parse(JSON.parse(await readFile(fileOf(storePath), 'utf8'))).spans;
  } catch {
    return null; // A session without tests has no such file.
  }
}

/** What a name of a test means as a filter. Throws BAD_PARAMETER or UNKNOWN_TEST. */
export function testFilter(spans: readonly TestSpan[] | null, wanted: string): CallFilter {
  if (spans === null || spans.length === 0)
    throw new StrobeError(
      'BAD_PARAMETER',
      'The events of this session are not known to belong to tests.',
      'Filter by test in the session of an ended debug_test run with patterns (GoogleTest, Catch2, cargo, go, pytest, unittest, Vitest, Jest, Mocha, node:test); else use within or threadName.',
    );
  const known = spans.map(({ test }) => ({ id: test, name: test, file: null }));
  const [only, other] = findTests(wanted, known).tests;
  const found = spans.find(({ test }) => test === only?.id);
  if (!found || other)
    throw new StrobeError('UNKNOWN_TEST', `"${wanted}" fits several tests of this session.`);
  return spanFilter(found);
}

/** The events of a test. */
export function spanFilter(found: TestSpan): CallFilter {
  if (found.kind === 'thread') return { threadName: { equals: found.threadName } };
  if (found.kind === 'strand') return { strand: found.strand };
  if (found.kind === 'threads')
    return { pid: found.pid, threadName: { matches: `^(?:${found.threadNames.join('|')})$` } };
  const { pid, from, to } = found;
  return { pid, timeFrom: from, ...(to === null ? {} : { timeTo: to }) };
}
