import { z } from 'zod';
import { questionAnswer as common } from './answers.ts';
import {
  budgetParameter,
  callParameters,
  cursorParameter,
  functionFilter,
  rangeParameters,
  sessionParameter,
  sourceFileFilter,
  threadNameFilter,
  threadParameters,
  timeParameter,
} from './parameters.ts';
import { defineTool } from './tool.ts';

/** In the order of model/query `EventType`. */
export const eventTypes = [
  'call',
  'function_enter',
  'function_exit',
  'stdout',
  'stderr',
  'process',
  'exception',
  'crash',
  'loss',
  'variable_snapshot',
  'logpoint',
  'suspend',
  'resume',
  'raise',
  'handled',
  'strand',
] as const;

const shared = {
  sessionId: sessionParameter.exactOptional(),
  ...rangeParameters,
  budget: budgetParameter.exactOptional(),
};

/** Which values are written. */
const showParameter = z
  .array(z.string().min(1).max(400))
  .min(1)
  .max(32)
  .describe('Show only these values: ["cents", "return.offset"].');

const limit = z.int().min(1).max(500).default(50);

const input = z.discriminatedUnion('view', [
  z.strictObject({
    view: z.literal('events'),
    ...shared,
    eventType: z
      .array(z.enum(eventTypes))
      .min(1)
      .describe('Defaults to all but function_*, loss, variable_*.')
      .exactOptional(),
    ...callParameters,
    ...threadParameters,
    show: showParameter.exactOptional(),
    order: z.enum(['time', 'thread']).default('time'),
    limit,
    cursor: cursorParameter.exactOptional(),
    verbose: z.boolean().default(false).describe('Show every field.'),
  }),
  z.strictObject({
    view: z.literal('tree'),
    ...shared,
    ...callParameters,
    root: z
      .string()
      .min(1)
      .max(1000)
      .describe('Put this call or pattern at the top.')
      .exactOptional(),
    show: showParameter.exactOptional(),
    order: z.enum(['folded', 'calls']).describe('tree: "calls" folds nothing.').exactOptional(),
    limit,
    cursor: cursorParameter.exactOptional(),
    thread: z
      .union([z.int().min(1), z.string().min(1).max(400)])

      .exactOptional(),
    maxDepth: z.int().min(1).max(64).default(12),
    lines: z.boolean().describe('Show lines; of one call (`root`) as source.').exactOptional(),
    selfTime: z.boolean().default(false).describe('Also show time outside traced callees.'),
  }),
  z.strictObject({
    view: z.literal('stats'),
    ...shared,
    ...callParameters,
    ...threadParameters,
    show: showParameter.exactOptional(),
    sortBy: z.enum(['total', 'self', 'count', 'mean', 'p50', 'p95', 'p99', 'max']).default('total'),
    groupBy: z.enum(['function', 'thread', 'caller']).default('function'),
    limit,
  }),
  z.strictObject({
    view: z.literal('diff'),
    ...shared,
    other: z
      .strictObject({
        sessionId: sessionParameter.exactOptional(),
        timeFrom: timeParameter.describe('').exactOptional(),
        timeTo: timeParameter.describe('').exactOptional(),
      })
      .describe('Compare with this session or time range.'),
    function: functionFilter.exactOptional(),
    sourceFile: sourceFileFilter.exactOptional(),
    threadName: threadNameFilter.exactOptional(),
    limit,
  }),
  z.strictObject({
    view: z.literal('crash'),
    sessionId: sessionParameter.exactOptional(),
    pid: z.int().min(1).exactOptional(),
    budget: budgetParameter.exactOptional(),
  }),
  z.strictObject({
    view: z.literal('sql'),
    sessionId: sessionParameter.exactOptional(),
    budget: budgetParameter.exactOptional(),
    sql: z.string().min(1).max(20_000).describe('Give one SELECT; errors list the tables.'),
    params: z
      .array(z.union([z.string(), z.number(), z.null()]))
      .max(100)
      .default([])
      .describe('Fill the ? of `sql`.'),
    limit,
  }),
  z.strictObject({
    view: z.literal('changes'),
    ...shared,
    watch: z.string().min(1).max(1000).describe('').exactOptional(),
    limit,
    cursor: cursorParameter.exactOptional(),
  }),
  z.strictObject({
    view: z.literal('output'),
    ...shared,
    stream: z.enum(['stdout', 'stderr']).exactOptional(),
    tail: z.int().min(1).max(10_000).describe('Show the last n lines.').exactOptional(),
    match: z
      .string()
      .min(1)
      .max(4000)
      .describe('Show lines with this text or /RE2/.')
      .exactOptional(),
    limit,
    cursor: cursorParameter.exactOptional(),
  }),
]);

const eventAnswer = z.looseObject({
  id: z.string(),
  eventType: z.enum(eventTypes),
  timestampNs: z.number(),
});

