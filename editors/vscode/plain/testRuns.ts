import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { listMember, member, numberMember, textMember } from '../../../src/client/messages.ts';
import { partsOf, type StoryPart } from './crashStory.ts';
import { sourcePlace, type SourcePlace } from './sourcePlace.ts';
import { StrobeFailure, type StrobeServer } from './strobeServer.ts';

/** A test as it ended. */
export interface TestOutcome {
  readonly name: string;
  /** Its file; empty: unknown. */
  readonly file: string;
  readonly place: SourcePlace | null;
  readonly outcome: string;
  readonly durationMs: number;
  /** What a failed one said. */
  readonly message: string;
  /** Where it was diagnosed. */
  readonly story: FailureStory | null;
  readonly expected: string | null;
  readonly actual: string | null;
}

/** What a failed test did when it ran again, traced. */
export interface FailureStory {
  readonly lines: readonly (readonly StoryPart[])[];
  /** The likeliest faulty line; null: none is known. */
  readonly faulty: SourcePlace | null;
}

export interface TestsAsked {
  readonly projectRoot: string;
  /** A single one, or those of one file; without both: all. */
  readonly test?: string;
  readonly file?: string;
  /** Failed ones run again, traced, and are explained. */
  readonly diagnose: boolean;
}

const waitMs = 20_000;

/** Runs tests of a project by its own framework, to the end or until it is cancelled. Throws StrobeFailure. */
export async function runTests(
  server: StrobeServer,
  asked: TestsAsked,
  signal: AbortSignal,
): Promise<TestOutcome[]> {
  const { body } = await server.call('debug_test', { action: 'run', ...asked, waitMs: 0 });
  return await outcomesOf(server, textMember(body, 'testRunId'), signal);
}

/** Every test of a run, when it has ended. A run is cancelled with the signal. Throws StrobeFailure. */
export async function outcomesOf(
  server: StrobeServer,
  testRunId: string,
  signal: AbortSignal,
): Promise<TestOutcome[]> {
  const cancel = (): void =>
    void server.call('debug_test', { action: 'cancel', testRunId }).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const wait = { action: 'wait', testRunId, timeoutMs: waitMs };
  let body: unknown;
  try {
    do ({ body } = await server.call('debug_test', wait));
    while (textMember(body, 'state') === 'running');
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  const verdict = textMember(body, 'verdict');
  if (verdict === 'noTests' || verdict === 'compileError') throw new StrobeFailure(whyNone(body));
  return await outcomesIn(textMember(body, 'details'));
}

function whyNone(body: unknown): string {
  const errors = listMember(body, 'compileErrors').map(
    (one) =>
      `${textMember(one, 'file')}:${numberMember(one, 'line')}: ${textMember(one, 'message')}`,
  );
  const words = errors.length > 0 ? ['The tests do not compile.', ...errors] : [];
  return [...words, textMember(body, 'hint')].filter(Boolean).join('\n') || 'No test was found.';
}

/** Every test of a run, from the file that it names. */
async function outcomesIn(details: string): Promise<TestOutcome[]> {
  const whole: unknown = JSON.parse(await readFile(details, 'utf8'));
  const report = member(whole, 'report');
  const root = textMember(report, 'root');
  const stories = new Map(
    listMember(report, 'diagnoses').map((one) => [textMember(one, 'test'), storyOf(one, root)]),
  );
  return listMember(whole, 'tests').map((test) => {
    const name = textMember(test, 'name');
    const file = textMember(test, 'file');
    const failure = member(test, 'failure');
    const story = stories.get(name) ?? stories.get(textMember(test, 'id')) ?? null;
    const line = numberMember(test, 'line');
    return {
      name,
      file: file === '' || isAbsolute(file) ? file : join(root, file),
      place: line === 0 ? null : sourcePlace(`${file}:${line}`, root),
      outcome: textMember(test, 'outcome'),
      durationMs: numberMember(test, 'durationMs'),
      message: textMember(failure, 'message'),
      story,
      expected: textOrNull(failure, 'expected'),
      actual: textOrNull(failure, 'actual'),
    };
  });
}

function storyOf(diagnosis: unknown, root: string): FailureStory {
  const [suspect] = listMember(diagnosis, 'suspects');
  const place = { path: textMember(suspect, 'file'), line: numberMember(suspect, 'line') };
  return {
    lines: textMember(diagnosis, 'text')
      .split('\n')
      .map((line) => partsOf(line, { projectRoot: root })),
    faulty: suspect === undefined ? null : place,
  };
}

function textOrNull(value: unknown, name: string): string | null {
  return textMember(value, name) || null;
}
