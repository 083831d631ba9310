import { z } from 'zod';
import { testFrameworks, testLevels } from '../../model/tests/testReport.ts';
import { nextStepsAnswer } from './answers.ts';
import { pathParameter, testWatchList } from './parameters.ts';
import { defineTool } from './tool.ts';

const testRunId = z.string().min(1).max(200).describe('Give an id or unique prefix.');
const waitMs = z.int().min(0).max(50_000);

const input = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('run'),
    projectRoot: pathParameter.describe('Give an absolute path.'),
    framework: z.enum(testFrameworks).describe('Detected by default.').exactOptional(),
    command: z
      .string()
      .min(1)
      .max(4000)
      .describe('Run this test binary; with "generic" any command line.')
      .exactOptional(),
    level: z.enum(testLevels).describe('Run only tests of this level.').exactOptional(),
    file: pathParameter.describe('Run only this test file.').exactOptional(),
    test: z
      .string()
      .min(1)
      .max(4000)
      .describe('Run only this test: a name or unique part.')
      .exactOptional(),
    rerunFailed: z.boolean().default(false).describe('Run only the tests that failed last.'),
    patterns: z
      .array(z.string().min(1).max(1000))
      .max(64)
      .default([])
      .describe('Trace these, as in debug_trace.'),
    watches: testWatchList.default([]),
    diagnose: z.boolean().default(false).describe('Rerun failed tests traced and explain them.'),
    env: z.record(z.string(), z.string()).default({}).describe('Add these variables.'),
    timeoutMs: z
      .int()
      .min(100)
      .max(86_400_000)
      .describe('Kill it after this long (default: never).')
      .exactOptional(),
    waitMs: waitMs
      .describe('Wait at most this long (default 20000, at most 50000).')
      .exactOptional(),
    allowParallel: z.boolean().default(false).describe('Start even if a run is in progress.'),
    requestId: z
      .string()
      .min(1)
      .max(200)
      .describe('The same key within 10 minutes starts nothing again.')
      .exactOptional(),
  }),
  z.strictObject({
    action: z.literal('wait'),
    testRunId,
    timeoutMs: waitMs.default(20_000).describe('Wait at most this long.'),
  }),
  z.strictObject({ action: z.literal('status'), testRunId }),
  z.strictObject({ action: z.literal('cancel'), testRunId }),
  z.strictObject({ action: z.literal('list'), projectRoot: pathParameter }),
]);

const counts = {
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  expectedFailures: z.number().exactOptional(),
};

const failure = z.looseObject({
  test: z.string(),
  file: z.string().exactOptional(),
  line: z.number().exactOptional(),
  message: z.string(),
  expected: z.string().exactOptional(),
  actual: z.string().exactOptional(),
  stackTrace: z.array(z.string()).describe("The project's own frames, innermost first."),
  output: z.string().exactOptional(),
  flaky: z.literal(true).describe('It also passed on the same code.').exactOptional(),
  suggestedTraces: z.array(z.string()).describe('Patterns for debug_trace.'),
  rerunCommand: z.string(),
});

const report = z.looseObject({
  testRunId: z.string(),
  state: z.enum(['running', 'completed', 'cancelled', 'error']),
  verdict: z.enum(['passed', 'failed', 'noTests', 'compileError', 'crashed']).exactOptional(),
  framework: z.string(),
  reasons: z.array(z.string()).exactOptional(),
  progress: z
    .looseObject({
      elapsedMs: z.number(),
      ...counts,
      total: z.number().exactOptional(),
      currentTests: z.array(z.looseObject({ test: z.string(), forMs: z.number() })),
      phase: z.string(),
    })
    .describe('While it runs.')
    .exactOptional(),
  summary: z.looseObject({ ...counts, durationMs: z.number() }).exactOptional(),
  failures: z.array(failure).exactOptional(),
  omittedFailures: z.number().describe('No room here; all are in `details`.').exactOptional(),
  compileErrors: z
    .array(
      z.looseObject({
        file: z.string().exactOptional(),
        line: z.number().exactOptional(),
        message: z.string(),
      }),
    )
    .exactOptional(),
  stuck: z
    .array(
      z.looseObject({ test: z.string().exactOptional(), observed: z.string(), advice: z.string() }),
    )
    .exactOptional(),
  warnings: z.array(z.string()).exactOptional(),
  hint: z.string().exactOptional(),
  project: z
    .looseObject({
      language: z.string().nullable(),
      buildSystem: z.string().nullable(),
      testFiles: z.array(z.string()),
    })
    .describe('Where there was no test.')
    .exactOptional(),
  details: z.string().describe('JSON file with every test.').exactOptional(),
  sessionId: z.string().exactOptional(),
  diagnoses: z
    .array(
      z.looseObject({
        test: z.string(),
        text: z.string().describe('What it called, with values, and the first divergence.'),
        sessionId: z.string().exactOptional(),
        comparedTest: z.string().exactOptional(),
        comparedSessionId: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
  nextSteps: nextStepsAnswer.exactOptional(),
});

const output = z.discriminatedUnion('action', [
  report.extend({ action: z.literal('run') }),
  report.extend({ action: z.literal('wait') }),
  report.extend({ action: z.literal('status') }),
  report.extend({ action: z.literal('cancel') }),
  z.looseObject({
    action: z.literal('list'),
    runs: z.array(
      z.looseObject({
        testRunId: z.string(),
        framework: z.string(),
        state: z.string(),
        verdict: z.string().exactOptional(),
        passed: z.number(),
        failed: z.number(),
        skipped: z.number(),
        durationMs: z.number(),
        startedAt: z.string(),
      }),
    ),
    nextSteps: nextStepsAnswer,
  }),
]);

export const debugTest = defineTool({
  name: 'debug_test',
  title: 'Run tests',
  description: `Runs a project's tests with their own framework. Reports verdict, counts, and for each failure message, file:line, expected and actual, stack, rerun command and patterns worth tracing. By \`action\`:
- run (default): waits up to waitMs for the end; a longer run continues: use wait. With patterns (take suggestedTraces) it runs traced, and debug_query reads the session of the answer. diagnose explains failures in one call.
- wait (testRunId, timeoutMs): until the end, else progress, and hints when stuck.
- status (testRunId): so far. cancel (testRunId): kill it. list (projectRoot): earlier.

Example: {"action": "run", "projectRoot": "/home/me/shop", "test": "test_total"}`,
  input,
  variant: { key: 'action', default: 'run' },
  variantsTold: [
    'testRunId',
    'projectRoot',
    'framework',
    'command',
    'level',
    'file',
    'test',
    'env',
    'rerunFailed',
    'patterns',
    'watches',
    'diagnose',
    'timeoutMs',
    'waitMs',
    'allowParallel',
    'requestId',
  ],
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  cli: {
    command: 'test',
    verbs: {
      run: { set: 'action' },
      wait: { set: 'action' },
      status: { set: 'action' },
      cancel: { set: 'action' },
      list: { set: 'action' },
    },
    word: 'test',
    flags: { patterns: 'trace' },
    defaults: { projectRoot: 'projectRoot' },
    succeeds: { member: 'verdict', value: 'passed' },
    examples: ['test', 'test test_total --rerun-failed', 'test wait --test-run-id shop-k7f2q9'],
  },
});
export type DebugTestInput = z.output<typeof input>;
export type DebugTestOutput = z.output<typeof output>;
