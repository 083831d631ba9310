import { z } from 'zod';
import { nextStepsAnswer } from './answers.ts';
import { sessionParameter, stopParameter, threadParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

export const inspectViews = ['context', 'stack', 'locals', 'threads', 'registers'] as const;

const input = z.strictObject({
  view: z
    .enum(inspectViews)
    .default('context')
    .describe(
      'context: place, source, arguments, locals. stack: all frames. locals: of `frame`, in full. threads: who is stopped, who runs where.',
    ),
  sessionId: sessionParameter.exactOptional(),
  stop: stopParameter.describe('"s7". Default: the one you saw last.').exactOptional(),
  thread: threadParameter.exactOptional(),
  frame: z.int().min(0).max(10_000).default(0).describe('0 is the newest; numbers as in "stack".'),
});

const output = z.looseObject({ sessionId: z.string(), nextSteps: nextStepsAnswer });

export const debugInspect = defineTool({
  name: 'debug_inspect',
  title: 'Look at a stopped thread',
  description: `Shows a thread that is stopped at a breakpoint, step or pause: where it stands, its stack with inlined calls, arguments and locals of its frames, registers, and what the other threads do. Reads only. A stop that was left can still be looked at: the answer says so.

Example: {"view": "stack"}`,
  input,
  output,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  cli: {
    command: 'inspect',
    word: 'view',
    examples: ['inspect', 'inspect stack', 'inspect locals --frame 1', 'inspect threads'],
  },
});
export type DebugInspectInput = z.output<typeof input>;
export type DebugInspectOutput = z.output<typeof output>;
