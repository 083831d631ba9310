import { z } from 'zod';
import { lossCauses } from '../../model/loss.ts';

/** Honest figures for one session; in every answer that shows events. */
export const countersAnswer = z.looseObject({
  seen: z.number().describe('Enter and exit events the target produced.'),
  stored: z.number(),
  lost: z.number(),
  sampled: z.number().describe('Events of calls that were counted and timed, not recorded.'),
  byCause: z
    .record(z.string(), z.number())
    .describe(`Causes: ${Object.keys(lossCauses).join(', ')}.`),
});

export const exitAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('exited'), code: z.number() }),
  z.strictObject({
    kind: z.literal('signalled'),
    signal: z.string(),
    number: z.number(),
    coreDumped: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('unknown') }),
]);

/**
 * `starting`: launched, hooks not in place yet. `released`: let go, the program lives on.
 * `failed`: it never ran, or was lost.
 */
export const sessionStates = ['starting', 'running', 'ended', 'released', 'failed'] as const;

export const stateAnswer = z.enum(sessionStates);

/** What became of one pattern. */
export const activePatternAnswer = z.looseObject({
  pattern: z.string(),
  module: z.string().exactOptional(),
  matched: z.number(),
  hooked: z.number(),
  inlined: z.number(),
  refused: z.number(),
  notes: z.array(z.string()),
});

export const refusalAnswer = z.looseObject({
  function: z.string(),
  reason: z.string(),
  instead: z.string().nullable().describe('What to hook in its place.'),
});

/** The whole of what is traced in a session, and why the rest is not. */
export const hooksAnswer = z.looseObject({
  activePatterns: z.array(activePatternAnswer),
  matchedFunctions: z.number(),
  hookedFunctions: z.number(),
  refusals: z.array(refusalAnswer),
  omittedRefusals: z.number().describe('Refusals this answer has no room for.').exactOptional(),
});

/** Calls to make next, ready to paste: `debug_query {"view":"tree"}`. */
export const nextStepsAnswer = z.array(z.string());

export const sessionAnswer = z.looseObject({
  sessionId: z.string(),
  state: stateAnswer,
  exit: exitAnswer.nullable(),
  pid: z.number().nullable(),
  runtime: z.string(),
  command: z.string(),
  projectRoot: z.string(),
  startedAt: z.string().describe('ISO 8601.'),
  ageMs: z.number().describe('Since the start.'),
  endedMsAgo: z.number().nullable(),
  mine: z.boolean(),
});

/** What every answer about what a program did has. */
export const questionAnswer = {
  sessionId: z.string(),
  about: z
    .string()
    .describe('Command, process, state and hooks in words; left out of the smallest answers.')
    .exactOptional(),
  state: stateAnswer,
  exit: exitAnswer.nullable(),
  counters: countersAnswer,
  pids: z.array(z.number()),
  /** Exact, or `≥ n` when counting would take long. */
  totalCount: z.union([z.number(), z.string()]).describe('A text "≥ n" is a lower bound.'),
  hasMore: z.boolean(),
  cursor: z.string().nullable(),
  indexedTo: z
    .number()
    .nullable()
    .describe('Null: everything up to this request. Else the session time the index has reached.'),
  notes: z.array(z.string()),
  nextSteps: nextStepsAnswer,
};

/** The structured form of a refused call. */
export const errorAnswer = z.looseObject({
  error: z.looseObject({
    code: z.string(),
    kind: z.enum(['caller', 'state', 'target', 'environment', 'bug']),
    message: z.string(),
    hint: z.string().describe('What to do next.'),
    retryable: z.boolean(),
  }),
});
