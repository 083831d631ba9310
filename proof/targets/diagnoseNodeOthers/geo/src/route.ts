import { distance } from './distance.ts';

export function lengthOf(stops: readonly string[]): number {
  let sum = 0;
  for (let at = 1; at < stops.length; at++) sum += distance(stops[at - 1]!, stops[at]!);
  return sum;
}
