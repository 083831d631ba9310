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
import { cursorParameter, sessionParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

/** What `wait` can wait for. */
export const waitReasons = ['exit', 'output', 'idle', 'event'] as const;

const sessionId = sessionParameter.exactOptional();

const takeOver = z
  .boolean()
  .default(false)
  .describe("Do it although the session is another client's.");

const graceMs = z.int().min(0).max(30_000).default(2000).describe('From TERM to KILL of the tree.');

const input = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('status'), sessionId }),
  z.strictObject({
    action: z.literal('list'),
    scope: z.enum(['mine', 'all']).default('mine').describe('all: every session of this user.'),
    state: z.enum(sessionStates).exactOptional(),
    cursor: cursorParameter.exactOptional(),
  }),
  z.strictObject({
    action: z.literal('wait'),
    sessionId,
    for: z
      .array(z.enum(waitReasons))
      .min(1)
      .default(['exit'])
      .describe('Whichever comes first. idle: no output and no event for 500 ms.'),
    match: z
      .string()
      .min(1)
      .max(4000)
      .describe('Output that contains this text (or /RE2/), or an event of a function matching it.')
      .exactOptional(),
    after: cursorParameter
      .describe('Cursor of a wait before: what came since then counts too.')
      .exactOptional(),
    timeoutMs: z.int().min(0).max(50_000).default(10_000),
  }),
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
    retain: z.boolean().default(false).describe('Keep what was captured for 7 days (else 24 h).'),
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
    path: z
      .string()
      .min(1)
      .max(4000)
      .describe("Of pack: inside the project; default: in Strobe's own folder. Of open: the pack.")
      .exactOptional(),
    overwrite: z.boolean().default(false).describe('Replace an earlier pack; no other file.'),
  }),
  z.strictObject({ action: z.literal('open'), path: z.string().min(1).max(4000) }),
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
    output: z.array(z.looseObject({ stream: z.enum(['stdout', 'stderr']), text: z.string() })),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('input'),
    sessionId: z.string(),
    bytes: z.number(),
    eof: z.boolean(),
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
    wasHere: z.boolean().describe('This home had the session already: nothing was done.'),
    state: stateAnswer,
    nextSteps: nextStepsAnswer,
  }),
]);

export const debugSession = defineTool({
  name: 'debug_session',
  title: 'Look after sessions',
  description: `Looks after launched programs, by \`action\`:
- status: state, exit code or signal, last output, what is traced, counters, threads, processes.
- list: your sessions, or with scope "all" those of every client of this user.
- wait: until the program exits, writes output, is idle or calls a traced function (\`for\`), at most timeoutMs (default 10 s, max 50 s). A timeout is an answer, not an error: call again with \`after\`.
- input: writes to the program's stdin (launched with stdin "open") or types into its terminal (tty).
- stop: ends the whole process tree (TERM, then KILL). What was captured can still be queried.
- restart: stops it and launches the same again, rebuilt or not: same arguments, environment and patterns, a new session id.
- detach: removes all hooks; the program lives on, its further output is not kept.
- retain: keeps what was captured for days. delete: removes an ended session.
- pack: one file of a session; open takes such a file in, also from another machine, and everything can be asked there.

Without sessionId your only (or last used) live session is meant. Events stay readable after the program has ended.

Example: {"action": "wait", "for": ["output", "exit"], "match": "listening on", "timeoutMs": 20000}`,
  input,
  variant: { key: 'action' },
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
