import { worth, type Holding } from './holding.ts';

export function statement(holdings: readonly Holding[], currencies: readonly string[]): string[] {
  return currencies.map((currency) => {
    const sum = holdings.reduce((total, holding) => total + worth(holding, currency), 0);
    return `${sum} ${currency}`;
  });
}
