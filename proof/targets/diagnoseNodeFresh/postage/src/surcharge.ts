import type { Zone } from './zones.ts';

const steps = [0, 150, 400] as const;

export function surchargeFor(zone: Zone): number {
  if (zone === 'near') return steps[0];
  return zone === 'far' || zone === 'island' ? steps[1] : steps[2];
}
