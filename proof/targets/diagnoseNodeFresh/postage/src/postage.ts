import { surchargeFor } from './surcharge.ts';
import { basePrice } from './weight.ts';
import { zoneFor } from './zones.ts';

export function postage(parcel: { readonly country: string; readonly grams: number }): number {
  return basePrice(parcel.grams) + surchargeFor(zoneFor(parcel.country));
}
