import { z } from 'zod';
import { exportEventTypes, exportFormatNames } from '../../model/questions/exportFormat.ts';
import { countersAnswer, exitAnswer, nextStepsAnswer, stateAnswer } from './answers.ts';
import {
  budgetParameter,
  callParameters,
  cursorParameter,
  functionFilter,
  pathParameter,
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

const limit = z.int().min(1).max(500).default(50);

const input = z.discriminatedUnion('view', [
  z.strictObject({
    view: z.literal('events'),
    ...shared,
    eventType: z
      .array(z.enum(eventTypes))
      .min(1)
      .describe('Default: call, output, process, crash.')
      .exactOptional(),
    ...callParameters,
    ...threadParameters,
    order: z.enum(['time', 'thread']).default('time'),
    limit,
    cursor: cursorParameter.exactOptional(),
    verbose: z.boolean().default(false).describe('Every field.'),
  }),
  z.strictObject({
    view: z.literal('tree'),
    ...shared,
    ...callParameters,
    root: z.string().min(1).max(1000).describe('Call id or pattern.').exactOptional(),
    thread: z
      .union([z.int().min(1), z.string().min(1).max(400)])
      .describe('tid or name.')
      .exactOptional(),
    maxDepth: z.int().min(1).max(64).default(12),
    selfTime: z.boolean().default(false).describe('Time outside traced calls.'),
  }),
  z.strictObject({
    view: z.literal('stats'),
    ...shared,
    ...callParameters,
    ...threadParameters,
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
        timeFrom: timeParameter.exactOptional(),
        timeTo: timeParameter.exactOptional(),
      })
      .meta({ told: [] })
      .describe('{sessionId}, or {timeFrom, timeTo} of this one.'),
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
    sql: z.string().min(1).max(20_000).describe('One SELECT; an error shows the schema.'),
    params: z
      .array(z.union([z.string(), z.number(), z.null()]))
      .max(100)
      .default([])
      .describe('For ? in sql.'),
    limit,
  }),
  z.strictObject({
    view: z.literal('export'),
    ...shared,
    format: z.enum(exportFormatNames),
    eventType: z
      .array(z.enum(exportEventTypes))
      .min(1)
      .describe('Default: call, output, process, crash.')
      .exactOptional(),
    ...callParameters,
    ...threadParameters,
    path: pathParameter
      .describe('Inside the project. Default: a file gone with the session.')
      .exactOptional(),
    overwrite: z.boolean().default(false).describe('Only an export of the same format.'),
    collector: z
      .string()
      .min(1)
      .max(2000)
      .describe('otlp: "http://127.0.0.1:4318".')
      .exactOptional(),
  }),
  z.strictObject({
    view: z.literal('changes'),
    ...shared,
    watch: z.string().min(1).max(1000).describe('Its label.').exactOptional(),
    limit,
    cursor: cursorParameter.exactOptional(),
  }),
  z.strictObject({
    view: z.literal('output'),
    ...shared,
    stream: z.enum(['stdout', 'stderr']).exactOptional(),
    tail: z.int().min(1).max(10_000).describe('The last n lines.').exactOptional(),
    match: z.string().min(1).max(4000).describe('Lines with this text, or /RE2/.').exactOptional(),
    limit,
    cursor: cursorParameter.exactOptional(),
  }),
]);

const common = {
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
    view: z.literal('export'),
    ...common,
    format: z.enum(exportFormatNames),
    done: z.boolean().describe('False: it is still being written; the same request waits on.'),
    path: z.string().nullable(),
    bytes: z.number(),
    calls: z.number(),
    events: z.number().describe('Of an export: how many are no calls.'),
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
          .describe('Of a watch at "write": the writing function, then its callers up to the own.')
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
- crash: why it died: fault, stack with values and source, what led there.
- output: what it wrote. Read this first. \`tail\`, \`match\`, \`stream\`.
- tree: calls with arguments → return values, equal siblings folded. \`root\`, \`thread\`, \`maxDepth\`, \`selfTime\`.
- stats: counts, times, percentiles. \`sortBy\`, \`groupBy\`.
- diff: against \`other\`: where threads first differ; functions by calls, exceptions, time.
- changes: of watched values, by whom. \`watch\`.
- sql: \`SELECT json_extract(arguments, '$.cents'), count(*) FROM calls('bank::*') GROUP BY 1\`; also output, functions. \`params\`.
- export: writes a file: \`format\`, \`path\`, \`overwrite\`, \`collector\`.
- events: calls and output in order. \`order\`, \`verbose\`.

Filters of events, tree, stats and export: function, sourceFile, returnValue, argument, watched, minDurationNs, text, within, parent, test, threadId and threadName (tree: \`thread\`); of all but crash and sql: timeFrom, timeTo, pid. What does not fit the \`budget\` is folded or left to the cursor.

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
    'format',
    'path',
    'overwrite',
    'collector',
    'order',
    'verbose',
    'function',
    'sourceFile',
    'returnValue',
    'argument',
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
    readOnlyHint: false,
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
        sql: { set: 'view' },
        export: { set: 'view' },
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
        "query --function 'bank::*' --return-value.lt 0",
      ],
    },
    {
      command: 'export',
      variant: 'export',
      title: 'Write a session to a file others can read',
      word: 'sessionId',
      defaults: { view: 'export' },
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
  ],
});
export type DebugQueryInput = z.output<typeof input>;
export type DebugQueryOutput = z.output<typeof output>;
