import { z } from 'zod';

const text = z.string().min(1).max(4000);
const comparedText = z.union([
  z.string().max(4000),
  z.strictObject({
    equals: z.string().max(4000).exactOptional(),
    contains: text.exactOptional(),
    matches: text.exactOptional(),
  }),
]);
const comparedNumber = z.union([
  z.number(),
  z.strictObject({
    equals: z.number().exactOptional(),
    lt: z.number().exactOptional(),
    gt: z.number().exactOptional(),
  }),
]);

/** How many must fit, and since when; the other members are those of a query of the channel. */
const check = z.looseObject({
  on: z.string().min(1).max(40),
  count: comparedNumber.exactOptional(),
  /** The last `do`, or the beginning of the session. */
  since: z.enum(['do', 'start']).exactOptional(),
});

/** An element of a window: which one, and what must be true of it. */
const elementCheck = z
  .strictObject({
    on: z.literal('ui'),
    id: text.exactOptional(),
    role: text.exactOptional(),
    name: text.exactOptional(),
    /** Its name, or the text in it. */
    text: comparedText.exactOptional(),
    value: comparedNumber.exactOptional(),
    /** Marks that the tree shows: "checked", "disabled". */
    is: z.union([text, z.array(text).min(1)]).exactOptional(),
    isNot: z.union([text, z.array(text).min(1)]).exactOptional(),
    /** There is no such element. */
    gone: z.literal(true).exactOptional(),
  })
  .refine((wanted) => ['id', 'role', 'name', 'text'].some((member) => member in wanted), {
    message: 'give id, role, name or text',
  });

const withinMs = z.int().min(0).max(50_000).exactOptional();

const step = z.union([
  z.looseObject({
    do: z.string().min(1).max(40),
    on: z.string().min(1).max(40).exactOptional(),
    withinMs,
    expect: check.exactOptional(),
  }),
  z.strictObject({ wait: check, withinMs }),
  z.strictObject({ assert: check, withinMs }),
  z.strictObject({
    save: z.string().regex(/^[A-Za-z_]\w*$/, 'a name has letters and digits'),
    from: check,
    /** RE2; its first group is kept. */
    part: text.exactOptional(),
    withinMs,
  }),
]);

/** A step and a check of a window, as `parseInput` reads them. */
export const scenarioStep = {
  name: 'a step',
  input: step,
  variant: { by: { do: 'do', wait: 'wait', assert: 'assert', save: 'save' } },
} as const;
export const scenarioElement = { name: 'a check of ui', input: elementCheck } as const;

export type ScenarioStep = z.output<typeof step>;
export type ScenarioCheck = z.output<typeof check>;
export type ElementCheck = z.output<typeof elementCheck>;
export type ComparedText = z.output<typeof comparedText>;
export type ComparedNumber = z.output<typeof comparedNumber>;
