import { mean } from './mean.js';
import { tail } from './tail.js';

export function trend(values) {
  const short = mean(tail(values, 3));
  const long = mean(values);
  return short > long ? 'up' : short < long ? 'down' : 'flat';
}
