import { z } from 'zod';
import { callId, parseCallId } from '../../model/ids.ts';
import { timeBack } from '../../model/questions/timePoint.ts';

/** A session by its id or a unique prefix of it. */
export const sessionParameter = z
  .string()
  .min(1)
  .max(200)
  .describe('Or a unique prefix; default: your last used one.');

const timeExpectation = 'expected nanoseconds, or a text like "-5s", "-500ms" or "-1m"';

export const timeParameter = z
  .union([z.number().min(0), z.string().regex(timeBack, timeExpectation)])
  .describe('Nanoseconds since the start, or "-5s", "-500ms" from now.');

/** A path of the file system, absolute or relative. */
export const pathParameter = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes('\0'), 'a path holds no NUL character');

export const cursorParameter = z.string().min(1).max(2000).describe('From the answer before.');

export const budgetParameter = z
  .int()
  .min(200)
  .max(50_000)
  .describe('Tokens of the answer (default 2000).');

/** What patterns without a depth of their own have. */
export const serializationDepthParameter = z
  .int()
  .min(0)
  .max(10)
  .describe('Default depth (3).')
  .exactOptional();

const patternText = z.string().min(1).max(1000);

const patternObject = z.strictObject({
  pattern: patternText,
  module: z.string().min(1).max(1000).describe('A library: "libssl*".').exactOptional(),
  depth: z.int().min(0).max(10).describe('Pointers followed (default 3).').exactOptional(),
  sampling: z
    .union([z.enum(['auto', 'off']), z.number().gt(0).max(1)])
    .describe(
      'Share of calls recorded (0.01); "off": all; "auto" (default): all up to 100,000 a second.',
    )
    .exactOptional(),
  when: z
    .string()
    .min(1)
    .max(1000)
    .describe('Condition: "size > 4096 && contains(name, \\"tmp\\")".')
    .exactOptional(),
  whenReturn: z
    .string()
    .min(1)
    .max(1000)
    .describe('Condition decided at the return: "return.offset != a.offset + start".')
    .exactOptional(),
  firstN: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .describe('Only so many of each function.')
    .exactOptional(),
  minDurationNs: z
    .number()
    .gt(0)
    .max(1e15)
    .describe('Only calls that take so long, and what called recorded ones.')
    .exactOptional(),
  maxDepth: z.int().min(1).max(64).describe('Levels of nested calls.').exactOptional(),
  trigger: z
    .enum(['start', 'stop'])
    .describe('Recording starts or stops at such a call.')
    .exactOptional(),
});

/** A pattern, alone or with what is wanted of it. */
export const patternParameter = z.union([patternText, patternObject]);

/** The same where debug_trace is the place to read of it. */
export const launchPattern = z.union([
  patternText,
  patternObject
    .meta({ told: [] })
    .describe(
      '{pattern, module, depth, sampling, when, whenReturn, firstN, minDurationNs, maxDepth, trigger}: debug_trace.',
    ),
]);

const watchLabelParameter = z.string().min(1).max(200);

/** What debug_trace adds, and a traced test run has. */
export const watchList = z
  .array(
    z
      .strictObject({
        label: watchLabelParameter.exactOptional(),
        expr: z.string().min(1).max(1000).exactOptional(),
        address: z.string().min(3).max(20).exactOptional(),
        type: z.string().min(1).max(200).exactOptional(),
        on: patternText.exactOptional(),
        at: z.enum(['enter', 'return', 'both', 'write']).exactOptional(),
      })
      .refine((watch) => (watch.expr === undefined) !== (watch.address === undefined), {
        message: 'give expr, or address with type',
      })
      .meta({ told: [] })
      .describe('As in debug_trace: {expr, label, on, at, address, type}.'),
  )
  .max(64);

export const watchesParameter = z
  .strictObject({
    add: watchList.default([]),
    remove: z.array(watchLabelParameter).max(64).default([]),
  })
  .meta({ told: [] });

const text = z.string().min(1).max(4000);

const textComparison = {
  equals: text.exactOptional(),
  contains: text.exactOptional(),
  matches: text.describe('RE2').exactOptional(),
};

/** Text comparison of a function's name. */
export const functionFilter = z
  .strictObject({
    ...textComparison,
    pattern: text.describe('As in debug_trace').exactOptional(),
  })
  .meta({ told: [] })
  .describe('{equals, contains, matches (RE2), pattern (of debug_trace)}: qualified name.');

export const sourceFileFilter = z
  .strictObject({
    ...textComparison,
    glob: text.exactOptional(),
  })
  .meta({ told: [] })
  .describe('{equals, contains, matches, glob}: where it is declared.');

export const threadNameFilter = z
  .strictObject({
    ...textComparison,
  })
  .meta({ told: [] })
  .describe('{equals, contains, matches}.');

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

export const returnValueFilter = z
  .strictObject(valueMembers)
  .meta({ told: [] })
  .describe('{equals, contains, isNull, lt, gt}; big numbers, addresses as text.');

export const argumentFilter = z
  .strictObject({
    name: z.string().min(1).max(400).exactOptional(),
    index: z.int().min(0).max(255).describe('From 0; `this` counts.').exactOptional(),
    ...valueMembers,
  })
  .refine((filter) => (filter.name === undefined) !== (filter.index === undefined), {
    message: 'give either name or index',
  })
  .meta({ told: [] })
  .describe('{name, or index from 0 (`this` counts)} and what returnValue has.');

export const watchedFilter = z
  .strictObject({ label: watchLabelParameter.exactOptional(), ...valueMembers })
  .meta({ told: [] })
  .describe('{label} of a watch, and what returnValue has.');

export const callIdParameter = z
  .string()
  .regex(/^c\d{1,9}\.\d{1,12}$/, 'expected a call id such as "c3.1042"')
  .transform((id) => {
    const parts = parseCallId(id);
    return callId(parts?.thread ?? 0, parts?.ordinal ?? 0);
  });

/** Which part of a session is looked at. */
export const rangeParameters = {
  timeFrom: timeParameter.exactOptional(),
  timeTo: timeParameter.describe('As timeFrom.').exactOptional(),
  pid: z.int().min(1).exactOptional(),
};

/** Which calls count; the members of model/query `CallFilter` besides the range. */
export const callParameters = {
  function: functionFilter.exactOptional(),
  sourceFile: sourceFileFilter.exactOptional(),
  returnValue: returnValueFilter.exactOptional(),
  argument: z.array(argumentFilter).min(1).max(8).describe('All must hold.').exactOptional(),
  where: z
    .string()
    .min(1)
    .max(1000)
    .describe('Relation of arguments and result: "return.offset != a.offset + start".')
    .exactOptional(),
  watched: watchedFilter.exactOptional(),
  minDurationNs: z.number().min(0).exactOptional(),
  text: text.describe('In output, names, captured strings.').exactOptional(),
  within: callIdParameter.describe('A call id (c3.1042): what ran inside it.').exactOptional(),
  parent: callIdParameter.describe('A call id: what it called.').exactOptional(),
  test: z
    .string()
    .min(1)
    .max(4000)
    .describe('Of a traced test run: name, or a unique part.')
    .exactOptional(),
};

/** Calls of one thread. */
export const threadParameters = {
  threadId: z.int().min(1).describe('tid').exactOptional(),
  threadName: threadNameFilter.exactOptional(),
};
