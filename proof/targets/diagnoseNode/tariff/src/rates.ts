import type { Zone } from './countries.ts';

interface Rate {
  base: number;
  perKilo: number;
}

const rates: Record<Zone, Rate> = {
  home: { base: 300, perKilo: 50 },
  near: { base: 700, perKilo: 110 },
  far: { base: 2100, perKilo: 900 },
  other: { base: 1400, perKilo: 500 },
};

export function rateFor(zone: Zone): Rate {
  return rates[zone];
}
