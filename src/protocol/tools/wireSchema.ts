import { z } from 'zod';
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
export function inputVariants(tool: Pick<ToolContract, 'input' | 'variant'>): InputVariant[] {
  const schema = jsonSchema(tool.input, 'input');
  const { variant } = tool;
  const branches = records(schema[variant && 'by' in variant ? 'anyOf' : 'oneOf']);
  return (branches.length > 0 ? branches : [schema]).map((branch) => {
    const found = properties(branch);
    return {
      name: variant ? variantName(variant, found) : null,
      properties: found,
      required: required(branch),
    };
  });
}

function variantName(
  variant: VariantChoice,
  members: Readonly<Record<string, Property>>,
): string | null {
  if ('by' in variant)
    return Object.entries(variant.by).findLast(([, mark]) => mark in members)?.[0] ?? null;
  const name = members[variant.key]?.['const'];
  return typeof name === 'string' ? name : null;
}

/**
 * All parameters of a tool in one flat object, each once, with what its variants say of it; but for
 * those in `told` also with whose they are. The daemon checks a request against its exact variant.
 */
export function mergedInput(
  tool: ToolContract,
  told: readonly string[] = [],
): Readonly<Record<string, Property>> {
  const variants = inputVariants(tool);
  const keyed = tool.variant && 'key' in tool.variant ? tool.variant : undefined;
  const found: Record<string, Property> = {};
  for (const name of new Set(variants.flatMap((variant) => Object.keys(variant.properties)))) {
    found[name] =
      name === keyed?.key
        ? variantProperty(variants, keyed.default)
        : merged(name, variants, told.includes(name));
  }
  return found;
}

/**
 * The input schema clients see. Several model APIs refuse `oneOf` at the top level, so variants are
 * merged. Every client pays for each word of it: nothing is said twice, and what a request may
 * reach only by mistake is left to the daemon's error.
 */
export function wireInput(tool: ToolContract): WireSchema & { readonly properties: WireSchema } {
  const variants = inputVariants(tool);
  const keyed = tool.variant && 'key' in tool.variant ? tool.variant : undefined;
  const found = mergedInput(tool, tool.variantsTold);
  const always = Object.keys(found).filter((name) =>
    name === keyed?.key && keyed.default !== undefined
      ? false
      : variants.every((variant) => variant.required.includes(name)),
  );
  return {
    type: 'object',
    properties: shortenedMembers(found, found),
    ...(always.length > 0 ? { required: always } : {}),
  };
}

/** Bounds nobody reaches by chance: they are checked, but not worth a client's tokens. */
const unsaid = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'pattern',
  'propertyNames',
  'contentEncoding',
  'format',
  'told',
]);
function isUnsaid(key: string, member: unknown): boolean {
  // A description names numbers where they matter.
  if (key === 'default') return typeof member !== 'string';
  // Unknown members are refused by the daemon, which names the nearest.
  if (key === 'additionalProperties') return member === false;
  if (key === 'description') return member === '';
  return unsaid.has(key);
}

/** `top`: the tool's parameters; what they say of themselves is not said again further inside. */
function shortened(value: unknown, top: WireSchema): unknown {
  if (Array.isArray(value)) return value.map((member) => shortened(member, top));
  if (typeof value !== 'object' || value === null) return value;
  const schema = record(value);
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(schema)) {
    if (isUnsaid(key, member)) continue;
    if (key === 'anyOf') Object.assign(kept, alternatives(member, top));
    else if (key === 'properties') {
      const members = shortenedMembers(toldMembers(schema), top);
      if (Object.keys(members).length > 0) kept[key] = members;
    } else if (key !== 'required' || !('told' in schema)) kept[key] = shortened(member, top);
  }
  return kept;
}

