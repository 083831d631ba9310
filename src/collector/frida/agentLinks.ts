import type { AgentLink } from './fridaHost.ts';

/** An agent in a process, and where its engine records. */
export interface PlacedAgent {
  readonly link: AgentLink;
  readonly ringPath: string;
}

/** The agents in processes, for tracers that come into a process by the one that is there. */
export class AgentLinks {
  readonly #placed = new Map<string, PlacedAgent>();

  /** In a process of a session, until what is returned is disposed of. */
  add(sessionId: string, pid: number, agent: PlacedAgent): Disposable {
    const key = keyOf(sessionId, pid);
    this.#placed.set(key, agent);
    return {
      [Symbol.dispose]: () => {
        if (this.#placed.get(key) === agent) this.#placed.delete(key);
      },
    };
  }

  of(sessionId: string, pid: number): PlacedAgent | null {
    return this.#placed.get(keyOf(sessionId, pid)) ?? null;
  }
}

function keyOf(sessionId: string, pid: number): string {
  return `${sessionId} ${pid}`;
}
