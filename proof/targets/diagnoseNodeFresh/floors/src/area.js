import { round } from './money.js';

export function areaOf({ width, depth }) {
  return round(width * depth);
}
