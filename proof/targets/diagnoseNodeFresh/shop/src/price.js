import { cached } from './cache.js';
import { rateOf } from './rates.js';

export function withTax(product, region) {
  return Math.round(product.net * (1 + rateOf(region)));
}

export function priceTag(product, region) {
  return `${product.name} ${cached(product, region, withTax)}`;
}
