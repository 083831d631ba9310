import type { Address } from './address.ts';
import { clean } from './ascii.ts';

export function label({ name, street, city }: Address): string[] {
  return [name, street, city].map((part) => clean(part));
}
