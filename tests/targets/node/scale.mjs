import { unit } from './shape.mjs';

export function scaled(size) {
  return size * unit;
}
