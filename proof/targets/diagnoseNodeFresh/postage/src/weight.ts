export function basePrice(grams: number): number {
  return grams <= 500 ? 300 : 300 + Math.ceil((grams - 500) / 500) * 120;
}
