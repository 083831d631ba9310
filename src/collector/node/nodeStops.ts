import type { StandingOrder, StandingRequest } from '../../protocol/nodeTracer.ts';

type Taker = (request: StandingRequest) => Promise<StandingOrder>;

/** The processes whose threads may stand still, by their pid. */
export class NodeStops {
  readonly #takers = new Map<number, Taker>();

  take(pid: number, taker: Taker): Disposable {
    this.#takers.set(pid, taker);
    return { [Symbol.dispose]: () => void this.#takers.delete(pid) };
  }

  /** What a thread is to do, as JSON; of a process that is not known it runs on. */
  async order(request: StandingRequest): Promise<string> {
    const taker = this.#takers.get(request.standing.pid);
    const order: StandingOrder = taker ? await taker(request) : { do: 'go' };
    return JSON.stringify(order);
  }
}
