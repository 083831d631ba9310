import type { DebugAdapter } from '../adapters/debugAdapter.ts';

/** How an adapter gets hold of a program. */
export class DapEntry {
  /** It is ready to be configured. Rejects where the program cannot be let in. */
  readonly ready: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor() {
    this.ready = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.ready.catch(() => undefined);
  }

  /** An event that it sent. */
  told(name: string, body: unknown, pid: number, { awaits }: DebugAdapter): void {
    if (name === 'initialized') this.#resolve();
    if (name !== awaits?.event) return;
    awaits.come(pid, body).catch((error: unknown) => {
      this.#reject(error instanceof Error ? error : new Error(String(error)));
    });
  }
}
