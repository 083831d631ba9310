/** Something that happens once; who listens too late is told at once. */
export class Occasion<T> {
  readonly #listeners = new Set<(value: T) => void>();
  #happened: { readonly value: T } | null = null;

  listen(callback: (value: T) => void): () => void {
    if (this.#happened) {
      callback(this.#happened.value);
      return () => undefined;
    }
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  /** Later calls change nothing. */
  happen(value: T): void {
    if (this.#happened) return;
    this.#happened = { value };
    for (const callback of this.#listeners) callback(value);
    this.#listeners.clear();
  }
}
