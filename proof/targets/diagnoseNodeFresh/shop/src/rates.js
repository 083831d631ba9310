const rates = { north: 0.2, south: 0.1 };

export function rateOf(region) {
  return rates[region];
}
