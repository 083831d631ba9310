import { addressFrom } from './address.ts';
import { label } from './label.ts';

export function sheet(lines: readonly string[]): string {
  return lines
    .map(addressFrom)
    .map((address) => label(address).join('\n'))
    .join('\n\n');
}