const output = z.discriminatedUnion('view', [
  z.looseObject({
    view: z.literal('events'),
    ...common,
    events: z.array(eventAnswer),
    places: z.record(z.string(), z.string()).describe('Function → file:line.'),
  }),
  z.looseObject({
    view: z.literal('tree'),
    ...common,
    tree: z.string().describe('The call tree as indented text; ×n stands for n equal siblings.'),
    threads: z.array(
      z.looseObject({ threadId: z.number(), name: z.string(), pid: z.number(), calls: z.number() }),
    ),
  }),
  z.looseObject({
    view: z.literal('stats'),
    ...common,
    source: z.enum(['counters', 'scan']).describe('counters: exact even where events were lost.'),
    rows: z.array(
      z.looseObject({
        key: z.string(),
        count: z.number(),
        totalNs: z.number(),
        selfNs: z.number(),
        meanNs: z.number(),
        p50Ns: z.number(),
        p95Ns: z.number(),
        p99Ns: z.number(),
        maxNs: z.number(),
        shown: z.string().exactOptional(),
      }),
    ),
  }),
  z.looseObject({
    view: z.literal('diff'),
    ...common,
    other: z.string().describe('The session or time range compared with: "there".'),
    rows: z.array(z.looseObject({ key: z.string() })).describe('Functions that differ.'),
    threads: z.array(
      z.looseObject({
        name: z.string(),
        compared: z.number().describe('Calls alike in order before `order`.'),
      }),
    ),
  }),
  z.looseObject({
    view: z.literal('crash'),
    ...common,
    crashed: z.boolean(),
    fault: z
      .looseObject({ signal: z.string(), code: z.number() })
      .nullable()
      .describe('What the kernel said of the signal. Null: no stack was kept.'),
    complaints: z
      .array(z.looseObject({ kind: z.string() }))
      .describe('What the program, its library or a sanitizer said; in words in `story`.'),
    uncaught: z
      .array(
        z.looseObject({
          type: z.string().nullable(),
          message: z.string().nullable(),
          value: z.string().exactOptional(),
          at: z.string().exactOptional(),
        }),
      )
      .describe('Exceptions that nothing caught; `value`: one that is no error.'),
    story: z
      .array(z.looseObject({ title: z.string(), lines: z.array(z.string()) }))
      .describe('What happened, stack with values, source, last calls, output, other threads.'),
  }),
  z.looseObject({
    view: z.literal('sql'),
    ...common,
    columns: z.array(z.string()),
    rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
  }),
  z.looseObject({
    view: z.literal('changes'),
    ...common,
    watches: z.array(
      z.looseObject({ label: z.string(), samples: z.number(), changes: z.number() }),
    ),
    changes: z.array(
      z.looseObject({
        watch: z.string(),
        fromNs: z.number(),
        toNs: z.number(),
        calls: z
          .array(z.looseObject({ id: z.string(), ownNs: z.number() }))
          .describe('In which it can have happened, the most likely first.'),
        writtenBy: z
          .array(z.looseObject({ functionName: z.string(), at: z.string().exactOptional() }))
          .describe('Watches at "write": the writing function, then its callers.')
          .exactOptional(),
      }),
    ),
  }),
  z.looseObject({
    view: z.literal('output'),
    ...common,
    lines: z.array(
      z.looseObject({
        timestampNs: z.number(),
        stream: z.enum(['stdout', 'stderr']),
        text: z.string(),
      }),
    ),
  }),
]);

export const debugQuery = defineTool({
  name: 'debug_query',
  title: 'Ask what the program did',
  description: `Reads a session's timeline, by \`view\` (default events):
- output: what the program wrote. Read this first. \`tail\`, \`match\`, \`stream\`.
- tree: calls with arguments and results, equal siblings folded. \`root\`, \`thread\`, \`maxDepth\`, \`order\`, \`selfTime\`.
- events: calls and output in order of time. \`eventType\`, \`order\`, \`verbose\`.
- stats: counts, times, percentiles. \`sortBy\`, \`groupBy\`.
- crash: why it died: stack with values, source.
- diff: where threads first diverge from \`other\`; which functions differ.
- changes: how watched values changed, by whom. \`watch\`.
- sql: \`SELECT json_extract(arguments, '$.cents'), count(*) FROM calls('bank::*') GROUP BY 1\`; also output, functions. \`params\`.

events, tree and stats take the filters (function … threadName) and \`show\`; timeFrom, timeTo and pid fit all views but crash and sql. Answers stay within \`budget\` tokens; \`cursor\` reaches the rest.

Example: {"view": "events", "function": {"pattern": "bank::Account::*"}, "returnValue": {"lt": 0}}`,
  input,
  variant: { key: 'view', default: 'events' },
  variantsTold: [
    'tail',
    'match',
    'stream',
    'root',
    'thread',
    'maxDepth',
    'selfTime',
    'sortBy',
    'groupBy',
    'other',
    'watch',
    'sql',
    'params',
    'order',
    'show',
    'eventType',
    'verbose',
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
    'timeFrom',
    'timeTo',
    'pid',
    'threadId',
    'threadName',
    'limit',
    'cursor',
  ],
  output,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  cli: [
    {
      command: 'query',
      verbs: {
        events: { set: 'view' },
        tree: { set: 'view' },
        stats: { set: 'view' },
        diff: { set: 'view' },
        changes: { set: 'view' },
        sql: { set: 'view', word: 'sql' },
        output: { set: 'view' },
        crash: { set: 'view' },
      },
      word: 'sessionId',
      shorthand: {
        other: 'sessionId',
        function: 'pattern',
        sourceFile: 'contains',
        threadName: 'contains',
        returnValue: 'equals',
      },
      examples: [
        'query --view tree',
        'query stats --sort-by p99',
        'query diff --other shop-2026',
        'query changes --watch gConfig.audio.rate',
        "query sql 'SELECT function_name, count(*) FROM calls GROUP BY 1'",
        "query --function 'bank::*' --return-value.lt 0",
      ],
    },
  ],
});
export type DebugQueryInput = z.output<typeof input>;
export type DebugQueryOutput = z.output<typeof output>;
