import type { Order } from './order.ts';

export function parcels({ pieces, gift }: Order): number {
  return pieces + gift;
}

export function price(order: Order): number {
  return parcels(order) * 5;
}
