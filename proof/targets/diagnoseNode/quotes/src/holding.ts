import { price } from './prices.ts';

export interface Holding {
  metal: string;
  grams: number;
}

export function worth({ metal, grams }: Holding, currency: string): number {
  return Math.round(price(metal, currency) * grams);
}
