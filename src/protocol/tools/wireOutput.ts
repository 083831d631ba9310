import { errorAnswer } from './answers.ts';
import type { ToolContract } from './tool.ts';
import {
  jsonSchema,
  properties,
  record,
  records,
  required,
  type WireSchema,
} from './wireSchema.ts';

/** One form of a tool's answer: its members and which of them are always there. */
export interface OutputVariant {
  /** Value of the tool's variant key; null for a tool with one form of answer. */
  readonly name: string | null;
  readonly properties: Readonly<Record<string, WireSchema>>;
  readonly required: readonly string[];
}

/** The forms of a tool's answer, read from its contract. */
export function outputVariants(tool: ToolContract): OutputVariant[] {
  const schema = jsonSchema(tool.output, 'output');
  const branches = records(schema['oneOf']);
  return (branches.length > 0 ? branches : [schema]).map((branch) => {
    const found = properties(branch);
    const key = tool.variant && 'key' in tool.variant ? tool.variant.key : '';
    const name = found[key]?.['const'];
    return {
      name: typeof name === 'string' ? name : null,
      properties: found,
      required: required(branch),
    };
  });
}

/**
 * The output schema clients see: one object with the members of every form, two levels deep; all of
 * it costs each client tokens, and docs/tools has the rest. A refused call has structured
 * content too, and some clients check it against the same schema.
 */
export function wireOutput(tool: ToolContract): WireSchema {
  const variants = outputVariants(tool);
  const common = variants.reduce<readonly string[]>(
    (names, variant) => names.filter((name) => variant.required.includes(name)),
    variants[0]?.required ?? [],
  );
  const refused = jsonSchema(errorAnswer, 'output');
  return {
    type: 'object',
    properties: {
      ...mergedProperties(
        variants.map((variant) => variant.properties),
        levels,
      ),
      ...mergedProperties([properties(refused)], levels),
    },
    anyOf: [{ required: common }, { required: required(refused) }],
  };
}

/** Members of members are named, what is in those is not. */
const levels = 2;

function mergedProperties(
  forms: readonly Readonly<Record<string, WireSchema>>[],
  depth: number,
): WireSchema {
  const names = new Set(forms.flatMap((form) => Object.keys(form)));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      outline(
        forms.flatMap((form) => (form[name] ? [form[name]] : [])),
        depth,
      ),
    ]),
  );
}

/** What all of these may be, as one schema. */
function outline(schemas: readonly WireSchema[], depth: number): WireSchema {
  const forms = schemas.flatMap(alternatives);
  const types = [...new Set(forms.map((form) => form['type']))];
  const objects = forms.filter((form) => form['type'] === 'object').map(properties);
  const items = forms.flatMap((form) => (form['type'] === 'array' ? [record(form['items'])] : []));
  const words = wordsOf(forms);
  // What is said of one variant may be false of another.
  const [meaning, ...others] = new Set(schemas.map(({ description }) => description));
  const deeper = depth > 0 && objects.some((form) => Object.keys(form).length > 0);
  return {
    ...(types.includes(undefined) ? {} : { type: types.length === 1 ? types[0] : types }),
    ...(words === null ? {} : { enum: words }),
    ...(deeper ? { properties: mergedProperties(objects, depth - 1) } : {}),
    ...(items.length > 0 ? { items: outline(items, depth - 1) } : {}),
    ...(isText(meaning) && others.length === 0 ? { description: meaning } : {}),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function alternatives(schema: WireSchema): WireSchema[] {
  const branches = [...records(schema['anyOf']), ...records(schema['oneOf'])];
  if (branches.length > 0) return branches.flatMap(alternatives);
  const { type } = schema;
  return Array.isArray(type) ? type.map((one: unknown) => ({ ...schema, type: one })) : [schema];
}

/** The words it can be, when it can be nothing else. */
function wordsOf(forms: readonly WireSchema[]): unknown[] | null {
  const words = new Set<unknown>();
  for (const form of forms) {
    if (Array.isArray(form['enum'])) for (const word of form['enum']) words.add(word);
    else if ('const' in form) words.add(form['const']);
    else return null;
  }
  return [...words];
}
