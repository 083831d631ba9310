const rates = new Map([
  ['tea', 250],
  ['cup', 600],
]);

export function priceOf(name) {
  return rates.get(name) ?? 0;
}

export function discounted(cents, share) {
  return Math.round(cents - cents * share);
}
