import type { ChannelEvent } from '../../../model/channels/channelEvent.ts';
import type { CallView, Value } from '../../../model/questions/query.ts';
import { argumentOf, lengthOf } from './callValues.ts';
import {
  beginsTls,
  count,
  hasLived,
  type Descriptors,
  type OpenConnection,
} from './descriptors.ts';
import { addressIn, fieldIn, goAddress, goFailure, numberIn } from './goValues.ts';

const TLS = "Go's crypto/tls";

type Push = (
  call: CallView,
  connection: OpenConnection | null,
  about: Partial<ChannelEvent>,
) => void;

export function isOfGo({ function: name }: CallView): boolean {
  return /^(?:net|crypto\/tls|internal\/poll)\./.test(name);
}

/** Sockets of programs of Go, by the functions of its packages net and crypto/tls. */
export class GoSockets {
  readonly #descriptors: Descriptors;
  readonly #push: Push;
  /** By process and the address of the netFD. */
  readonly #open = new Map<string, OpenConnection>();

  constructor(descriptors: Descriptors, push: Push) {
    this.#descriptors = descriptors;
    this.#push = push;
  }

  take(call: CallView): void {
    const name = call.function.slice(call.function.lastIndexOf('.') + 1);
    if (name === 'dialSingle') this.#dialled(call);
    else if (name === 'accept') this.#accepted(call);
    else if (name === 'Close') this.#closed(call);
    else if (name.startsWith('listen')) this.#listens(call, name === 'listenDatagram');
    else if (name === 'SendFile' || name === 'Splice') this.#passedOn(call);
    else if (call.function.startsWith('net.')) this.#carried(call, /^write/i.test(name));
    else this.#plain(call, name === 'Write');
  }

  #dialled(call: CallView): void {
    const peer = goAddress(argumentOf(call, 'ra'));
    const failure = failureOf(call);
    const connection = failure === null ? this.#made(call, fieldIn(call.returns, 'fd')) : null;
    if (connection) connection.peer ??= peer;
    this.#push(call, connection, { verb: 'connect', peer, failure });
  }

  #accepted(call: CallView): void {
    const failure = failureOf(call);
    const connection = this.#made(call, firstOf(call.returns));
    if (!connection) return;
    connection.isAccepted = true;
    this.#push(call, connection, { verb: 'accept', failure });
  }

  /** Datagrams come to the socket itself, the others to those that are accepted. */
  #listens(call: CallView, hasDatagrams: boolean): void {
    const failure = failureOf(call) ?? goFailure(call.returns);
    const local = goAddress(argumentOf(call, 'laddr'));
    if (hasDatagrams && failure === null) this.#made(call, argumentOf(call, 'fd'));
    this.#push(call, null, { verb: 'listen', peer: local, failure });
  }

  /** What the kernel takes from a file or another socket is counted. A netFD begins with its poll.FD. */
  #passedOn(call: CallView): void {
    const bytes = numberIn(call.returns) ?? 0;
    if (bytes <= 0) return;
    for (const { name, value } of call.arguments) {
      const direction = name === 'src' ? 'in' : 'out';
      const connection = this.#open.get(keyOf(call, value) ?? '');
      if (!connection) continue;
      count(connection, direction, bytes);
      this.#push(call, connection, { direction, bytes, data: null });
    }
  }

  #closed(call: CallView): void {
    const fd = argumentOf(call, 'fd');
    const key = keyOf(call, fd);
    const connection = key === null ? undefined : this.#open.get(key);
    if (!connection || key === null) return;
    this.#open.delete(key);
    connection.isClosed = true;
    if (hasLived(connection)) this.#push(call, connection, { verb: 'close' });
  }

  /** Bytes as they went; what is encrypted is seen before and after. */
  #carried(call: CallView, isWrite: boolean): void {
    const data = dataOf(call, isWrite);
    const connection = this.#at(call, argumentOf(call, 'fd'), data);
    if (!connection) return;
    connection.peer ??= goAddress(argumentOf(call, 'sa'));
    if (beginsTls(connection, data)) connection.tls = 'not known';
    if (connection.tls === null) this.#bytes(call, connection, data, isWrite);
    else count(connection.encrypted, isWrite ? 'out' : 'in', data && lengthOf(data));
  }

  #plain(call: CallView, isWrite: boolean): void {
    const tls = argumentOf(call, 'c') ?? argumentOf(call, 'fd');
    const data = dataOf(call, isWrite);
    const connection = this.#at(call, fieldIn(tls, 'fd') ?? tls, data);
    if (!connection) return;
    connection.tls = TLS;
    this.#bytes(call, connection, data, isWrite, TLS);
  }

  #bytes(
    call: CallView,
    connection: OpenConnection,
    data: Value | null,
    isWrite: boolean,
    tls: string | null = null,
  ): void {
    const direction = isWrite ? 'out' : 'in';
    const failure = isWrite ? failureOf(call) : null;
    const bytes = data === null ? null : lengthOf(data);
    // Whether a read without bytes was the end, or was interrupted (servers do that after each request), is not captured.
    if (bytes === 0) return;
    count(connection, direction, bytes);
    this.#push(call, connection, { direction, bytes, data, tls, failure });
  }

  /** One whose beginning was not seen is one all the same; a read that ends without bytes may be that of one that is closed. */
  #at(call: CallView, fd: Value | null, data: Value | null): OpenConnection | null {
    const known = this.#open.get(keyOf(call, fd) ?? '');
    if (known) {
      known.fd ??= numberIn(fieldIn(fd, 'Sysfd'));
      known.local ??= goAddress(fieldIn(fd, 'laddr'));
      return known;
    }
    const carries = data !== null && (lengthOf(data) ?? 0) > 0;
    return carries ? this.#made(call, fd, true) : null;
  }

  #made(call: CallView, fd: Value | null, isJoined = false): OpenConnection | null {
    const key = keyOf(call, fd);
    if (key === null) return null;
    const made = this.#descriptors.open(call.pid, null, {
      fd: numberIn(fieldIn(fd, 'Sysfd')),
      peer: goAddress(fieldIn(fd, 'raddr')),
      local: goAddress(fieldIn(fd, 'laddr')),
      isJoined,
    });
    this.#open.set(key, made);
    return made;
  }
}

function keyOf({ pid }: CallView, fd: Value | null): string | null {
  const address = addressIn(fd);
  return address === null ? null : `${pid} ${address}`;
}

/** Of several results the first. */
function firstOf(value: Value): Value | null {
  return value.kind === 'object' ? (value.object.fields[0]?.value ?? null) : value;
}

/** Of several results the last is the error. */
function failureOf({ returns }: CallView): string | null {
  const fields = returns.kind === 'object' ? returns.object.fields : [];
  return goFailure(fields.at(-1)?.value ?? null);
}

function dataOf(call: CallView, isWrite: boolean): Value | null {
  return isWrite ? argumentOf(call, 'data') : call.returns;
}
