import { z } from 'zod';
import {
  countersAnswer,
  exitAnswer,
  hooksAnswer,
  nextStepsAnswer,
  sessionAnswer,
  sessionStates,
  stateAnswer,
} from './answers.ts';
import { launchAnswer } from './debugLaunch.ts';
import { cursorParameter, pathParameter, sessionParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

/** What `wait` can wait for. */
export const waitReasons = ['exit', 'output', 'idle', 'event'] as const;

const sessionId = sessionParameter.exactOptional();

const takeOver = z.boolean().default(false).describe("Also another client's.");

const graceMs = z.int().min(0).max(30_000).default(2000).describe('From TERM to KILL.');

const input = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('status'), sessionId }),
  z.strictObject({
    action: z.literal('list'),
    scope: z.enum(['mine', 'all']).default('mine').describe('all: of every client.'),
    state: z.enum(sessionStates).exactOptional(),
    cursor: cursorParameter.exactOptional(),
  }),
  z
    .strictObject({
      action: z.literal('wait'),
      sessionId,
      for: z
        .array(z.enum(waitReasons))
        .min(1)
        .default(['exit'])
        .describe('Whichever comes first; idle: 500 ms of nothing.'),
      match: z
        .string()
        .min(1)
        .max(4000)
        .describe('Text of the output (or /RE2/), or pattern of a called function.')
        .exactOptional(),
      after: cursorParameter
        .describe('Cursor of a wait or input; else the last input.')
        .exactOptional(),
      timeoutMs: z.int().min(0).max(50_000).default(10_000),
    })
    .refine(
      (wanted) =>
        wanted.match === undefined || wanted.for.includes('output') || wanted.for.includes('event'),
      { message: 'match is for output or event: name it in for', path: ['match'] },
    ),
  z
    .strictObject({
      action: z.literal('input'),
      sessionId,
      text: z.string().max(4_000_000).describe('Add \\n yourself.').exactOptional(),
      base64: z.base64().max(6_000_000).exactOptional(),
      eof: z.boolean().default(false).describe('Close stdin afterwards.'),
      takeOver,
    })
    .refine((wanted) => wanted.text === undefined || wanted.base64 === undefined, {
      message: 'give text or base64, not both',
    }),
  z.strictObject({
    action: z.literal('stop'),
    sessionId,
    retain: z.boolean().default(false).describe('Keep it for 7 days (else 24 h).'),
    graceMs,
    takeOver,
  }),
  z.strictObject({ action: z.literal('detach'), sessionId, takeOver }),
  z.strictObject({ action: z.literal('restart'), sessionId, graceMs, takeOver }),
  z.strictObject({ action: z.literal('retain'), sessionId }),
  z.strictObject({ action: z.literal('delete'), sessionId: sessionParameter, takeOver }),
  z.strictObject({
    action: z.literal('pack'),
    sessionId,
    path: pathParameter.describe("Inside the project, else in Strobe's folder.").exactOptional(),
    overwrite: z.boolean().default(false).describe('Only an earlier pack.'),
  }),
  z.strictObject({
    action: z.literal('open'),
    path: pathParameter.describe('The pack.'),
  }),
]);

const endings = z
  .enum(['hadEnded', 'terminated', 'killed'])
  .describe('killed: TERM was not enough.');

