import { priceOf } from './market.ts';
import { memoize } from './memoize.ts';

export const price = memoize(priceOf);
