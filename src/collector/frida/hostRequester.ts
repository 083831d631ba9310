import type { HostRequest } from '../../protocol/host.ts';

/** The value and, when the agent gave one, the binary beside it. */
export interface HostAnswer {
  readonly value: unknown;
  readonly data: Uint8Array | null;
}

/** How sessions and agents reach their host. */
export interface HostRequester {
  /** One request and its answer: TRACER_LOST, TIMED_OUT, or what the host says went wrong. */
  request(request: HostRequest, data: Uint8Array | null, limitMs: number): Promise<HostAnswer>;
}
