import type { CallView, Value } from '../../../model/questions/query.ts';

/** A call, or several folded to one line; `varying` names what differs among those. */
interface WrittenCall {
  readonly call: CallView;
  readonly varying: readonly string[];
}

type Argument = CallView['arguments'][number];

/** Below these a legend costs more than it saves. */
const LEAST_CALLS = 3;
const LEAST_SAVED = 24;

/**
 * Arguments, and fields of arguments, that are the same in all calls of an answer that have them: they are written once,
 * ahead of the calls, and left out of each.
 */
export class SharedArguments {
  /** `L=0x55d0{…}`: what all have in common, as an argument each. */
  readonly values: readonly Argument[];
  readonly #names: ReadonlySet<string>;
  readonly #fields: ReadonlyMap<string, ReadonlySet<string>>;

  private constructor(
    values: readonly Argument[],
    names: ReadonlySet<string>,
    fields: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    this.values = values;
    this.#names = names;
    this.#fields = fields;
  }

  static of(calls: readonly WrittenCall[]): SharedArguments {
    const values: Argument[] = [];
    const names = new Set<string>();
    const fields = new Map<string, ReadonlySet<string>>();
    for (const [name, all] of byName(calls)) {
      const [first] = all;
      if (!first || all.length < LEAST_CALLS) continue;
      const isOne = all.every((value) => value !== null && isSame(value, first));
      if (first && isOne) {
        if (!isWorth(first, all.length, name)) continue;
        names.add(name);
        values.push({ name, value: first });
        continue;
      }
      const shared = sharedFields(all);
      const worth = shared.filter(({ value, name: field }) => isWorth(value, all.length, field));
      for (const field of worth) values.push({ ...field, name: `${name}.${field.name}` });
      if (worth.length > 0) fields.set(name, new Set(worth.map((field) => field.name)));
    }
    return new SharedArguments(values, names, fields);
  }

  /** The call without them. */
  without(call: CallView): CallView {
    if (this.values.length === 0 || isLogged(call)) return call;
    const left = call.arguments
      .filter(({ name }) => !this.#names.has(name))
      .map(({ name, value }) => {
        const fields = this.#fields.get(name);
        return { name, value: fields ? withoutFields(value, fields) : value };
      });
    return { ...call, arguments: left };
  }
}

/** Whether a hit is written as the text that its breakpoint writes, which has all values in it. */
export function isLogged({ probe }: Pick<CallView, 'probe'>): boolean {
  return (probe?.log ?? null) !== null && !probe?.line && probe?.invariant === undefined;
}

/** Values by the name of their argument; null for one that differs among the calls of a line. */
function byName(calls: readonly WrittenCall[]): Map<string, (Value | null)[]> {
  const found = new Map<string, (Value | null)[]>();
  for (const { call, varying } of calls) {
    if (isLogged(call)) continue;
    for (const { name, value } of call.arguments) {
      const differs = varying.some((text) => text.startsWith(`${name}=`));
      const all = found.get(name) ?? [];
      all.push(differs ? null : value);
      found.set(name, all);
    }
  }
  return found;
}

function isWorth(value: Value, calls: number, name: string): boolean {
  const length = name.length + 1 + Math.min(180, JSON.stringify(value).length / 3);
  return length * (calls - 1) >= LEAST_SAVED;
}

function isSame(value: Value, other: Value): boolean {
  return JSON.stringify(value) === JSON.stringify(other);
}

/** Fields that all of the objects have in common, where they do not have everything in common. */
function sharedFields(all: readonly (Value | null)[]): Argument[] {
  const objects = all.map((value) => fieldsOf(value));
  const [first] = objects;
  if (!first || !objects.every((fields) => fields?.length === first.length)) return [];
  const shared = first.filter(({ name, value }, at) =>
    objects.every((fields) => {
      const field = fields?.[at];
      return field !== undefined && field.name === name && isSame(field.value, value);
    }),
  );
  return shared.length < first.length ? shared : [];
}

function fieldsOf(value: Value | null): readonly Argument[] | null {
  const content = value?.kind === 'pointer' ? value.target : value;
  return content?.kind === 'object' ? content.object.fields : null;
}

function withoutFields(value: Value, names: ReadonlySet<string>): Value {
  if (value.kind === 'pointer') {
    const target = value.target && withoutFields(value.target, names);
    return target && target !== value.target ? { ...value, target } : value;
  }
  if (value.kind !== 'object') return value;
  const fields = value.object.fields.filter(({ name }) => !names.has(name));
  if (fields.length === value.object.fields.length) return value;
  return { ...value, object: { ...value.object, fields } };
}
