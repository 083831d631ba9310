import { z } from 'zod';
import { callId, parseCallId } from '../../model/ids.ts';
import { timeText } from '../../model/questions/timePoint.ts';

/** A session by its id, a unique prefix or end of it. */
export const sessionParameter = z
  .string()
  .min(1)
  .max(200)
  .describe('Id or prefix; defaults to your most recent session.');

/** A stop by its id. */
export const stopParameter = z
  .string()
  .regex(/^s\d+$/, 'a stop is written like "s7"')
  .max(20);

/** A thread by the system's number. */
export const threadParameter = z
  .union([
    z.int().min(1),
    z.string().regex(/^task\d{1,9}$/, 'expected a number, or a task: "task3"'),
  ])
  .describe('A thread by its number, or "task3".');

const timeExpectation =
  'expected nanoseconds, or a text like "3s" or "+1.5ms" from the start, "-500ms" before now';

export const timeParameter = z
  .union([z.number().min(0), z.string().regex(timeText, timeExpectation)])
  .describe('Nanoseconds or "3s" from the start, or "-5s" before now.');

/** A path of the file system, absolute or relative. */
export const pathParameter = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes('\0'), 'a path holds no NUL character');

export const cursorParameter = z
  .string()
  .min(1)
  .max(2000)
  .describe('Copy it from the previous answer.');

export const budgetParameter = z
  .int()
  .min(200)
  .max(50_000)
  .describe('Limit the tokens of the answer (default 2000).');

/** What patterns without a depth of their own have. */
export const serializationDepthParameter = z
  .int()
  .min(0)
  .max(10)
  .describe('Apply to patterns without depth (default 3).')
  .exactOptional();

const patternText = z.string().min(1).max(1000);

const patternObject = z.strictObject({
  pattern: patternText,
  module: z.string().min(1).max(1000).describe('Search this library: "libssl*".').exactOptional(),
  depth: z.int().min(0).max(10).describe('Follow pointers this deep (default 3).').exactOptional(),
  sampling: z
    .union([z.enum(['auto', 'off']), z.number().gt(0).max(1)])
    .describe('Record this share of calls; "off": all; "auto" (default): up to 100,000 a second.')
    .exactOptional(),
  when: z
    .string()
    .min(1)
    .max(1000)
    .describe('Record calls where this holds: "size > 4096 && contains(name, \\"tmp\\")".')
    .exactOptional(),
  whenReturn: z
    .string()
    .min(1)
    .max(1000)
    .describe('Decide at the return, also by `return`.')
    .exactOptional(),
  invariant: z
    .string()
    .min(1)
    .max(1000)
    .describe('Show the call that breaks this: "forall(l->head, it->next, it->key > 0)".')
    .exactOptional(),
  lines: z.boolean().describe('Also record which lines run.').exactOptional(),
  firstN: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .describe('Record only the first N calls of each function.')
    .exactOptional(),
  minDurationNs: z
    .number()
    .gt(0)
    .max(1e15)
    .describe('Record only calls of at least this long, and their callers.')
    .exactOptional(),
  maxDepth: z.int().min(1).max(64).describe('Record only this many nested levels.').exactOptional(),
  trigger: z
    .enum(['start', 'stop'])
    .describe('Start or stop recording at a matching call.')
    .exactOptional(),
});

/** A pattern, alone or with what is wanted of it. */
export const patternParameter = z.union([patternText, patternObject]);

/** The same where debug_trace is the place to read of it. */
export const launchPattern = z.union([
  patternText,
  patternObject.meta({ told: ['pattern', 'depth'] }),
]);

const watchLabelParameter = z.string().min(1).max(200);

const watch = z
  .strictObject({
    label: watchLabelParameter.exactOptional(),
    expr: z
      .string()
      .min(1)
      .max(1000)
      .describe('Sample this expression: "cfg.rate".')
      .exactOptional(),
    address: z.string().min(3).max(20).exactOptional(),
    type: z.string().min(1).max(200).exactOptional(),
    on: patternText.describe('Sample only at calls of these functions.').exactOptional(),
    at: z
      .enum(['enter', 'return', 'both', 'write'])
      .describe('"write" records each write and who wrote.')
      .exactOptional(),
  })
  .refine(({ expr, address }) => (expr === undefined) !== (address === undefined), {
    message: 'give expr, or address with type',
  });

/** What debug_trace adds. */
const watchList = z.array(watch.describe('Give `expr`, or `address` with `type`.')).max(64);

