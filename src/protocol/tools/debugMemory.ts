import { z } from 'zod';
import { nextStepsAnswer } from './answers.ts';
import { sessionParameter, stopParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

const place = z.string().min(1).max(1000);

const step = z.union([
  z.strictObject({
    read: place.describe('"order->items[2]", "*(double*)0x7ffe", or an address with `bytes`.'),
    count: z.int().min(1).max(1000).default(16).describe('Elements of a list.'),
    bytes: z.int().min(1).max(1024).describe('Show this many bytes from there.').exactOptional(),
  }),
  z.strictObject({
    write: place.describe('A number, character, enumerator or pointer in memory.'),
    value: z.union([z.number(), z.string().min(1).max(100), z.boolean()]),
  }),
]);

const input = z.strictObject({
  do: z.array(step).min(1).max(16),
  sessionId: sessionParameter.exactOptional(),
  stop: stopParameter.describe('"s7". Default: the one you saw last.').exactOptional(),
  frame: z.int().min(0).max(10_000).default(0).describe('As numbered by view "stack".'),
  takeOver: z.boolean().default(false).describe("Allow another client's session."),
});

const output = z.looseObject({
  sessionId: z.string(),
  results: z.array(z.looseObject({ place: z.string(), why: z.string().exactOptional() })),
  nextSteps: nextStepsAnswer,
});

export const debugMemory = defineTool({
  name: 'debug_memory',
  title: 'Read and write the memory of a stopped program',
  description: `Reads and sets variables, fields, elements and memory where a thread is stopped, several per call, in order. What one of them cannot do is said in its line; the others are done. Each write is an event with the old and the new value (debug_query view "changes"). For C, C++ and Rust.

Example: {"do": [{"read": "order"}, {"write": "order->total", "value": 12.5}]}`,
  input,
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  cli: [{ command: 'memory', examples: ['memory --do \'{"read":"0x7ffe0010","bytes":64}\''] }],
});
export type DebugMemoryInput = z.output<typeof input>;
export type DebugMemoryOutput = z.output<typeof output>;
