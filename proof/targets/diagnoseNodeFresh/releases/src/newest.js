import { compare } from './compare.js';

export function newest(releases) {
  return releases.toSorted(compare).at(-1);
}
