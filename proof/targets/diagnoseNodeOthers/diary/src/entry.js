import { dayOf } from './dates.js';

export function entry(date, text) {
  return { day: dayOf(date), text };
}
