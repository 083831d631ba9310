const known = new Map();

export function keyFor(product, region) {
  return product.id;
}

export function cached(product, region, compute) {
  const key = keyFor(product, region);
  if (!known.has(key)) known.set(key, compute(product, region));
  return known.get(key);
}
