import { Show } from './booking.ts';

export function week(names: readonly string[]): Show[] {
  return names.map((name) => new Show(name));
}
