import { hourOf, isNight } from './hours.ts';
import type { Stamp } from './stamp.ts';

export type Shift = 'night' | 'early' | 'late';

export function shiftOf({ at }: Stamp): Shift {
  const hour = hourOf(at);
  if (isNight(hour)) return 'night';
  return hour < 14 ? 'early' : 'late';
}
