import type { ChannelEvent } from '../../../model/channels/channelEvent.ts';
import type { CallView, Value } from '../../../model/questions/query.ts';
import { argumentOf, lengthOf } from './callValues.ts';
import { count, type Descriptors, type OpenConnection } from './descriptors.ts';
import { numberIn } from './goValues.ts';

const TLS = 'rustls';

type Push = (call: CallView, connection: OpenConnection, about: Partial<ChannelEvent>) => void;

export function isOfRustls({ function: name }: CallView): boolean {
  return name.startsWith('rustls::') || name.startsWith('<rustls::');
}

/**
 * Plain text of rustls, which knows no sockets: what it is given goes over the encrypted connection on which its thread sends
 * next, what it gives came over that on which its thread received last.
 */
export class RustlsSessions {
  readonly #descriptors: Descriptors;
  readonly #push: Push;
  /** By thread. */
  readonly #given = new Map<number, CallView[]>();
  readonly #received = new Map<number, OpenConnection>();

  constructor(descriptors: Descriptors, push: Push) {
    this.#descriptors = descriptors;
    this.#push = push;
  }

  take(call: CallView): void {
    const { function: name, tid, pid } = call;
    if (!name.endsWith('take_received_plaintext')) {
      const given = this.#given.get(tid);
      if (given) given.push(call);
      else this.#given.set(tid, [call]);
      return;
    }
    const connection = this.#received.get(tid) ?? this.#descriptors.open(pid, null, unseen);
    this.#received.set(tid, connection);
    const data = argumentOf(call, 'data');
    this.#bytes(call, connection, 'in', data && lengthOf(data));
  }

  /** An encrypted connection is sent on, or was received on. */
  carried({ tid }: CallView, connection: OpenConnection, direction: 'in' | 'out'): void {
    if (direction === 'in') this.#received.set(tid, connection);
    else this.#give(tid, connection);
  }

  /** What was given and not sent. */
  end(): void {
    for (const [tid, [first]] of this.#given)
      if (first) this.#give(tid, this.#descriptors.open(first.pid, null, unseen));
  }

  #give(tid: number, connection: OpenConnection): void {
    const given = this.#given.get(tid) ?? [];
    this.#given.delete(tid);
    for (const call of given) this.#bytes(call, connection, 'out', acceptedBy(call));
  }

  #bytes(
    call: CallView,
    connection: OpenConnection,
    direction: 'in' | 'out',
    bytes: number | null,
  ): void {
    if (bytes === 0) return;
    connection.tls = TLS;
    count(connection, direction, bytes);
    const data = argumentOf(call, 'data');
    const verb = call.function.slice(call.function.lastIndexOf(':') + 1);
    this.#push(call, connection, { verb, direction, bytes, data, tls: TLS });
  }
}

const unseen = { tls: TLS, isJoined: true } as const;

/** How many of the bytes rustls took: no more than it has room for. */
function acceptedBy({ returns }: CallView): number {
  const accepted: Value | null = returns.kind === 'variant' ? returns.value : null;
  return numberIn(accepted) ?? 0;
}
