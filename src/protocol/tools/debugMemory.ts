import { z } from 'zod';
import { nextStepsAnswer } from './answers.ts';
import { sessionParameter, stopParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

const place = z.string().min(1).max(1000);

const step = z.union([
  z.strictObject({
    read: place.describe(
      '"order->items[2]", "$rax", "*(double*)0x7ffe", or an address with `bytes`.',
    ),
    count: z.int().min(1).max(1000).default(16).describe('Elements of a list.'),
    bytes: z.int().min(1).max(1024).describe('Show this many bytes from there.').exactOptional(),
  }),
  z.strictObject({
    write: place.describe(
      'A number, character, enumerator, pointer, register; any Python or JS variable.',
    ),
    value: z.union([z.number(), z.string().min(1).max(100), z.boolean()]),
  }),
  z.strictObject({
    search: z.union([z.number(), z.string().min(1).max(200)]),
    type: z
      .enum(['text', 'hex', 'char', 'short', 'int', 'long', 'float', 'double'])
      .describe('Default: by `search`: text, int or double.')
      .exactOptional(),
    in: place.default('all').describe('"globals", "heap", "stack", or an address with `bytes`.'),
    bytes: z.int().min(1).max(1e9).exactOptional(),
  }),
  z.strictObject({
    poll: place.describe('A number whose changes are listed.'),
    everyMs: z.int().min(1).max(10_000).default(10),
    forMs: z.int().min(1).max(30_000).default(1000),
  }),
  z.strictObject({
    evaluate: place.describe('Python or JavaScript that runs in the frame.'),
    sideEffects: z.literal(true),
  }),
]);

const input = z.strictObject({
  do: z.array(step).min(1).max(16),
  sessionId: sessionParameter.exactOptional(),
  stop: stopParameter
    .describe('"s7". Default: the one you saw last; none: as it runs.')
    .exactOptional(),
  frame: z.int().min(0).max(10_000).default(0).describe('As numbered by view "stack".'),
  takeOver: z.boolean().default(false).describe("Allow another client's session."),
});

const output = z.looseObject({
  sessionId: z.string(),
  /** One at least was refused. */
  outcome: z.enum(['done', 'refused']),
  results: z.array(z.looseObject({ place: z.string(), why: z.string().exactOptional() })),
  nextSteps: nextStepsAnswer,
});

export const debugMemory = defineTool({
  name: 'debug_memory',
  title: 'Read, write, search and poll memory',
  description: `Reads, sets, searches and polls variables, memory and registers where a thread is stopped, or globals and addresses while the program runs; several per call, in order, polls side by side at the same time. What one cannot do is said in its line. Each write is an event with the old and the new value (debug_query view "changes"). For C, C++, Rust; Python and JavaScript without bytes, search and poll.

Example: {"do": [{"read": "order"}, {"write": "order->total", "value": 12.5}]}`,
  input,
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  cli: [
    {
      command: 'memory',
      succeeds: { member: 'outcome', value: 'done' },
      examples: [
        'memory --do \'{"read":"0x7ffe0010","bytes":64}\'',
        'memory --do \'{"poll":"counter","everyMs":100}\'',
      ],
    },
  ],
});
export type DebugMemoryInput = z.output<typeof input>;
export type DebugMemoryOutput = z.output<typeof output>;
