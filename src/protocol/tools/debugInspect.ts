import { z } from 'zod';
import { nextStepsAnswer } from './answers.ts';
import { sessionParameter, stopParameter, threadParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

export const inspectViews = [
  'context',
  'stack',
  'locals',
  'value',
  'threads',
  'registers',
  'disassembly',
] as const;

/** What debuggers call them. */
const verbs: readonly {
  readonly command: string;
  readonly view: (typeof inspectViews)[number];
  readonly title: string;
}[] = [
  { command: 'where', view: 'context', title: 'Show where a thread is stopped' },
  { command: 'bt', view: 'stack', title: 'Show the stack of a stopped thread' },
  { command: 'locals', view: 'locals', title: 'Show the variables of a frame' },
  {
    command: 'threads',
    view: 'threads',
    title: 'Show which threads are stopped, and where others run',
  },
  { command: 'registers', view: 'registers', title: 'Show the registers of a stopped thread' },
  {
    command: 'disassemble',
    view: 'disassembly',
    title: 'Show the instructions around where a thread is stopped',
  },
];

const input = z.strictObject({
  view: z
    .enum(inspectViews)
    .default('context')
    .describe(
      'context: place, source, arguments, locals. stack: all frames. locals: of `frame`, in full. value: of `expression`. threads: who is stopped, who runs where.',
    ),
  sessionId: sessionParameter.exactOptional(),
  stop: stopParameter.describe('"s7". Default: the one you saw last.').exactOptional(),
  thread: threadParameter.exactOptional(),
  frame: z.int().min(0).max(10_000).default(0).describe('0 is the newest; numbers as in "stack".'),
  expression: z
    .string()
    .min(1)
    .max(1000)
    .describe('"order->items[2].price", "*(int*)0x7ffe", "a == b + 1". Calls nothing.')
    .exactOptional(),
  count: z
    .int()
    .min(1)
    .max(1000)
    .describe('Elements of a value (16), or instructions (16).')
    .default(16),
});

const output = z.looseObject({ sessionId: z.string(), nextSteps: nextStepsAnswer });

export const debugInspect = defineTool({
  name: 'debug_inspect',
  title: 'Look at a stopped thread',
  description: `Shows a thread that is stopped at a breakpoint, step or pause: where it stands, its stack with inlined calls, arguments and locals of its frames, values of expressions, registers, instructions, and what the other threads do. Reads only. A stop that was left can still be looked at: the answer says so.

Example: {"view": "stack"}`,
  input,
  output,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  cli: [
    {
      command: 'inspect',
      word: 'view',
      examples: ['inspect', 'inspect stack --stop s7', 'inspect locals --frame 1'],
    },
    {
      command: 'print',
      title: 'Show the value of an expression where a thread is stopped',
      word: 'expression',
      defaults: { view: 'value' },
      examples: ['print order.name', "print '*(int*)0x7ffe0010' --frame 1"],
    },
    ...verbs.map(({ command, view, title }) => ({
      command,
      title,
      defaults: { view },
      examples: [command],
    })),
  ],
});
export type DebugInspectInput = z.output<typeof input>;
export type DebugInspectOutput = z.output<typeof output>;
