import { z } from 'zod';
import { hooksAnswer, nextStepsAnswer } from './answers.ts';
import {
  patternParameter,
  serializationDepthParameter,
  sessionParameter,
  watchesParameter,
} from './parameters.ts';
import { defineTool } from './tool.ts';

const input = z
  .strictObject({
    sessionId: sessionParameter.exactOptional(),
    pending: z
      .literal(true)
      .describe('Stage for your next debug_launch instead of applying now.')
      .exactOptional(),
    projectRoot: z
      .string()
      .describe('With `pending`, stage only for this project.')
      .exactOptional(),
    add: z.array(patternParameter).max(64).default([]),
    remove: z
      .array(z.string().min(1).max(1000))
      .max(64)
      .default([])
      .describe('Patterns to remove, spelled as they were added.'),
    clear: z.boolean().default(false).describe('Remove all patterns first.'),
    serializationDepth: serializationDepthParameter,
    watches: watchesParameter.exactOptional(),
    takeOver: z.boolean().default(false).describe("Allow another client's session."),
  })
  .refine((wanted) => wanted.pending === undefined || wanted.sessionId === undefined, {
    message: 'pending is for the next launch: give sessionId or pending, not both',
    path: ['pending'],
  })
  .refine((wanted) => wanted.pending !== undefined || wanted.projectRoot === undefined, {
    message: 'projectRoot needs "pending": true',
    path: ['projectRoot'],
  });

const output = z.looseObject({
  mode: z.enum(['pending', 'runtime']),
  sessionId: z.string().nullable(),
  ...hooksAnswer.shape,
  activeWatches: z.array(
    z.looseObject({
      label: z.string(),
      state: z.enum(['active', 'pending', 'refused', 'staged']),
      notes: z.array(z.string()),
    }),
  ),
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
  title: 'Add or remove traced functions while the program runs',
  description: `Records every call that matches a pattern, with arguments, result, duration, thread and caller. Reports which were hooked, and what to hook instead of the others. Without arguments: the state.

Patterns: "bank::*" (* stops at ::), "bank::**", "*::draw", "parse" (unqualified), "@usercode" (the project's own), "@file:src/*.cpp", "libc.so!malloc", "express!*", "json.dumps" of a library; "*" never means libc. Parameters may be left out.

Pointers are followed up to "depth" levels (deeper ones in part). Calls that options leave out are still counted and timed.

Example: {"add": ["bank::*", {"pattern": "bank::pay", "when": "cents > 4096"}]}`,
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
      `trace --watches.add '{"expr": "gConfig.audio.rate"}'`,
    ],
  },
});
export type DebugTraceInput = z.output<typeof input>;
export type DebugTraceOutput = z.output<typeof output>;
