import type { RequestContext } from '../request.ts';

/** What takes longer is shown. */
const quickMs = 1000;

/** Shows an editor that work takes long, from a second on, and what is being done. */
export class ShownProgress {
  readonly #event: (name: string, body: object) => void;
  #next = 1;

  constructor(event: (name: string, body: object) => void) {
    this.#event = event;
  }

  /** Does the work, which says what it does at the moment. */
  async of<Done>(
    title: string,
    work: (says: RequestContext['progress']) => Promise<Done>,
  ): Promise<Done> {
    const progressId = `p${this.#next++}`;
    let now: string | undefined;
    let isShown = false;
    const timer = setTimeout(() => {
      isShown = true;
      this.#event('progressStart', { progressId, title, ...saying(now) });
    }, quickMs);
    try {
      return await work((message) => {
        now = message;
        if (isShown) this.#event('progressUpdate', { progressId, message });
      });
    } finally {
      clearTimeout(timer);
      if (isShown) this.#event('progressEnd', { progressId });
    }
  }
}

function saying(message: string | undefined) {
  return message === undefined ? {} : { message };
}
