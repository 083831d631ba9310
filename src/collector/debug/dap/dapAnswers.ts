import { z } from 'zod';

/** What an adapter can do. */
export const capabilities = z.looseObject({
  supportsInstructionBreakpoints: z.boolean().optional(),
  supportsSetExpression: z.boolean().optional(),
  supportsSetVariable: z.boolean().optional(),
  supportsSteppingGranularity: z.boolean().optional(),
});

export type DapCapabilities = z.output<typeof capabilities>;

/** An exception that a thread stands at. */
export const exceptionTold = z.looseObject({
  exceptionId: z.string(),
  description: z.string().nullish(),
  breakMode: z.string().optional(),
});

/** Threads have stopped. */
export const stop = z.looseObject({
  reason: z.string(),
  threadId: z.number().optional(),
  hitBreakpointIds: z.array(z.number()).optional(),
  text: z.string().optional(),
  description: z.string().nullish(),
});

/** What became of breakpoints, in their order. */
export const placed = z.looseObject({
  breakpoints: z.array(
    z.looseObject({
      id: z.number().optional(),
      verified: z.boolean(),
      message: z.string().optional(),
    }),
  ),
});

/** What an expression is. */
export const evaluation = z.looseObject({
  result: z.string(),
  type: z.string().optional(),
  variablesReference: z.number(),
  indexedVariables: z.number().optional(),
});
