export enum Kind {
  Goods = 'goods',
  Service = 'service',
}

export interface Line {
  readonly kind: Kind;
  readonly price?: { readonly amount: number };
}

export class Order<T extends Line = Line> {
  readonly #lines: T[];

  constructor(
    readonly name: string,
    lines: T[],
  ) {
    this.#lines = lines;
  }

  /** What all of it costs. */
  total(): number {
    return this.#lines.reduce((sum, line) => sum + priceOf(line), 0);
  }

  get size(): number {
    return this.#lines.length;
  }
}

export const priceOf = (line: Line): number => {
  const factor: number = line.kind === Kind.Service ? 2 : 1;
  return line.price!.amount * factor;
};

export async function later(order: Order): Promise<string> {
  await Promise.resolve();
  return `${order.name}: ${order.total()}`;
}
