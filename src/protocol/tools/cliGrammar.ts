import type { CliMapping, ToolContract } from './tool.ts';
import { inputVariants, mergedInput, type WireSchema } from './wireSchema.ts';

/** What tools are called in a terminal. */
type CommandNames = ReadonlyMap<string, string>;

/** The tools' commands, as src/client/manifestTypes `CliCommand` has them. */
export function cliCommands(tools: readonly ToolContract[]): WireSchema[] {
  const names = new Map(tools.map((tool) => [tool.name, mappings(tool.cli)[0]?.command ?? '']));
  return tools.flatMap((tool) =>
    mappings(tool.cli).map((mapping) => cliCommand(tool, mapping, names)),
  );
}

function mappings(cli: ToolContract['cli']): readonly CliMapping[] {
  return 'command' in cli ? [cli] : cli;
}

function cliCommand(tool: ToolContract, mapping: CliMapping, names: CommandNames): WireSchema {
  const {
    command,
    rest,
    verbs,
    word,
    shorthand,
    defaults,
    succeeds,
    examples,
    flags = {},
  } = mapping;
  const taken = new Set(rest ? [rest.first, rest.others] : []);
  const variant = inputVariants(tool).find((one) => one.name === mapping.variant);
  const properties = members(inTerminal(variant?.properties ?? mergedInput(tool), names));
  return {
    command,
    tool: tool.name,
    title: mapping.title ?? tool.title,
    rest: rest ?? null,
    verbs: verbs ?? {},
    word: word ?? null,
    shorthand: shorthand ?? {},
    defaults: defaults ?? {},
    succeeds: succeeds ?? null,
    variant:
      tool.variant && 'key' in tool.variant
        ? { key: tool.variant.key, usual: tool.variant.default ?? null }
        : null,
    parameters: properties
      .filter(([name]) => !taken.has(name))
      .map(([name, schema]) => ({
        ...parameter(name, schema, flags[name]),
        variants: mapping.variant === undefined ? variantsWith(tool, name) : [],
      })),
    // A command of one variant; those of several choose it by their words.
    required: (variant?.required ?? []).filter(
      (name) =>
        !(name in (defaults ?? {})) &&
        isSchema(variant?.properties[name]) &&
        !('default' in variant.properties[name]),
    ),
    examples,
  };
}

/** Variants that have the parameter; empty: all. */
function variantsWith(tool: ToolContract, name: string): readonly string[] {
  const all = inputVariants(tool);
  const having = all.filter((variant) => name in variant.properties);
  return having.length === all.length ? [] : having.flatMap((variant) => variant.name ?? []);
}

function parameter(name: string, schema: WireSchema, flag?: string): WireSchema {
  const described = kindOf(schema);
  return {
    name,
    flag: flag ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    choices: [],
    members: [],
    variants: [],
    ...described,
    meaning: schema['description'] ?? '',
  };
}

/** A schema whose descriptions name commands where they named tools. */
function inTerminal(value: unknown, names: CommandNames): unknown {
  if (Array.isArray(value)) return value.map((one) => inTerminal(one, names));
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === 'description' && typeof one === 'string'
        ? one.replaceAll(/\bdebug_[a-z]+\b/g, (tool) => commandOf(tool, names))
        : inTerminal(one, names),
    ]),
  );
}

function commandOf(tool: string, names: CommandNames): string {
  const command = names.get(tool);
  return command === undefined ? tool : `strobe ${command}`;
}

function kindOf(schema: WireSchema): WireSchema {
  const branches = schemas(schema['anyOf']);
  if (branches.length > 0) return kindOfUnion(branches);
  const choices = Array.isArray(schema['enum']) ? schema['enum'].map(String) : [];
  switch (schema['type']) {
    case 'string':
      return { kind: 'text', choices };
    case 'integer':
    case 'number':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'flag' };
    case 'array':
      return kindOfList(isSchema(schema['items']) ? schema['items'] : {});
    default: {
      const inner = members(schema['properties']);
      return inner.length > 0
        ? { kind: 'members', members: inner.map(([name, one]) => parameter(name, one)) }
        : { kind: 'pairs' };
    }
  }
}

function kindOfList(items: WireSchema): WireSchema {
  const choices = Array.isArray(items['enum']) ? items['enum'].map(String) : [];
  const texts =
    items['type'] === 'string' ||
    schemas(items['anyOf']).some((branch) => branch['type'] === 'string');
  return texts ? { kind: 'texts', choices } : { kind: 'jsonList' };
}

function kindOfUnion(branches: readonly WireSchema[]): WireSchema {
  const objects = branches.filter((branch) => branch['type'] === 'object');
  if (objects.length === 0) return { kind: 'scalar' };
  const choices = branches.flatMap((branch) =>
    Array.isArray(branch['enum']) ? branch['enum'].map(String) : [],
  );
  const inner = objects.flatMap((branch) => members(branch['properties']));
  return { kind: 'members', choices, members: inner.map(([name, one]) => parameter(name, one)) };
}

function members(value: unknown): [string, WireSchema][] {
  if (!isSchema(value)) return [];
  return Object.entries(value).flatMap(([name, schema]): [string, WireSchema][] =>
    isSchema(schema) ? [[name, schema]] : [],
  );
}

function schemas(value: unknown): WireSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function isSchema(value: unknown): value is WireSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
