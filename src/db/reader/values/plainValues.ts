import type { ObjectValue, Value, WatchedValue } from '../../../model/query.ts';
import { redactedWords, restWords } from '../../../model/valueWords.ts';
import { plainText } from './values.ts';

/**
 * A value as JSON: numbers where they are exact, else text; null for what is null in the program. Undefined where there
 * is none and where it was not captured. What was cut says so as in answers: `…` after a text, `…(+7)` after elements.
 */
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
      return value.truncated ? `${value.text}…` : value.text;
    case 'null':
      return null;
    case 'void':
      return undefined;
    case 'notCaptured':
      return value.torn ? `<${value.reason}>` : undefined;
    case 'redacted':
      return redactedWords(value.word);
    case 'list':
      return [...value.items.map(plainItem), ...restWords(value, value.items.length)];
    case 'object':
      return fieldsOf(value.object);
    case 'pointer':
      if (value.isNull) return null;
      return value.target && value.target.kind !== 'notCaptured'
        ? pointedTo(value.address, value.target)
        : value.address;
    case 'variant':
      return value.value ? { [value.name]: plainItem(value.value) } : value.name;
    case 'map': {
      const entries = value.entries.map((entry) => [plainItem(entry.key), plainItem(entry.value)]);
      return [...entries, ...restWords(value, entries.length)];
    }
    default:
      return plainText(value);
  }
}

/** What has a place of its own is told there when it is not known: `?`. */
function plainItem(value: Value): unknown {
  const plain = plainValue(value);
  return plain === undefined ? plainText(value) : plain;
}

/** An object with its address; of other things the value counts. */
function pointedTo(address: string, target: Value): unknown {
  const fields = target.kind === 'object' ? fieldsOf(target.object) : null;
  // A field may have that name, too.
  return fields && !Object.hasOwn(fields, 'address')
    ? { address, ...fields }
    : { address, value: fields ?? plainItem(target) };
}

/** What a watch saw, as `watch_values` of SQL has it. */
export function plainWatched(
  { label, atReturn, value }: WatchedValue,
  isWritten = false,
): { readonly label: string; readonly at: string; readonly value: unknown } {
  const at = isWritten ? 'write' : atReturn ? 'return' : 'enter';
  return { label, at, value: plainItem(value) };
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

/** The arguments of a call by their names, without those that were not captured. */
export function plainArguments(
  values: readonly { readonly name: string; readonly value: Value }[],
): Record<string, unknown> {
  const named = values.map(({ name, value }) => [name, plainValue(value)] as const);
  return Object.fromEntries(named.filter(([, plain]) => plain !== undefined));
}

function fieldsOf({ fields, left }: ObjectValue): Record<string, unknown> {
  return { ...plainArguments(fields), ...(left > 0 ? { '…': `${left} more` } : {}) };
}