const output = z.discriminatedUnion('action', [
  z.looseObject({
    action: z.literal('status'),
    session: sessionAnswer,
    counters: countersAnswer,
    hooks: hooksAnswer,
    output: z
      .array(z.looseObject({ stream: z.enum(['stdout', 'stderr']), text: z.string() }))
      .describe('The last lines.'),
    threads: z.array(z.looseObject({ tid: z.number(), name: z.string() })),
    now: z
      .looseObject({ deadlock: z.array(z.number()).nullable() })
      .describe('What each thread of the running program does or waits for, with its stack.')
      .exactOptional(),
    processes: z
      .looseObject({
        running: z.number(),
        ended: z.number(),
        failed: z.number().describe('Of ended: by a signal or with another code than 0.'),
        executed: z.number().describe('Programs that were followed.').exactOptional(),
        waitedMs: z.number().describe('What that cost them, in all.').exactOptional(),
        shown: z
          .array(
            z.looseObject({
              pid: z.number(),
              parent: z.number().nullable(),
              command: z.string(),
              running: z.boolean(),
              exit: exitAnswer.nullable(),
              hooked: z.number().nullable().describe('Functions; null: untraced.'),
            }),
          )
          .describe('Failed, traced and running ones first.'),
      })
      .optional()
      .describe('Of more than one.'),
    notes: z.array(z.string()),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('list'),
    sessions: z.array(sessionAnswer),
    totalCount: z.number(),
    hasMore: z.boolean(),
    cursor: z.string().nullable(),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('wait'),
    sessionId: z.string(),
    happened: z
      .enum([...waitReasons, 'timeout', 'ended'])
      .describe('ended: what was waited for cannot happen any more.'),
    state: stateAnswer,
    exit: exitAnswer.nullable(),
    waitedMs: z.number(),
    cursor: z.string().nullable().describe('Give it as `after` to the next wait.'),
    counters: countersAnswer,
    output: z
      .array(z.looseObject({ stream: z.enum(['stdout', 'stderr']), text: z.string() }))
      .describe('The last lines.'),
    outputLines: z.number().describe('How many there were.'),
    notes: z.array(z.string()).describe('Crashes.'),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('input'),
    sessionId: z.string(),
    bytes: z.number(),
    eof: z.boolean(),
    cursor: z.string().describe('Give it as `after` to the wait for the reaction.'),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('stop'),
    sessionId: z.string(),
    state: stateAnswer,
    exit: exitAnswer.nullable(),
    how: endings,
    retained: z.boolean(),
    counters: countersAnswer,
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('detach'),
    sessionId: z.string(),
    pid: z.number().nullable().describe('It lives on.'),
    state: stateAnswer,
    counters: countersAnswer,
    nextSteps: nextStepsAnswer,
  }),
  launchAnswer.extend({
    action: z.literal('restart'),
    restartedFrom: z.string().describe('The session before; it can still be queried.'),
    how: endings,
  }),
  z.looseObject({
    action: z.literal('retain'),
    sessionId: z.string(),
    retainedUntil: z.string().nullable().describe('Null while it runs: 7 days after its end.'),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('delete'),
    sessionId: z.string(),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('pack'),
    sessionId: z.string(),
    path: z.string(),
    bytes: z.number(),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('open'),
    sessionId: z.string(),
    wasHere: z
      .boolean()
      .describe('This home had the session already; the pack was not read again.'),
    state: stateAnswer,
    nextSteps: nextStepsAnswer,
  }),
]);

export const debugSession = defineTool({
  name: 'debug_session',
  title: 'Look after sessions',
  description: `Looks after sessions, by \`action\`:
- status: state, exit, last output, hooks, counters, threads, processes.
- list: sessions.
- wait: until the program exits, writes output, is idle or calls a traced function (\`for\`, \`match\`), at most \`timeoutMs\` (up to 50000). After a timeout call again with \`after\`.
- input: writes \`text\` or \`base64\` to the program's stdin (launched with stdin "open") or types into its terminal; \`eof\`.
- stop: ends the whole process tree (TERM, after \`graceMs\` KILL); what was captured stays. restart: stops it and launches the same again, rebuilt or not, as a new session.
- detach: the program lives on unobserved.
- retain: keeps it for days. delete: removes an ended session.
- pack: a session as one file (\`path\`); open takes such a file in.

Example: {"action": "wait", "for": ["output", "exit"], "match": "listening on", "timeoutMs": 20000}`,
  input,
  variant: { key: 'action' },
  variantsTold: [
    'sessionId',
    'scope',
    'state',
    'cursor',
    'for',
    'match',
    'timeoutMs',
    'after',
    'text',
    'base64',
    'eof',
    'graceMs',
    'retain',
    'path',
    'takeOver',
  ],
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  cli: {
    command: 'session',
    verbs: {
      status: { set: 'action' },
      list: { set: 'action' },
      wait: { set: 'action' },
      input: { set: 'action' },
      stop: { set: 'action' },
      restart: { set: 'action' },
      detach: { set: 'action' },
      retain: { set: 'action' },
      delete: { set: 'action' },
      pack: { set: 'action' },
      open: { set: 'action', word: 'path' },
    },
    word: 'sessionId',
    examples: [
      'session list --scope all',
      'session wait --for output --match ready',
      'session stop',
      'session pack shop-2026',
      'session open shop-2026-02-05-14h32-k7f2.strobe',
    ],
  },
});
export type DebugSessionInput = z.output<typeof input>;
export type DebugSessionOutput = z.output<typeof output>;
