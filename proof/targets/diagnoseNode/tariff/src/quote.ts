import { zoneOf } from './countries.ts';
import { rateFor } from './rates.ts';
import { kilosOf, type Item } from './weigh.ts';

export interface Parcel {
  to: string;
  items: Item[];
}

export function quote({ to, items }: Parcel): number {
  const { base, perKilo } = rateFor(zoneOf(to));
  return base + perKilo * kilosOf(items);
}

export function quotes(parcels: readonly Parcel[]): number[] {
  return parcels.map(quote);
}