/** The same for a traced test run. */
export const testWatchList = z.array(watch.meta({ told: ['expr', 'on'] })).max(64);

export const watchesParameter = z
  .strictObject({
    add: watchList.default([]),
    remove: z.array(watchLabelParameter).max(64).default([]).describe('Stop these labels.'),
  })
  .describe('Sample variables at calls.');

const text = z.string().min(1).max(4000);

const textComparison = {
  equals: text.exactOptional(),
  contains: text.exactOptional(),
  matches: text.exactOptional(),
};

/** Text comparison of a function's name. */
export const functionFilter = z
  .strictObject({
    ...textComparison,
    pattern: text.exactOptional(),
  })
  .describe('Compare the qualified name; `matches` is RE2.');

export const sourceFileFilter = z
  .strictObject({
    ...textComparison,
    glob: text.exactOptional(),
  })
  .meta({ told: ['contains', 'glob'] })
  .describe('Compare the file that defines the function.');

export const threadNameFilter = z
  .strictObject({
    ...textComparison,
  })
  .meta({ told: ['equals', 'contains'] })
  .describe('Compare thread names.');

const comparable = z.union([z.number(), z.string().min(1).max(400)]);

const valueMembers = {
  equals: z.union([z.string().max(4000), z.number(), z.boolean(), z.null()]).exactOptional(),
  contains: text.exactOptional(),
  isNull: z.boolean().exactOptional(),
  lt: comparable.exactOptional(),
  gt: comparable.exactOptional(),
};

export const returnValueFilter = z
  .strictObject(valueMembers)
  .describe('Write addresses and numbers beyond 2^53 as text.');

export const argumentFilter = z
  .strictObject({
    name: z.string().min(1).max(400).describe('Name it: "cents", "a.offset".').exactOptional(),
    index: z.int().min(0).max(255).describe('Count from 0; `this` counts.').exactOptional(),
    ...valueMembers,
  })
  .refine((filter) => (filter.name === undefined) !== (filter.index === undefined), {
    message: 'give either name or index',
  });

export const watchedFilter = z
  .strictObject({ label: watchLabelParameter.exactOptional(), ...valueMembers })
  .meta({ told: ['label', 'equals', 'gt'] })
  .describe('Compare what a watch saw.');

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
  timeTo: timeParameter.describe('').exactOptional(),
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
    .describe('Keep calls where this holds: "return.offset != a.offset + start".')
    .exactOptional(),
  watched: watchedFilter.exactOptional(),
  minDurationNs: z.number().min(0).exactOptional(),
  text: text.describe('Search output, names and captured strings.').exactOptional(),
  within: callIdParameter.describe('Keep what ran inside this call ("c3.1042").').exactOptional(),
  parent: callIdParameter.describe('Keep what this call called.').exactOptional(),
  test: z.string().min(1).max(4000).describe('Keep one test of the run.').exactOptional(),
};

/** Calls of one thread. */
export const threadParameters = {
  threadId: z.int().min(1).exactOptional(),
  threadName: threadNameFilter.exactOptional(),
};

/** The same calls for a file, in fewer words; what is not listed of a filter is understood too. */
export const exportedCallParameters = {
  function: functionFilter.meta({ told: ['pattern'], description: '' }).exactOptional(),
  sourceFile: sourceFileFilter.meta({ told: ['contains'], description: '' }).exactOptional(),
  returnValue: returnValueFilter.meta({ told: ['equals'], description: '' }).exactOptional(),
  argument: z
    .array(argumentFilter.meta({ told: ['name', 'equals'], description: '' }))
    .min(1)
    .max(8)
    .exactOptional(),
  where: z.string().min(1).max(1000).exactOptional(),
  watched: watchedFilter.meta({ told: ['label'], description: '' }).exactOptional(),
  minDurationNs: z.number().min(0).exactOptional(),
  text: text.exactOptional(),
  within: callIdParameter.exactOptional(),
  parent: callIdParameter.exactOptional(),
  test: z.string().min(1).max(4000).exactOptional(),
};

/** As `threadParameters`. */
export const exportedThreadParameters = {
  threadId: z.int().min(1).exactOptional(),
  threadName: threadNameFilter.meta({ told: ['equals'], description: '' }).exactOptional(),
};

/** As `rangeParameters`. */
export const exportedRangeParameters = {
  timeFrom: timeParameter.describe('').exactOptional(),
  timeTo: timeParameter.describe('').exactOptional(),
  pid: z.int().min(1).exactOptional(),
};
