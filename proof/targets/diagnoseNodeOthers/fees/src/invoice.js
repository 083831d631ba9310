import { feeOf } from './fee.js';

export class Invoice {
  constructor(lines) {
    this.lines = lines;
  }

  subtotal() {
    return this.lines.reduce((sum, line) => sum + line.price * line.count, 0);
  }

  total() {
    const subtotal = this.subtotal();
    return subtotal + feeOf(subtotal);
  }
}