/** Alternatives that are nothing but types are one list of types. */
function alternatives(branches: unknown, top: WireSchema): WireSchema {
  const distinct = new Map(
    records(branches)
      .map((branch) => record(shortened(branch, top)))
      .map((form) => [JSON.stringify(form), form]),
  );
  const forms = [...distinct.values()];
  const types = forms.map((form) => form['type']);
  return forms.every((form) => Object.keys(form).length === 1) && !types.includes(undefined)
    ? { type: types }
    : { anyOf: forms };
}

/** Members that are described elsewhere (`told` lists the others) are named by the description only. */
function toldMembers(schema: WireSchema): WireSchema {
  const { told } = schema;
  const members = record(schema['properties']);
  if (!Array.isArray(told)) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => told.includes(name)));
}

/** Parameter names are not keywords: `pattern` stays. */
function shortenedMembers(members: WireSchema, top: WireSchema): WireSchema {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const { description, ...rest } = record(member);
      const isSaid = members !== top && record(top[name])['description'] === description;
      const told = description === undefined || isSaid ? rest : { ...rest, description };
      return [name, shortened(told, top)];
    }),
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

function merged(name: string, variants: readonly InputVariant[], isTold: boolean): Property {
  const having = variants.filter((variant) => name in variant.properties);
  const forms = new Map<string, Property>();
  const meanings = new Map<string, (string | null)[]>();
  for (const variant of having) {
    const property = variant.properties[name] ?? {};
    const form = withoutMeaning(property);
    forms.set(JSON.stringify(form), form);
    if (property.description !== undefined && property.description !== '')
      meanings.set(property.description, [
        ...(meanings.get(property.description) ?? []),
        variant.name,
      ]);
  }
  const saysOnly = having.length < variants.length && !isTold && meanings.size < 2;
  const description = [
    ...(saysOnly ? [`Only ${having.map((variant) => variant.name).join(', ')}.`] : []),
    ...[...meanings].map(([meaning, of]) =>
      meanings.size > 1 ? `${of.join(', ')}: ${meaning}` : meaning,
    ),
  ].join(' ');
  return { ...widest([...forms.values()]), ...(description === '' ? {} : { description }) };
}

/** Without what may differ between variants that mean the same. */
function withoutMeaning(property: Property): Property {
  const { description: _description, ...form } = property;
  return form;
}

/** One form that allows what each of them does. */
function widest(forms: readonly Property[]): Property {
  const [first = {}, ...others] = forms;
  if (others.length === 0) return first;
  const covering = forms.find((form) => forms.every((other) => covers(form, other)));
  return covering === undefined ? { anyOf: [...forms] } : withoutBounds(covering);
}

const bounds = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'default']);

function withoutBounds(form: Property): Property {
  return Object.fromEntries(Object.entries(form).filter(([key]) => !bounds.has(key)));
}

function covers(wide: Property, narrow: Property): boolean {
  if (JSON.stringify(withoutBounds(wide)) === JSON.stringify(withoutBounds(narrow))) return true;
  const words = wordsOfItems(wide);
  const fewer = wordsOfItems(narrow);
  return fewer.length > 0 && fewer.every((word) => words.includes(word));
}

function wordsOfItems(form: Property): unknown[] {
  const words = record(form['items'])['enum'];
  return Array.isArray(words) ? words.map((word: unknown) => word) : [];
}

/** What a value must be before (`input`) or is after (`output`) it was read. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): WireSchema {
  return record(z.toJSONSchema(schema, { io }));
}

/** Names of the members that must be there. */
export function required(schema: WireSchema): string[] {
  return Array.isArray(schema['required']) ? schema['required'].map(String) : [];
}

/** The members of an object's schema. */
export function properties(schema: WireSchema): Record<string, Property> {
  const found: Record<string, Property> = {};
  for (const [name, property] of Object.entries(record(schema['properties'])))
    found[name] = record(property);
  return found;
}

/** Those members of a list that are objects; no list has none. */
export function records(value: unknown): WireSchema[] {
  return Array.isArray(value) ? value.map(record) : [];
}

/** The value as an object, or an empty one. */
export function record(value: unknown): WireSchema {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
