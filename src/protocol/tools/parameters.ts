import { z } from 'zod';
import { callId, parseCallId } from '../../model/ids.ts';
import { timeBack } from '../../model/timePoint.ts';

/** A session by its id or a unique prefix of it. */
export const sessionParameter = z
  .string()
  .min(1)
  .max(200)
  .describe('Session id or a unique prefix. Default: your only (or last used) live session.');

const timeExpectation = 'expected nanoseconds, or a text like "-5s", "-500ms" or "-1m"';

export const timeParameter = z
  .union([z.number().min(0), z.string().regex(timeBack, timeExpectation)])
  .describe('Nanoseconds since the session began, or "-5s", "-500ms", "-1m" back from now.');

export const cursorParameter = z.string().min(1).max(2000).describe('From the answer before.');

export const budgetParameter = z
  .int()
  .min(200)
  .max(50_000)
  .describe('Tokens the answer may have (default 2000); the rest is folded or left to the cursor.');

/** A pattern, alone or with the module it is looked for in. */
export const patternParameter = z.union([
  z.string().min(1).max(1000),
  z.strictObject({
    pattern: z.string().min(1).max(1000),
    module: z
      .string()
      .min(1)
      .max(1000)
      .describe('File name of a library (with *): "libssl*".')
      .exactOptional(),
    depth: z
      .int()
      .min(0)
      .max(10)
      .describe(
        'How many pointers are followed in values: 1 = the objects that parameters and this point to (default 0).',
      )
      .exactOptional(),
    sampling: z
      .union([z.enum(['auto', 'off']), z.number().gt(0).max(1)])
      .describe(
        'Share of the calls to record, 0.01 = one in 100; "off": all; default "auto": all until a function is called more than 100,000 times within a second. Counts and times stay exact.',
      )
      .exactOptional(),
    when: z
      .string()
      .min(1)
      .max(1000)
      .describe(
        'Record only calls that meet it, decided in the program: "size > 4096 && contains(name, \\"tmp\\")"; fields (this->rate) need depth 1. The others are counted.',
      )
      .exactOptional(),
    firstN: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .describe('Record only the first so many calls of each function (that meet `when`).')
      .exactOptional(),
  }),
]);

const text = z.string().min(1).max(4000);

/** Text comparison of a function's name. */
export const functionFilter = z
  .strictObject({
    equals: text.exactOptional(),
    contains: text.exactOptional(),
    matches: text.describe('RE2').exactOptional(),
    pattern: text.describe('Function pattern, as in debug_trace').exactOptional(),
  })
  .describe('By qualified name.');

export const sourceFileFilter = z
  .strictObject({
    equals: text.exactOptional(),
    contains: text.exactOptional(),
    matches: text.describe('RE2').exactOptional(),
    glob: text.exactOptional(),
  })
  .describe('By the file that declares the function.');

export const threadNameFilter = z.strictObject({
  equals: text.exactOptional(),
  contains: text.exactOptional(),
  matches: text.describe('RE2').exactOptional(),
});

const comparable = z.union([z.number(), z.string().min(1).max(400)]);

const valueMembers = {
  equals: z
    .union([z.string().max(4000), z.number(), z.boolean(), z.null()])
    .describe('Numbers beyond 2^53 and addresses as text.')
    .exactOptional(),
  contains: text.exactOptional(),
  isNull: z.boolean().exactOptional(),
  lt: comparable.exactOptional(),
  gt: comparable.exactOptional(),
};

export const returnValueFilter = z.strictObject(valueMembers).describe('By what was returned.');

export const argumentFilter = z
  .strictObject({
    name: z.string().min(1).max(400).exactOptional(),
    index: z.int().min(0).max(255).describe('From 0; `this` counts.').exactOptional(),
    ...valueMembers,
  })
  .refine((filter) => (filter.name === undefined) !== (filter.index === undefined), {
    message: 'give either name or index',
  });

export const callIdParameter = z
  .string()
  .regex(/^c\d{1,9}\.\d{1,12}$/, 'expected a call id such as "c3.1042"')
  .describe('A call id of an answer, such as "c3.1042".')
  .transform((id) => {
    const parts = parseCallId(id);
    return callId(parts?.thread ?? 0, parts?.ordinal ?? 0);
  });

/** Which part of a session is looked at. */
export const rangeParameters = {
  timeFrom: timeParameter.exactOptional(),
  timeTo: timeParameter.exactOptional(),
  pid: z.int().min(1).exactOptional(),
};

/** Which calls count; the members of model/query `CallFilter` besides the range. */
export const callParameters = {
  function: functionFilter.exactOptional(),
  sourceFile: sourceFileFilter.exactOptional(),
  returnValue: returnValueFilter.exactOptional(),
  argument: z.array(argumentFilter).min(1).max(8).describe('All must hold.').exactOptional(),
  minDurationNs: z.number().min(0).exactOptional(),
  text: text
    .describe('Full text over output, function names and captured strings.')
    .exactOptional(),
  within: callIdParameter.exactOptional(),
  parent: callIdParameter.exactOptional(),
  test: z
    .string()
    .min(1)
    .max(4000)
    .describe('Of a traced debug_test run: the test, or a part of its name that fits just one.')
    .exactOptional(),
};

/** Calls of one thread. */
export const threadParameters = {
  threadId: z.int().min(1).describe('As the kernel counts (tid).').exactOptional(),
  threadName: threadNameFilter.exactOptional(),
};
