import { z } from 'zod';
import { nearest } from '../base/nearest.ts';
import { StrobeError } from '../model/errors.ts';
import type { ToolContract } from './tools/tool.ts';
import { inputVariants, type InputVariant, type WireSchema } from './tools/wireSchema.ts';

type Path = readonly PropertyKey[];
/** What reading a request needs of a contract. */
type Contract<Input extends z.ZodType = z.ZodType> = Pick<
  ToolContract<string, Input>,
  'name' | 'input' | 'variant'
>;

/** One thing that is wrong with a request. */
interface Fault {
  readonly path: Path;
  readonly unknown: readonly string[];
  readonly message: string;
  /** What to write instead, where that is plain. */
  readonly hint?: string;
}

/**
 * The request as the contract means it, with defaults filled in; one thing where a list is wanted is a
 * list of it, a list of one where one thing is wanted is that, and a bare value where a filter is wanted is its
 * pattern, or what it equals.
 * Throws UNKNOWN_PARAMETER (with the nearest valid name) or BAD_PARAMETER.
 */
export function parseInput<Input extends z.ZodType>(
  tool: Contract<Input>,
  request: unknown,
): z.output<Input> {
  const wanted = withVariant(tool, request ?? {});
  const read = inputOf(tool, wanted);
  if (!('faults' in read)) return read.data;
  const meant = read.faults.reduce((mended, fault) => inForm(tool, mended, fault), wanted);
  const again = meant === wanted ? read : inputOf(tool, meant);
  if (!('faults' in again)) return again.data;
  throw firstFault(tool, wanted, read.faults);
}

function inputOf<Input extends z.ZodType>(
  tool: Contract<Input>,
  request: unknown,
): { readonly data: z.output<Input> } | { readonly faults: readonly Fault[] } {
  const result = tool.input.safeParse(request);
  if (result.success) return { data: result.data };
  const branch = meantBranch(tool, request);
  const { issues } = (branch ? z.core.safeParse(branch, request).error : null) ?? result.error;
  return { faults: issues.flatMap((issue) => faultsOf(issue, [])) };
}

/** The request with the form that is expected where something simpler was given. */
function inForm(tool: Contract, request: unknown, { path, message }: Fault): unknown {
  if (path.length === 0) return request;
  const given = valueAt(request, path);
  const isOne = Array.isArray(given) && given.length === 1;
  if (isOne && !message.startsWith('expected array'))
    return changedAt(request, path, () => valueAt(given, [0]));
  if (/^expected array, received (?:string|number|object)/.test(message))
    return isCommandLine(path) ? request : changedAt(request, path, (value) => [value]);
  if (!/^expected object, received (?:string|number|boolean)/.test(message)) return request;
  const names = namesAt(chosenVariant(tool, inputVariants(tool), request), path);
  const form = filterForm(names);
  return form === null ? request : changedAt(request, path, (value) => ({ [form]: value }));
}

/** A text there may be several words. */
function isCommandLine(path: Path): boolean {
  return path.at(-1) === 'args';
}

