import { z } from 'zod';
import { exportEventTypes, exportFormatNames } from '../../model/questions/exportFormat.ts';
import {
  countersAnswer,
  exitAnswer,
  hooksAnswer,
  nextStepsAnswer,
  questionAnswer,
  sessionAnswer,
  sessionStates,
  stateAnswer,
} from './answers.ts';
import { launchAnswer } from './debugLaunch.ts';
import {
  budgetParameter,
  cursorParameter,
  exportedCallParameters,
  exportedRangeParameters,
  exportedThreadParameters,
  pathParameter,
  sessionParameter,
} from './parameters.ts';
import { defineTool } from './tool.ts';

/** What `wait` can wait for. */
export const waitReasons = ['exit', 'output', 'idle', 'event'] as const;

const sessionId = sessionParameter.exactOptional();

const takeOver = z.boolean().default(false).describe("Allow another client's session.");

const graceMs = z
  .int()
  .min(0)
  .max(30_000)
  .default(2000)
  .describe('Wait this long from SIGTERM to SIGKILL.');

const input = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('status'), sessionId }),
  z.strictObject({
    action: z.literal('list'),
    scope: z.enum(['mine', 'all']).default('mine').describe('"all" lists those of all clients.'),
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
        .describe('The first ends it. event: a call or hit. idle: 500 ms without output or calls.'),
      match: z
        .string()
        .min(1)
        .max(4000)
        .describe('Match output by text or /RE2/, calls by pattern.')
        .exactOptional(),
      after: cursorParameter
        .describe('Start after this cursor of a wait or input.')
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
      text: z.string().max(4_000_000).describe('End it with \\n to send a line.').exactOptional(),
      base64: z.base64().max(6_000_000).exactOptional(),
      eof: z.boolean().default(false).describe('Close stdin afterwards.'),
      takeOver,
    })
    .refine((wanted) => wanted.text === undefined || wanted.base64 === undefined, {
      message: 'give text or base64, not both',
    })
    .refine(({ text, base64, eof }) => text !== undefined || base64 !== undefined || eof, {
      message: 'give text, base64 or eof: nothing would be written',
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
    path: pathParameter.describe('Write here, inside the project.').exactOptional(),
    overwrite: z.boolean().default(false).describe('Replace an earlier file.'),
  }),
  z.strictObject({
    action: z.literal('open'),
    path: pathParameter.describe('Import this pack.'),
  }),
  z.strictObject({
    action: z.literal('export'),
    sessionId,
    ...exportedRangeParameters,
    budget: budgetParameter.describe('').exactOptional(),
    format: z.enum(exportFormatNames),
    eventType: z.array(z.enum(exportEventTypes)).min(1).describe('').exactOptional(),
    ...exportedCallParameters,
    ...exportedThreadParameters,
    path: pathParameter.describe('Write here, inside the project.').exactOptional(),
    overwrite: z.boolean().default(false).describe('Replace an earlier file.'),
    collector: z
      .string()
      .min(1)
      .max(2000)
      .describe('Send otlp here: "http://127.0.0.1:4318".')
      .exactOptional(),
  }),
]);

const endings = z
  .enum(['hadEnded', 'terminated', 'killed'])
  .describe('killed: it did not end on SIGTERM.');

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
      .enum([...waitReasons, 'timeout', 'ended', 'impossible'])
      .describe('ended, impossible: what was waited for cannot happen.'),
    state: stateAnswer,
    exit: exitAnswer.nullable(),
    calls: z.array(z.string()).describe('Traced calls that were waited for.').exactOptional(),
    waitedMs: z.number(),
    cursor: z.string().nullable(),
    counters: countersAnswer,
    output: z
      .array(z.looseObject({ stream: z.enum(['stdout', 'stderr']), text: z.string() }))
      .describe('The last lines.'),
    outputLines: z.number().describe('How many there were.'),
    notes: z.array(z.string()),
    nextSteps: nextStepsAnswer,
  }),
  z.looseObject({
    action: z.literal('input'),
    sessionId: z.string(),
    bytes: z.number(),
    eof: z.boolean(),
    cursor: z.string(),
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
    pid: z.number().nullable(),
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
    action: z.literal('export'),
    ...questionAnswer,
    format: z.enum(exportFormatNames),
    done: z.boolean().describe('False: it is still being written; the same request waits on.'),
    path: z.string().nullable(),
    bytes: z.number(),
    calls: z.number(),
    events: z.number().describe('Events that are not calls.'),
  }),
  z.looseObject({
    action: z.literal('open'),
    sessionId: z.string(),
    wasHere: z
      .boolean()
      .describe('The session was already present; the pack was not imported again.'),
    state: stateAnswer,
    nextSteps: nextStepsAnswer,
  }),
]);

