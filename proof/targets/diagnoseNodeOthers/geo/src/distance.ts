import { remembered } from './memo.ts';
import { placeOf } from './places.ts';

export function distance(from: string, to: string): number {
  return remembered(keyOf(from, to), () => Math.abs(placeOf(from) - placeOf(to)));
}

function keyOf(from: string, to: string): string {
  return from.slice(0, 3) + to.slice(0, 3);
}