function changedAt(
  value: unknown,
  [step, ...rest]: Path,
  change: (value: unknown) => unknown,
): unknown {
  if (step === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((one: unknown, at) => (at === step ? changedAt(one, rest, change) : one));
  return { ...Object(value), [step]: changedAt(member(value, step), rest, change) };
}

/** What a bare value means in a filter; null: it is no filter. */
function filterForm(names: readonly string[]): string | null {
  return ['pattern', 'equals'].find((name) => names.includes(name)) ?? null;
}

/** The branch of a union without a key that the request is most likely meant for. */
function meantBranch(tool: Contract, request: unknown): z.core.$ZodType | undefined {
  const { input, variant } = tool;
  if (!(input instanceof z.ZodUnion) || !variant || !('by' in variant)) return undefined;
  const at = Object.values(variant.by).indexOf(meantMark(variant.by, request));
  return input.options[at];
}

/** The parameter that decides; of several that are given the last, of none the first. */
function meantMark(by: Readonly<Record<string, string>>, request: unknown): string {
  const marks = Object.values(by);
  return marks.findLast((mark) => member(request, mark) !== undefined) ?? marks[0] ?? '';
}

function withVariant(tool: Contract, request: unknown): unknown {
  const variant = tool.variant;
  if (
    !variant ||
    !('key' in variant) ||
    variant.default === undefined ||
    typeof request !== 'object' ||
    request === null
  )
    return request;
  return variant.key in request ? request : { ...request, [variant.key]: variant.default };
}

function firstFault(tool: Contract, request: unknown, faults: readonly Fault[]): StrobeError {
  // A misspelled name explains the missing one: say it first.
  const fault = faults.find((candidate) => candidate.unknown.length > 0) ?? faults[0];
  if (fault === undefined)
    return new StrobeError('BAD_PARAMETER', `${tool.name}: the request cannot be read.`);
  if (fault.unknown.length > 0) return unknownName(tool, request, fault);
  const { variant } = tool;
  if (variant && fault.path.length === 1) {
    if ('key' in variant && fault.path[0] === variant.key)
      return badVariant(tool, variant.key, request);
    if ('by' in variant && !Object.values(variant.by).some((mark) => member(request, mark)))
      return noVariant(tool, Object.values(variant.by));
  }
  const place = pathText(fault.path);
  if (valueAt(request, fault.path) === undefined && fault.path.length > 0) {
    return new StrobeError('BAD_PARAMETER', `${tool.name}: ${place} is required.`, `Add ${place}.`);
  }
  return new StrobeError(
    'BAD_PARAMETER',
    `${tool.name}: ${place === '' ? '' : `${place}: `}${fault.message}.`,
    ...(fault.hint === undefined ? formHint(tool, request, fault) : [fault.hint]),
  );
}

/** What to write where an object or a list is meant and something simpler was given; else nothing. */
function formHint(tool: Contract, request: unknown, { path, message }: Fault): [string] | [] {
  const given = valueAt(request, path);
  const expected = /^expected (object|array)/.exec(message)?.[1];
  const text = expected === undefined || path.length === 0 ? null : shortJson(given);
  if (text === null) return [];
  if (expected === 'array') return [`Give a list: [${text}].`];
  const names = namesAt(chosenVariant(tool, inputVariants(tool), request), path);
  if (names.length === 0) return [];
  const form = filterForm(names);
  const example = form === null ? '' : `, for example {"${form}": ${text}}`;
  return [`Give an object with ${names.join(', ')}${example}.`];
}

/** Null where it is long, or nested deeper than JSON can be written. */
function shortJson(value: unknown): string | null {
  try {
    const text = JSON.stringify(value);
    return text.length > 200 ? null : text;
  } catch {
    return null;
  }
}

function faultsOf(issue: z.core.$ZodIssue, before: Path): Fault[] {
  const path = [...before, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return [{ path, unknown: issue.keys, message: issue.message }];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branches = issue.errors.map((errors) => errors.flatMap((inner) => faultsOf(inner, path)));
    const isUnknown = ({ unknown }: Fault): boolean => unknown.length > 0;
    const isFurther = (fault: Fault): boolean =>
      fault.path.length > path.length || isUnknown(fault);
    // The branch that got furthest is the one that was meant: first of those that know all names.
    const further = branches.filter((faults) => faults.some(isFurther));
    return (
      further.find((faults) => !faults.some(isUnknown)) ??
      further[0] ?? [
        {
          path,
          unknown: [],
          message: `must be ${[...new Set(branches.map(expectation))].join(', or ')}`,
        },
      ]
    );
  }
  const plain = plainFault(issue);
  if (plain) return [{ path, unknown: [], ...plain }];
  const message = issue.message
    .replace(/^Invalid input: /, '')
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase());
  return [{ path, unknown: [], message }];
}

/** Limits and choices in our words. */
function plainFault(issue: z.core.$ZodIssue): Pick<Fault, 'message' | 'hint'> | null {
  switch (issue.code) {
    case 'too_big':
      if (issue.origin !== 'number' && issue.origin !== 'int') return null;
      return { message: `must be at most ${issue.maximum}`, hint: `Use ${issue.maximum}.` };
    case 'too_small':
      if (issue.origin !== 'number' && issue.origin !== 'int') return null;
      return { message: `must be at least ${issue.minimum}`, hint: `Use ${issue.minimum}.` };
    case 'invalid_value':
      return {
        message: `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`,
        hint: 'Use one of these.',
      };
    default:
      return null;
  }
}

function expectation(faults: readonly Fault[]): string {
  return (faults[0]?.message ?? 'something else')
    .replace(/^(?:invalid option: )?expected |^must be /, '')
    .replace(/, received .*$/, '');
}

