import type { HooksLink } from './hooksLink.ts';
import type { Walks } from './walkTable.ts';

/** Keeps the steps of walks that the engine of one process has up to date. */
export class SentWalks {
  readonly #link: HooksLink;
  readonly #walks: Walks;
  #sent = 0;

  constructor(link: HooksLink, walks: Walks) {
    this.#link = link;
    this.#walks = walks;
  }

  /** Sends those that were added since. */
  async send(): Promise<void> {
    const from = this.#sent;
    const { count } = this.#walks;
    if (count === from) return;
    await this.#link.call<null>('steps', [from], this.#walks.since(from));
    this.#sent = Math.max(this.#sent, count);
  }
}
