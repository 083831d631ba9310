import { StrobeError } from '../../model/errors.ts';
import type { AgentMessage } from '../../protocol/agent.ts';
import type { HostMessage, HostRequest } from '../../protocol/host.ts';
import type { AgentLink, Unsubscribe } from './fridaHost.ts';
import type { HostRequester } from './hostRequester.ts';

const limits = { call: 30_000, post: 10_000 } as const;
/** Messages nobody has asked for yet; more would mean that nobody ever will. */
const maxEarly = 10_000;

type Listener = (message: AgentMessage, data: Uint8Array | null) => void;

/** A loaded agent, seen from the daemon. */
export class RemoteAgent implements AgentLink {
  readonly #host: HostRequester;
  readonly #number: number;
  readonly #listeners = new Set<Listener>();
  #early: { message: AgentMessage; data: Uint8Array | null }[] = [];

  constructor(host: HostRequester, number: number) {
    this.#host = host;
    this.#number = number;
  }

  async call<T>(
    method: string,
    args: readonly unknown[],
    data?: Uint8Array,
    options: { readonly limitMs?: number } = {},
  ): Promise<T> {
    if (!/^[a-z][A-Za-z0-9]*$/.test(method))
      throw new StrobeError('INTERNAL', `${method} is not a name of an export.`);
    const request: HostRequest = { op: 'call', script: this.#number, method, args: [...args] };
    const answer = await this.#host.request(request, data ?? null, options.limitMs ?? limits.call);
    if (!answer.data) return claimed<T>(answer.value);
    return claimed<T>(answer.value === null ? answer.data : [answer.value, answer.data]);
  }

  onMessage(callback: Listener): Unsubscribe {
    this.#listeners.add(callback);
    for (const { message, data } of this.#early.splice(0)) callback(message, data);
    return () => void this.#listeners.delete(callback);
  }

  async post(message: unknown, data?: Uint8Array): Promise<void> {
    await this.#host.request(
      { op: 'post', script: this.#number, message },
      data ?? null,
      limits.post,
    );
  }

  /** From the host. */
  told(told: Extract<HostMessage, { event: 'message' | 'log' }>, data: Uint8Array | null): void {
    const message: AgentMessage =
      told.event === 'log'
        ? { type: 'log', level: told.level, text: told.text }
        : claimed<AgentMessage>(told.payload);
    if (this.#listeners.size === 0) {
      if (this.#early.length < maxEarly) this.#early.push({ message, data });
      return;
    }
    for (const listener of this.#listeners) listener(message, data);
  }
}

/** The agent is ours and its contract is protocol/agent.ts: what it answers is what it declares. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function claimed<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion
  return value as T;
}
