import type { Bill, Order } from './order.ts';

let bills = 0;

export function audited(order: Order, bill: Bill): void {
  bills++;
  if (bill.id === order.id && bill.seats === order.seats) return;
  console.error(`AUDIT order ${order.id}: bill ${bills} is not the one that was asked for`);
}
