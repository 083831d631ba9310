/** What has begun and has not ended yet, for those who begin only after it. */
export class UnderWay {
  readonly #all = new Set<Promise<unknown>>();

  async run(act: () => Promise<void>): Promise<void> {
    const mine = act();
    this.#all.add(mine);
    try {
      await mine;
    } finally {
      this.#all.delete(mine);
    }
  }

  /** Settles when what is under way now has ended. Never rejects. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#all);
  }
}