export const debugSession = defineTool({
  name: 'debug_session',
  title: 'Manage sessions',
  description: `Manages sessions, by \`action\`:
- status: state, exit, last output, hooks, counters, threads, processes. list: your sessions.
- wait: until \`for\` happens (\`match\`), at most \`timeoutMs\` (up to 50000). After a timeout call again with \`after\`.
- input: write \`text\` or \`base64\` to stdin (launched with stdin "open") or the terminal; \`eof\`.
- stop: end the process tree; what was captured stays. restart: stop and launch again as a new session.
- detach: stop tracing and leave the program running.
- retain: keep it for 7 days. delete: remove it.
- export: write calls and events to a file (\`format\`, \`path\`), or send them to a \`collector\`, with the filters of debug_query.
- pack: write the whole session to one file (\`path\`). open: import such a file.

Example: {"action": "wait", "for": ["output", "exit"], "match": "listening on"}`,
  input,
  variant: {
    key: 'action',
    elsewhere: {
      attach: 'debug_launch {"pid":4711}',
      launch: 'debug_launch {"command":"./app"}',
      start: 'debug_launch {"command":"./app"}',
      run: 'debug_launch {"command":"./app"}',
      output: 'debug_query {"view":"output"}',
      logs: 'debug_query {"view":"output"}',
      pause: 'debug_continue {"action":"pause"}',
      continue: 'debug_continue {}',
    },
  },
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
    'format',
    'collector',
    'overwrite',
    'eventType',
    'function',
    'sourceFile',
    'returnValue',
    'argument',
    'where',
    'watched',
    'minDurationNs',
    'text',
    'within',
    'parent',
    'test',
    'threadId',
    'threadName',
    'timeFrom',
    'timeTo',
    'pid',
    'budget',
  ],
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  cli: [
    {
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
      // A person sees the sessions of all own terminals and coding agents.
      defaults: { scope: 'all' },
      examples: [
        'session list --scope mine',
        'session wait --for output --match ready',
        'session stop',
        'session pack shop-2026',
        'session open shop-2026-02-05-14h32-k7f2.strobe',
      ],
    },
    {
      command: 'export',
      variant: 'export',
      title: 'Write a session to a file others can read',
      word: 'sessionId',
      defaults: { action: 'export' },
      shorthand: {
        function: 'pattern',
        sourceFile: 'contains',
        threadName: 'contains',
        returnValue: 'equals',
      },
      examples: [
        'export --format perfetto',
        "export shop-2026 --format flamegraph --function 'shop::*' --path flame.svg",
        'export --format otlp --collector http://127.0.0.1:4318',
      ],
    },
    {
      command: 'report',
      variant: 'export',
      title: 'Make one page of a session, to look at in a browser',
      word: 'sessionId',
      flags: { path: 'out' },
      defaults: { action: 'export', format: 'html' },
      shorthand: {
        function: 'pattern',
        sourceFile: 'contains',
        threadName: 'contains',
        returnValue: 'equals',
      },
      examples: [
        'report',
        'report shop-2026 --out shop.html --overwrite',
        "report --function 'shop::*' --time-from -5s",
      ],
    },
  ],
});
export type DebugSessionInput = z.output<typeof input>;
export type DebugSessionOutput = z.output<typeof output>;
