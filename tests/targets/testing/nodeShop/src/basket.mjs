import { discounted, priceOf } from './prices.mjs';

export class Basket {
  lines = [];

  add(name, count = 1) {
    this.lines.push({ name, count });
    return this;
  }

  subtotal() {
    return this.lines.reduce((sum, { name, count }) => sum + priceOf(name) * count, 0);
  }

  async total(member) {
    const share = await shareOf(member);
    return discounted(this.subtotal(), share);
  }
}

const shares = { gold: '0.2', silver: '0.1' };

async function shareOf(member) {
  return member === null ? 0 : (Number.parseInt(shares[member], 10) ?? 0);
}
