const euros: Record<string, number> = { gold: 80, silver: 1.2 };
const perEuro: Record<string, number> = { EUR: 1, USD: 1.25, SEK: 11 };

export function priceOf(metal: string, currency: string): number {
  return (euros[metal] ?? 0) * (perEuro[currency] ?? 1);
}
