import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import {
  testFrameworks,
  testPhases,
  type TestResult,
  type TestRunReport,
} from '../../model/tests/testReport.ts';

/** Layout of details.json. */
const version = 1;

const text = z.string().nullable();
const frame = z.object({ function: text, file: z.string(), line: z.number().nullable() });
const failure = z.object({
  message: z.string(),
  expected: text,
  actual: text,
  frames: z.array(frame),
  output: z.string(),
});
const result = z.object({
  id: z.string(),
  name: z.string(),
  file: text,
  line: z.number().nullable(),
  outcome: z.enum(['passed', 'failed', 'skipped', 'expectedFailure']),
  durationMs: z.number().nullable(),
  reason: text,
  failure: failure.nullable(),
});
const diagnosis = z.object({
  test: z.string(),
  text: z.string(),
  sessionId: text,
  compared: z.object({ test: z.string(), sessionId: z.string() }).nullable(),
  steps: z.array(
    z.object({
      tool: z.enum(['debug_query', 'debug_test']),
      arguments: z.record(z.string(), z.unknown()),
      why: z.string(),
    }),
  ),
  suspects: z
    .array(z.object({ function: z.string(), file: z.string(), line: z.number() }))
    .default([]),
});
const report = z.object({
  id: z.string(),
  projectRoot: z.string(),
  root: z.string(),
  framework: z.enum(testFrameworks),
  language: z.string(),
  reasons: z.array(z.string()),
  command: z.array(z.string()),
  state: z.object({
    kind: z.literal('ended'),
    by: z.enum(['itself', 'cancelled', 'limit', 'abandoned', 'lost']),
    verdict: z.enum(['passed', 'failed', 'noTests', 'compileError', 'crashed']),
    exit: text,
  }),
  startedAtMs: z.number(),
  elapsedMs: z.number(),
  phase: z.enum(testPhases),
  counts: z.object({
    passed: z.number(),
    failed: z.number(),
    skipped: z.number(),
    expectedFailures: z.number(),
  }),
  expected: z.number().nullable(),
  current: z.array(z.object({ name: z.string(), forMs: z.number() })),
  failures: z.array(
    z.object({
      result,
      ownFrames: z.array(frame),
      suggestedTraces: z.array(z.string()),
      rerunCommand: z.string(),
      isFlaky: z.boolean(),
    }),
  ),
  buildProblems: z.array(
    z.object({
      file: text,
      line: z.number().nullable(),
      column: z.number().nullable(),
      message: z.string(),
    }),
  ),
  troubles: z.array(z.string()),
  warnings: z.array(z.string()),
  stuck: z.array(z.object({ test: text, observed: z.string(), stacks: text, advice: z.string() })),
  hint: text,
  project: z
    .object({ language: text, buildSystem: text, testFiles: z.array(z.string()) })
    .nullable()
    .default(null),
  outputTail: z.string(),
  isPart: z.boolean().default(false),
  details: z.string(),
  sessionId: text,
  diagnoses: z.array(diagnosis).default([]),
});

const details = z.object({
  version: z.literal(version),
  report,
  /** Every test of the run. */
  tests: z.array(result),
});

/** Writes the whole of a run, by rename: a reader never sees half of it. */
export async function writeDetails(
  ended: TestRunReport,
  tests: readonly TestResult[],
): Promise<void> {
  const partial = `${ended.details}.partial`;
  const body = JSON.stringify({ version, report: ended, tests }, null, 1);
  await writeFile(partial, body, { mode: 0o600 });
  await rename(partial, ended.details);
}

/** An ended run with all its tests; null when the file is gone or of another layout. */
export async function readDetails(
  path: string,
): Promise<{ readonly report: TestRunReport; readonly tests: readonly TestResult[] } | null> {
  try {
    const parsed = details.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // Retention removed it.
  }
}