function unknownName(tool: Contract, request: unknown, fault: Fault): StrobeError {
  const wrong = fault.unknown[0] ?? '';
  const variants = inputVariants(tool);
  const chosen = chosenVariant(tool, variants, request);
  const top = fault.path.length === 0;
  const names = top ? Object.keys(chosen?.properties ?? {}) : namesAt(chosen, fault.path);
  const where = top ? ownerText(tool, chosen) : `${pathText(fault.path)} of ${tool.name}`;
  const elsewhere = top
    ? variants
        .filter((variant) => variant !== chosen && Object.hasOwn(variant.properties, wrong))
        .map((variant) => variant.name)
    : [];
  const said = `"${wrong}" is not a parameter of ${where}.`;
  if (elsewhere.length > 0) {
    const others = elsewhere.map((name) => `"${variantMark(tool, name)}"`).join(', ');
    const alike = names.filter((name) => wrong.startsWith(name) || name.startsWith(wrong));
    const here = alike.map((name) => `"${name}"`).join(' or ');
    const instead = here === '' ? 'use that, or leave it out' : `here it is ${here}`;
    return new StrobeError(
      'UNKNOWN_PARAMETER',
      said,
      `It belongs to ${variantKey(tool)}${others}; ${instead}.`,
    );
  }
  const [close] = nearest(wrong, names);
  const hint = close === undefined ? `Valid are: ${names.join(', ')}.` : `Use "${close}".`;
  return new StrobeError(
    'UNKNOWN_PARAMETER',
    close === undefined ? said : `${said} Did you mean "${close}"?`,
    hint,
  );
}

function badVariant(tool: Contract, key: string, request: unknown): StrobeError {
  const names = inputVariants(tool).map((variant) => variant.name ?? '');
  const given = valueAt(request, [key]);
  const { variant } = tool;
  const elsewhere = variant && 'key' in variant ? variant.elsewhere : undefined;
  const call = typeof given === 'string' && elsewhere && Object.hasOwn(elsewhere, given);
  if (call)
    return new StrobeError(
      'BAD_PARAMETER',
      `${tool.name} has no ${key} "${given}".`,
      `${elsewhere[given]} does it.`,
    );
  const [close] = typeof given === 'string' ? nearest(given, names) : [];
  const said =
    given === undefined ? `${key} is required` : `${JSON.stringify(given)} is not a valid ${key}`;
  const hint = close === undefined ? `Use one of: ${names.join(', ')}.` : `Use "${close}".`;
  const question = close === undefined ? '' : ` Did you mean "${close}"?`;
  return new StrobeError('BAD_PARAMETER', `${tool.name}: ${said}.${question}`, hint);
}

function ownerText(tool: Contract, chosen: InputVariant | undefined): string {
  const name = chosen?.name ?? null;
  return name === null
    ? tool.name
    : `${tool.name} with ${variantKey(tool)}"${variantMark(tool, name)}"`;
}

/** `action ` before the name of a variant; nothing before a parameter that stands for itself. */
function variantKey(tool: Contract): string {
  return tool.variant && 'key' in tool.variant ? `${tool.variant.key} ` : '';
}

function variantMark(tool: Contract, name: string | null): string {
  const mark = tool.variant && 'by' in tool.variant ? tool.variant.by[name ?? ''] : name;
  return mark ?? '';
}

function noVariant(tool: Contract, marks: readonly string[]): StrobeError {
  const choice = marks.join(' or ');
  return new StrobeError('BAD_PARAMETER', `${tool.name}: ${choice} is required.`, `Add ${choice}.`);
}

function chosenVariant(
  tool: Contract,
  variants: readonly InputVariant[],
  request: unknown,
): InputVariant | undefined {
  const choice = tool.variant;
  if (!choice) return variants[0];
  if ('by' in choice) {
    const mark = meantMark(choice.by, request);
    return variants.find((one) => one.required.includes(mark));
  }
  const given = valueAt(request, [choice.key]);
  return variants.find((variant) => variant.name === given);
}

/** Names an object at the path may have, over all alternatives of the schema. */
function namesAt(variant: InputVariant | undefined, path: Path): string[] {
  let schemas: WireSchema[] = variant ? [{ type: 'object', properties: variant.properties }] : [];
  for (const step of path) {
    schemas = schemas.flatMap(alternatives).flatMap((schema) => {
      const next = typeof step === 'number' ? schema['items'] : member(schema['properties'], step);
      return isSchema(next) ? [next] : [];
    });
  }
  return schemas.flatMap(alternatives).flatMap((schema) => {
    const properties = schema['properties'];
    return isSchema(properties) ? Object.keys(properties) : [];
  });
}

function alternatives(schema: WireSchema): WireSchema[] {
  const branches = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(branches) ? branches.filter(isSchema) : [schema];
}

function isSchema(value: unknown): value is WireSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function member(value: unknown, key: PropertyKey): unknown {
  return isSchema(value) ? value[String(key)] : undefined;
}

function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const step of path) {
    here = Array.isArray(here) ? here[Number(step)] : member(here, step);
  }
  return here;
}

function pathText(path: Path): string {
  return path
    .map((step, at) =>
      typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${String(step)}`,
    )
    .join('');
}
