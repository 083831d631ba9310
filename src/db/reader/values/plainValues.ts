import type { ObjectValue, Value, WatchedValue } from '../../../model/questions/query.ts';
import { redactedWords, restWords } from '../../../model/values/valueWords.ts';
import { plainText } from './capturedValues.ts';

/** A named part of an object. */
export type Member<T> = readonly [name: string, value: T];

/** What plain values are written as. */
export interface PlainForm<T> {
  readonly scalar: (value: string | number | boolean | null) => T;
  readonly list: (items: readonly T[]) => T;
  readonly object: (members: readonly Member<T>[]) => T;
}

/**
 * Values as JSON: numbers where they are exact, else text; null for what is null in the program. Undefined where there
 * is none and where it was not captured. What was cut says so as in answers: `…` after a text, `…(+7)` after elements.
 */
export class Plain<T> {
  readonly #form: PlainForm<T>;

  constructor(form: PlainForm<T>) {
    this.#form = form;
  }

  value(value: Value): T | undefined {
    const { scalar, list, object } = this.#form;
    switch (value.kind) {
      case 'int': {
        const number = Number(value.text);
        return scalar(Number.isSafeInteger(number) ? number : value.text);
      }
      case 'float':
        // JSON has no other numbers.
        return scalar(Number.isFinite(value.value) ? value.value : String(value.value));
      case 'bool':
        return scalar(value.value);
      case 'string':
        return scalar(value.truncated ? `${value.text}…` : value.text);
      case 'null':
        return scalar(null);
      case 'word':
        return scalar(value.isNull ? null : value.text);
      case 'void':
        return undefined;
      case 'notCaptured':
        return value.torn ? scalar(`<${value.reason}>`) : undefined;
      case 'redacted':
        return scalar(redactedWords(value.word));
      case 'list':
        return list(
          this.#withRest(
            value,
            value.items.map((item) => this.item(item)),
          ),
        );
      case 'object':
        return object(this.#fields(value.object));
      case 'pointer':
        if (value.isNull) return scalar(null);
        return value.target && value.target.kind !== 'notCaptured'
          ? this.#pointedTo(value.address, value.target)
          : scalar(value.address);
      case 'variant':
        return value.value ? object([[value.name, this.item(value.value)]]) : scalar(value.name);
      case 'map': {
        const entries = value.entries.map(({ key, value: of }) =>
          list([this.item(key), this.item(of)]),
        );
        return value.total === 0 ? object([]) : list(this.#withRest(value, entries));
      }
      default:
        return scalar(plainText(value));
    }
  }

  /** Those that were captured, by their names; of several of one name the last. */
  members(values: readonly { readonly name: string; readonly value: Value }[]): Member<T>[] {
    const members: Member<T>[] = [];
    for (const { name, value } of values) {
      const plain = this.value(value);
      if (plain === undefined) continue;
      members[placeOf(members, name)] = [name, plain];
    }
    return members;
  }

  /** The arguments of a call, or the fields of an object. */
  object(values: readonly { readonly name: string; readonly value: Value }[]): T {
    return this.#form.object(this.members(values));
  }

  /** What has a place of its own is told there when it is not known: `?`. */
  item(value: Value): T {
    const plain = this.value(value);
    return plain === undefined ? this.#form.scalar(plainText(value)) : plain;
  }

  #withRest(value: Parameters<typeof restWords>[0], items: T[]): T[] {
    for (const word of restWords(value, items.length)) items.push(this.#form.scalar(word));
    return items;
  }

  /** An object with its address; of other things the value counts. */
  #pointedTo(address: string, target: Value): T {
    const { scalar, object } = this.#form;
    const place: Member<T> = ['address', scalar(address)];
    if (target.kind !== 'object') return object([place, ['value', this.item(target)]]);
    const fields = this.#fields(target.object);
    // A field may have that name, too.
    return fields.some(([name]) => name === 'address')
      ? object([place, ['value', object(fields)]])
      : object([place, ...fields]);
  }

  #fields({ fields, left }: ObjectValue): Member<T>[] {
    const members = this.members(fields);
    if (left > 0) members.push(['…', this.#form.scalar(`${left} more`)]);
    return members;
  }
}

function placeOf(members: readonly Member<unknown>[], name: string): number {
  for (let i = 0; i < members.length; i++) if (members[i]?.[0] === name) return i;
  return members.length;
}

const objects = new Plain<unknown>({
  scalar: (value) => value,
  list: (items) => items,
  object: (members) => Object.fromEntries(members),
});

/** A value as one of JavaScript's. */
export function plainValue(value: Value): unknown {
  return objects.value(value);
}

/** Names as JSON has them: there are few. */
const names = new Map<string, string>();

/** The name of a member as JSON, and a colon. */
export function jsonName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const text = `${JSON.stringify(name)}:`;
  names.set(name, text);
  return text;
}

/** Values as the text of JSON. */
export const jsonText = new Plain<string>({
  scalar: (value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)),
  list: (items) => `[${items.join(',')}]`,
  object: (members) => {
    let text = '{';
    for (const [name, value] of members)
      text += `${text === '{' ? '' : ','}${jsonName(name)}${value}`;
    return `${text}}`;
  },
});

/** What a watch saw, as `watch_values` of SQL has it. */
export function plainWatched(
  { label, atReturn, value }: WatchedValue,
  isWritten = false,
): { readonly label: string; readonly at: string; readonly value: unknown } {
  return { label, at: watchedAt({ atReturn }, isWritten), value: objects.item(value) };
}

/** When it saw that. */
export function watchedAt(
  { atReturn }: Pick<WatchedValue, 'atReturn'>,
  isWritten: boolean,
): 'enter' | 'return' | 'write' {
  if (isWritten) return 'write';
  return atReturn ? 'return' : 'enter';
}

/** A value as a number, for what draws it over time; null: it is none. */
export function plainNumber(value: Value): number | null {
  switch (value.kind) {
    case 'int':
    case 'enum':
      return Number(value.text);
    case 'float':
      return Number.isFinite(value.value) ? value.value : null;
    case 'bool':
      return value.value ? 1 : 0;
    case 'char':
      return value.code;
    default:
      return null;
  }
}

/** The arguments of a call as values of JavaScript's, without those that were not captured. */
export function plainMembers(
  values: readonly { readonly name: string; readonly value: Value }[],
): Member<unknown>[] {
  return objects.members(values);
}
