import { linesOf } from './lines.ts';
import { amountOf } from './read.ts';
import { sum } from './sum.ts';

export function left(income: number, text: string): number {
  return income - sum(linesOf(text).map(amountOf));
}
