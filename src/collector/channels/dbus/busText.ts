import { escaped } from '../../../base/visible.ts';
import { secretIn, secretNames } from '../../../model/values/redaction.ts';
import type { BusValue } from '../../ui/bus/busValue.ts';

const MOST_CHARACTERS = 400;

/** Values of a message in one line, without those that secret names stand before. */
export function busText(values: readonly BusValue[]): string {
  const text = `(${values.map(one).join(', ')})`;
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}

function one(value: BusValue): string {
  if (typeof value === 'string') return `"${escaped(value, '"')}"`;
  if (typeof value !== 'object') return String(value);
  if ('signature' in value) return one(value.value);
  const [name, held, ...more] = value;
  const secret = typeof name === 'string' && more.length === 0 && held !== undefined;
  if (secret && secretIn(name, secretNames) !== null) return `[${one(name)}, <redacted>]`;
  return `[${value.map(one).join(', ')}]`;
}
