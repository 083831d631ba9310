import type { Bill, Order } from './order.ts';
import { rateOf } from './rates.ts';

/** What a bill is made of. */
const sheet = { id: '', hall: '', seats: 0, isMember: false };

const memberShare = 0.25;

export async function checkout(order: Order): Promise<Bill> {
  const filled = Object.assign(sheet, order);
  const rate = await rateOf(filled.hall);
  return billed(filled, rate);
}

function billed(sold: Order, rate: number): Bill {
  const whole = sold.seats * rate;
  const cents = sold.isMember ? Math.round(whole * (1 - memberShare)) : whole;
  return { id: sold.id, seats: sold.seats, cents };
}
