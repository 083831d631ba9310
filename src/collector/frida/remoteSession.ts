import type { HostMessage } from '../../protocol/host.ts';
import type { AgentLink, HostSession, Unsubscribe } from './fridaHost.ts';
import type { HostRequester } from './hostRequester.ts';
import { Occasion } from './occasion.ts';
import { RemoteAgent } from './remoteAgent.ts';

const limits = { load: 60_000, detach: 10_000 } as const;

/** One attached process, seen from the daemon. */
export class RemoteSession implements HostSession {
  readonly pid: number;
  readonly #host: HostRequester;
  readonly #number: number;
  readonly #agents = new Map<number, RemoteAgent>();
  readonly #detached = new Occasion<string>();

  constructor(host: HostRequester, number: number, pid: number) {
    this.#host = host;
    this.#number = number;
    this.pid = pid;
  }

  async load(source: string): Promise<AgentLink> {
    const request = { op: 'load', session: this.#number } as const;
    const { value } = await this.#host.request(request, Buffer.from(source), limits.load);
    return this.#agent(typeof value === 'number' ? value : 0);
  }

  async detach(): Promise<void> {
    await this.#host.request({ op: 'detach', session: this.#number }, null, limits.detach);
  }

  onDetached(callback: (reason: string) => void): Unsubscribe {
    return this.#detached.listen(callback);
  }

  /** From the host. */
  detached(reason: string): void {
    this.#detached.happen(reason);
  }

  /** From the host: what an agent sent, perhaps before the answer to its load. */
  message(
    message: Extract<HostMessage, { event: 'message' | 'log' }>,
    data: Uint8Array | null,
  ): void {
    this.#agent(message.script).told(message, data);
  }

  #agent(number: number): RemoteAgent {
    const known = this.#agents.get(number);
    if (known) return known;
    const agent = new RemoteAgent(this.#host, number);
    this.#agents.set(number, agent);
    return agent;
  }
}
