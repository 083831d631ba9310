import { z } from 'zod';
import { nextStepsAnswer } from './answers.ts';
import { breakpointParameter, expression } from './breakpoint.ts';
import { sessionParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

const input = z.strictObject({
  sessionId: sessionParameter.exactOptional(),
  add: z
    .array(breakpointParameter)
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
  adapter: z
    .string()
    .min(1)
    .max(100)
    .describe('Who stops threads from now on: "strobe", "gdb", "lldb", "delve", "debugpy", "fits".')
    .exactOptional(),
  takeOver: z.boolean().default(false).describe("Allow another client's session."),
});

const place = z.looseObject({
  function: z.string(),
  inlinedIn: z.string().optional(),
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
      means: z.enum(['jump', 'return', 'trap', 'v8', 'rewrite', 'python']).nullable(),
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
  description: `Stops a thread at a statement or, with log or capture, records each time it runs without stopping. Continue from a stop with debug_continue; look at it with debug_inspect. Expressions read arguments, locals, globals, fields and elements. For C, C++, Rust and Go with debug information, Python and JavaScript. Recorded hits are events ("logpoint") below the call they happened in; debug_query shows them. Reports for each breakpoint whether it is bound, where, and how often it was hit. Without arguments: the list.

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
      `break add bank.c:22 --if 'cents > 4096' --at 3 --stop process`,
      `break add '{"file": "bank.c", "line": 22, "capture": {"locals": true}}'`,
      'break remove b1',
      'break',
    ],
  },
});
export type DebugBreakpointInput = z.output<typeof input>;
export type DebugBreakpointOutput = z.output<typeof output>;
