import { bandOf } from './bands.js';

export function feeOf(amount) {
  return bandOf(amount).fee;
}
