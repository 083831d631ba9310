import { z } from 'zod';
import { nextStepsAnswer } from './answers.ts';
import { sessionParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

const expression = z.string().min(1).max(1000);
const count = z.int().min(1).max(1_000_000_000).exactOptional();

const breakpoint = z
  .strictObject({
    function: z.string().min(1).max(1000).describe('At the start of its body.').exactOptional(),
    address: z
      .string()
      .regex(/^0x[0-9a-fA-F]{1,16}$/)
      .exactOptional(),
    file: z.string().min(1).max(4096).exactOptional(),
    line: z.int().min(1).exactOptional(),
    expect: z
      .string()
      .max(400)
      .describe('Follow this text of the line if it moved.')
      .exactOptional(),
    statement: z
      .string()
      .min(1)
      .max(400)
      .describe('Find the line of `file` with this text.')
      .exactOptional(),
    near: z.int().min(1).describe('Prefer the match near this line.').exactOptional(),
    label: z.string().min(1).max(100).exactOptional(),
    condition: expression
      .describe('Record only hits that meet it: "sum > 10 && p->next == 0".')
      .exactOptional(),
    invariant: expression
      .describe('Record only hits that find this broken, after it held: "used <= size".')
      .exactOptional(),
    at: count.describe('Record only this hit.'),
    every: count.describe('Record every n-th hit.'),
    after: count.describe('Skip the first n hits.'),
    once: z.literal(true).exactOptional(),
    stop: z
      .enum(['thread', 'process'])
      .describe('Stop the thread that hits it (default without log and capture), or all threads.')
      .exactOptional(),
    log: z
      .string()
      .min(1)
      .max(1000)
      .describe('Write this text: "sum={sum} of {item->name}".')
      .exactOptional(),
    capture: z
      .strictObject({
        values: z.array(expression).max(8).default([]),
        locals: z.boolean().default(false).describe('All arguments and locals in scope (up to 8).'),
      })
      .exactOptional(),
  })
  .refine(
    (one) => [one.function, one.file, one.address].filter(Boolean).length === 1,
    'give either function, or file with line or statement, or address',
  )
  .refine(
    (one) => one.file === undefined || (one.line === undefined) !== (one.statement === undefined),
    'give file with either line or statement',
  )
  .refine(
    (one) => one.log === undefined || one.capture === undefined,
    'give log or capture, not both',
  )
  .refine(
    (one) =>
      one.invariant === undefined ||
      [one.condition, one.at, one.every, one.after, one.once, one.log].every(
        (other) => other === undefined,
      ),
    'an invariant is checked at every hit: leave condition, at, every, after, once and log out',
  )
  .refine(
    (one) => one.stop === undefined || (one.log ?? one.capture ?? one.invariant) === undefined,
    'one that stops has no log, capture or invariant',
  );

const input = z.strictObject({
  sessionId: sessionParameter.exactOptional(),
  add: z
    .array(z.union([z.string().min(1).max(4200), breakpoint]))
    .max(32)
    .default([])
    .describe('Breakpoints: "file.c:22", "function", or an object.'),
  change: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(20),
        enabled: z.boolean().exactOptional(),
        condition: expression.nullable().exactOptional(),
      }),
    )
    .max(64)
    .default([]),
  remove: z.array(z.string().min(1).max(20)).max(64).default([]).describe('Ids, or "all".'),
  takeOver: z.boolean().default(false).describe("Allow another client's session."),
});

const place = z.looseObject({
  function: z.string(),
  place: z.string(),
  text: z.string().nullable(),
  bound: z.boolean(),
});

const output = z.looseObject({
  sessionId: z.string(),
  breakpoints: z.array(
    z.looseObject({
      id: z.string(),
      label: z.string(),
      state: z.enum(['bound', 'pending', 'failed', 'off']),
      reasons: z.array(z.string()),
      nearest: z.array(z.number()),
      moved: z.looseObject({ from: z.number(), to: z.number(), why: z.string() }).nullable(),
      places: z.array(place),
      means: z.enum(['jump', 'return', 'trap', 'v8', 'python']).nullable(),
      cost: z.string().optional().describe('What a hit costs, if that is much.'),
      hits: z.number(),
      met: z.number().describe('Hits that met the condition, or found the invariant broken.'),
    }),
  ),
  warnings: z.array(z.string()),
  nextSteps: nextStepsAnswer,
});

export const debugBreakpoint = defineTool({
  name: 'debug_breakpoint',
  title: 'Stop or record inside functions',
  description: `Stops a thread at a statement or, with log or capture, records each time it runs without stopping. Continue from a stop with debug_continue; look at it with debug_inspect. Expressions read arguments, locals, globals, fields and elements. For C, C++ and Rust with debug information; recording also for JavaScript and Python. Recorded hits are events ("logpoint") below the call they happened in; debug_query shows them. Reports for each breakpoint whether it is bound, where, and how often it was hit. Without arguments: the list.

Example: {"add": [{"file": "bank.c", "line": 22, "condition": "cents > 4096", "log": "{account->name}: {cents}"}]}`,
  input,
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  cli: {
    command: 'break',
    verbs: { add: { list: 'add' }, change: { list: 'change' }, remove: { list: 'remove' } },
    examples: [
      'break add bank.c:22',
      `break add '{"file": "bank.c", "line": 22, "capture": {"locals": true}}'`,
      'break remove b1',
      'break',
    ],
  },
});
export type DebugBreakpointInput = z.output<typeof input>;
export type DebugBreakpointOutput = z.output<typeof output>;
