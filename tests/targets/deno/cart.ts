export class Cart {
  #prices: number[] = [];

  add(price: number): this {
    this.#prices.push(price);
    return this;
  }

  total(): number {
    return this.#prices.reduce((sum, price) => sum + price, 0);
  }
}

export async function later(days: number): Promise<number> {
  await Promise.resolve();
  if (days > 3) throw new RangeError('too late');
  return days + 1;
}
