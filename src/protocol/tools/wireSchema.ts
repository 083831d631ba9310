import { z } from 'zod';
import { errorAnswer } from './answers.ts';
import type { ToolContract, VariantChoice } from './tool.ts';

/** A JSON Schema as it travels. */
export interface WireSchema {
  readonly [key: string]: unknown;
}

type Property = WireSchema & { readonly description?: string };

/** One variant of a tool's input: its properties and which of them must be there. */
export interface InputVariant {
  /** Value of the tool's variant key, or its name; null for a tool without variants. */
  readonly name: string | null;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
}

/** The variants of a tool's input, read from its contract. */
export function inputVariants(tool: ToolContract): InputVariant[] {
  const schema = jsonSchema(tool.input, 'input');
  const { variant } = tool;
  const branches = records(schema[variant && 'by' in variant ? 'anyOf' : 'oneOf']);
  return (branches.length > 0 ? branches : [schema]).map((branch) => {
    const properties = propertiesOf(branch);
    return {
      name: variant ? variantName(variant, properties) : null,
      properties,
      required: Array.isArray(branch['required']) ? branch['required'].map(String) : [],
    };
  });
}

function variantName(
  variant: VariantChoice,
  properties: Readonly<Record<string, Property>>,
): string | null {
  if ('by' in variant)
    return Object.entries(variant.by).findLast(([, mark]) => mark in properties)?.[0] ?? null;
  const name = properties[variant.key]?.['const'];
  return typeof name === 'string' ? name : null;
}

/**
 * The input schema clients see: one flat object. Several model APIs refuse `oneOf` at the top
 * level, so variants are merged and each property says where it belongs; the daemon checks the
 * request against the exact variant.
 */
export function wireInput(tool: ToolContract): WireSchema & { readonly properties: WireSchema } {
  const variants = inputVariants(tool);
  const keyed = tool.variant && 'key' in tool.variant ? tool.variant : undefined;
  const properties: Record<string, Property> = {};
  for (const name of new Set(variants.flatMap((variant) => Object.keys(variant.properties)))) {
    properties[name] =
      name === keyed?.key ? variantProperty(variants, keyed.default) : merged(name, variants);
  }
  const required = Object.keys(properties).filter((name) =>
    name === keyed?.key && keyed.default !== undefined
      ? false
      : variants.every((variant) => variant.required.includes(name)),
  );
  return {
    type: 'object',
    properties: shortenedMembers(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/**
 * The output schema clients see; its root is an object, as the 2025 revisions demand. A refused
 * call has structured content too, and some clients check it against the same schema.
 */
export function wireOutput(tool: ToolContract): WireSchema {
  const schema = jsonSchema(tool.output, 'output');
  const branches = records(schema['oneOf']);
  const answers = branches.length > 0 ? branches : [schema];
  return {
    type: 'object',
    anyOf: [...answers.map(withoutDialect), withoutDialect(jsonSchema(errorAnswer, 'output'))],
  };
}

function withoutDialect(schema: WireSchema): WireSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}

/** Bounds nobody reaches by chance: they are checked, but not worth a client's tokens. */
const unsaid = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'propertyNames',
  'contentEncoding',
  'format',
]);

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === 'properties') kept[key] = shortenedMembers(member);
    else if (!unsaid.has(key) && member !== Number.MAX_SAFE_INTEGER) kept[key] = shortened(member);
  }
  return kept;
}

/** Parameter names are not keywords: `pattern` stays. */
function shortenedMembers(properties: unknown): WireSchema {
  return Object.fromEntries(
    Object.entries(record(properties)).map(([name, property]) => [name, shortened(property)]),
  );
}

function variantProperty(
  variants: readonly InputVariant[],
  fallback: string | undefined,
): Property {
  return {
    type: 'string',
    enum: variants.map((variant) => variant.name),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

function merged(name: string, variants: readonly InputVariant[]): Property {
  const having = variants.filter((variant) => name in variant.properties);
  const distinct = new Map<string, Property>();
  for (const variant of having) {
    const property = variant.properties[name] ?? {};
    distinct.set(JSON.stringify(property), property);
  }
  const [only, ...others] = distinct.values();
  const property: Property = others.length === 0 ? { ...only } : { anyOf: [...distinct.values()] };
  if (having.length === variants.length) return property;
  const where = `Only ${having.map((variant) => variant.name).join(', ')}.`;
  return {
    ...property,
    description: property.description ? `${where} ${property.description}` : where,
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): WireSchema {
  return record(z.toJSONSchema(schema, { io }));
}

function propertiesOf(schema: WireSchema): Record<string, Property> {
  const found: Record<string, Property> = {};
  for (const [name, property] of Object.entries(record(schema['properties'])))
    found[name] = record(property);
  return found;
}

function records(value: unknown): WireSchema[] {
  return Array.isArray(value) ? value.map(record) : [];
}

/** The value as an object, or an empty one. */
function record(value: unknown): WireSchema {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
