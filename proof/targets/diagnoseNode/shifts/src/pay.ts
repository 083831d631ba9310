import { shiftOf, type Shift } from './shift.ts';
import { stampFrom } from './stamp.ts';

const bonus: Record<Shift, number> = { night: 40, early: 0, late: 15 };

export function bonuses(lines: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const stamp of lines.map(stampFrom))
    found[stamp.person] = (found[stamp.person] ?? 0) + bonus[shiftOf(stamp)];
  return found;
}
