import { z } from 'zod';
import { hooksAnswer, nextStepsAnswer } from './answers.ts';
import { patternParameter, sessionParameter } from './parameters.ts';
import { defineTool } from './tool.ts';

const input = z
  .strictObject({
    sessionId: sessionParameter.exactOptional(),
    pending: z
      .literal(true)
      .describe('Stage the patterns for your next launch; used once. Not with sessionId.')
      .exactOptional(),
    add: z.array(patternParameter).max(64).default([]),
    remove: z
      .array(z.string().min(1).max(1000))
      .max(64)
      .default([])
      .describe('As they were added.'),
    clear: z.boolean().default(false).describe('Remove every pattern first.'),
    takeOver: z
      .boolean()
      .default(false)
      .describe("Do it although the session is another client's."),
  })
  .refine((wanted) => wanted.pending === undefined || wanted.sessionId === undefined, {
    message: 'pending is for the next launch: give sessionId or pending, not both',
    path: ['pending'],
  });

const output = z.looseObject({
  mode: z.enum(['pending', 'runtime']),
  sessionId: z.string().nullable(),
  ...hooksAnswer.shape,
  warnings: z.array(z.string()),
  eventLimit: z
    .number()
    .nullable()
    .describe('Events kept per session; null: no limit, or not known yet.'),
  status: z.string().describe('One sentence: what is traced now.'),
  nextSteps: nextStepsAnswer,
});

export const debugTrace = defineTool({
  name: 'debug_trace',
  title: 'Choose what is traced, while the program runs',
  description: `Adds and removes function patterns of a running program; no restart. Every call of a matching function is recorded with its arguments, return value, duration, thread and caller. Answers per pattern what matched, what is hooked, and for everything that is not: why, and what to hook instead (an inlined function is seen at its callers). Without add, remove and clear it only shows the state.

Patterns: "bank::*" (* does not cross ::), "bank::**", "*::draw", "parse" (unqualified name), "@usercode" (the project's own functions), "@file:src/render/*.cpp", {"pattern": "SSL_*", "module": "libssl*"} or "libc.so!malloc" for a library. "*" never means libc. Overloads, templates and Rust impls match with or without their parameters.

{"pattern": "bank::*", "depth": 1} also captures the objects that parameters, results, \`this\` and \`self\` point to, with the text they hold and the elements of containers; depth 2 what those point to, and so on. Each object, node or text of its own costs the call about 0.3 µs.

{"pattern": "bank::*", "when": "cents > 4096"} records only such calls, decided in the program ("firstN", "sampling" likewise); the rest is counted.

Start narrow (one class or file), trigger the behaviour, read debug_query view "tree" or "stats", then widen. A pattern that matches nothing is an error naming the nearest functions.

Example: {"add": ["bank::Account::*"], "remove": ["@usercode"]}

With "pending": true the patterns wait for your next debug_launch.`,
  input,
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  cli: {
    command: 'trace',
    verbs: { add: { list: 'add' }, remove: { list: 'remove' } },
    examples: [
      "trace add 'audio::*' '@file:src/mixer.cpp'",
      "trace remove 'audio::*'",
      "trace add --pending '@usercode'",
    ],
  },
});
export type DebugTraceInput = z.output<typeof input>;
export type DebugTraceOutput = z.output<typeof output>;
