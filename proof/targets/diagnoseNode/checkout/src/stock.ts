export class Stock {
  readonly #pieces = new Map<string, number>();

  constructor(pieces: Record<string, number>) {
    for (const [name, count] of Object.entries(pieces)) this.#pieces.set(name, count);
  }

  async left(name: string): Promise<number> {
    await Promise.resolve();
    return this.#pieces.get(name) ?? 0;
  }

  async set(name: string, count: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.#pieces.set(name, count);
  }
}
