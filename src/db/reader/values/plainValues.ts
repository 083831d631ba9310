import type { ObjectValue, Value, WatchedValue } from '../../../model/query.ts';
import { plainText } from './values.ts';

/** A value as JSON: numbers where they are exact, else text; null where there is none. */
export function plainValue(value: Value): unknown {
  switch (value.kind) {
    case 'int': {
      const number = Number(value.text);
      return Number.isSafeInteger(number) ? number : value.text;
    }
    case 'float':
      // JSON has no other numbers.
      return Number.isFinite(value.value) ? value.value : String(value.value);
    case 'bool':
      return value.value;
    case 'string':
      return value.text;
    case 'null':
    case 'void':
    case 'notCaptured':
    case 'redacted':
      return null;
    case 'list':
      return value.items.map(plainValue);
    case 'object':
      return fieldsOf(value.object);
    case 'pointer':
      if (value.isNull) return null;
      return value.target ? pointedTo(value.address, value.target) : value.address;
    case 'variant':
      return value.value ? { [value.name]: plainValue(value.value) } : value.name;
    case 'map':
      return value.entries.map((entry) => [plainValue(entry.key), plainValue(entry.value)]);
    default:
      return plainText(value);
  }
}

/** An object with its address; of other things the value counts. */
function pointedTo(address: string, target: Value): unknown {
  const fields = target.kind === 'object' ? fieldsOf(target.object) : null;
  // A field may have that name, too.
  return fields && !Object.hasOwn(fields, 'address')
    ? { address, ...fields }
    : { address, value: fields ?? plainValue(target) };
}

/** What a watch saw, as `watch_values` of SQL has it. */
export function plainWatched(
  { label, atReturn, value }: WatchedValue,
  isWritten = false,
): { readonly label: string; readonly at: string; readonly value: unknown } {
  const at = isWritten ? 'write' : atReturn ? 'return' : 'enter';
  return { label, at, value: plainValue(value) };
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

/** The arguments of a call by their names. */
export function plainArguments(
  values: readonly { readonly name: string; readonly value: Value }[],
): Record<string, unknown> {
  return Object.fromEntries(values.map(({ name, value }) => [name, plainValue(value)]));
}

function fieldsOf({ fields }: ObjectValue): Record<string, unknown> {
  return plainArguments(fields);
}
