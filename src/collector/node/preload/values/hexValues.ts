import { room8 } from '../addon.ts';
import { unknown } from '../expressionValue.ts';
import { beginValues, putShared, putUnset, used } from './values.ts';

/** The bytes of values, one behind the other, in hexadecimal; `unknown` is unset. */
export function bytesOf(values: readonly unknown[]): string {
  beginValues(0);
  for (const [i, value] of values.entries())
    if (value === unknown) putUnset();
    else putShared(value, values.length - i);
  return Buffer.from(room8.buffer, room8.byteOffset, used * 8).toString('hex');
}
