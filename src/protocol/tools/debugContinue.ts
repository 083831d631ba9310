import { z } from 'zod';
import { nextStepsAnswer } from './answers.ts';
import { sessionParameter, stopParameter, threadParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

/** How a thread goes on, or what is waited for. */
export const continueActions = [
  'continue',
  'over',
  'into',
  'out',
  'instruction',
  'overInstruction',
  'until',
  'pause',
  'wait',
] as const;

/** What debuggers call them. */
const verbs: readonly {
  readonly command: string;
  readonly action: (typeof continueActions)[number];
  readonly title: string;
}[] = [
  { command: 'next', action: 'over', title: 'Step over the line' },
  { command: 'step', action: 'into', title: 'Step into the function that is called' },
  { command: 'finish', action: 'out', title: 'Run to where the function returns' },
  { command: 'pause', action: 'pause', title: 'Stop all threads of a running program' },
  { command: 'await', action: 'wait', title: 'Wait for the next stop' },
];

const input = z.strictObject({
  action: z
    .enum(continueActions)
    .default('continue')
    .describe(
      'over, into, out: step a line, into a call, out of the function. instruction, overInstruction: one of the machine, into or over a call. until: run to `to`. pause: stop all threads, or `thread`. wait: for the next stop.',
    ),
  sessionId: sessionParameter.exactOptional(),
  stop: stopParameter
    .describe('The stop to leave: "s7". Default: the one you saw last; continue leaves all.')
    .exactOptional(),
  thread: threadParameter.exactOptional(),
  to: z
    .string()
    .min(1)
    .max(4200)
    .describe('"file.c:22" or a function. Also ends where the function returns.')
    .exactOptional(),
  timeoutMs: z
    .int()
    .min(0)
    .max(50_000)
    .default(2000)
    .describe('Wait this long for the next stop. A step that takes longer is not cut short.'),
  takeOver: z.boolean().default(false).describe("Allow another client's session."),
});

const output = z.looseObject({
  sessionId: z.string(),
  state: z.enum(['stopped', 'running', 'stepping', 'ended']),
  stops: z.array(
    z.looseObject({
      id: z.string(),
      thread: z.number(),
      reason: z.string(),
      place: z.string(),
      function: z.string().nullable(),
      variables: z.record(z.string(), z.string()),
    }),
  ),
  nextSteps: nextStepsAnswer,
});

export const debugContinue = defineTool({
  name: 'debug_continue',
  title: 'Step, continue, pause, wait for a stop',
  description: `Moves threads that a breakpoint or "pause" stopped: continue, step, run to a place; pauses a running program; waits for a stop. Answers with the next stop: place, source, arguments, locals, what changed. Nothing blocks longer than timeoutMs: a step may take longer, and "wait" returns its stop. Stops are numbered (s1, s2, …); a stop you have not seen is reported and not passed. For C, C++, Rust, Go, Python and JavaScript.

Example: {"action": "over"}`,
  input,
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  cli: [
    {
      command: 'continue',
      title: 'Step, continue, pause, or wait for a stop',
      word: 'action',
      examples: ['continue', 'continue --stop s7', 'continue wait --timeout-ms 20000'],
    },
    ...verbs.map(({ command, action, title }) => ({
      command,
      title,
      defaults: { action },
      examples: [command],
    })),
    {
      command: 'until',
      title: 'Run to a line, or to where the function returns',
      word: 'to',
      defaults: { action: 'until' },
      examples: ['until bank.c:22', 'until bank::close'],
    },
  ],
});
export type DebugContinueInput = z.output<typeof input>;
export type DebugContinueOutput = z.output<typeof output>;
