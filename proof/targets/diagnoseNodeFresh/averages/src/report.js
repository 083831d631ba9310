import { trend } from './trend.js';

export function report(name, values) {
  return `${name}: ${trend(values)}`;
}
