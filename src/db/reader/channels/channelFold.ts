import { askedRequest } from '../../../model/channels/channelFunctions.ts';
import type { ChannelEvent } from '../../../model/channels/channelEvent.ts';
import type { CallId } from '../../../model/ids.ts';
import type { CallView, Value } from '../../../model/questions/query.ts';
import {
  addressOf,
  argumentOf,
  constantOf,
  endOfCall,
  failureOf,
  lengthOf,
  numberOf,
  resultOf,
  socketErrorOf,
  textOf,
} from './callValues.ts';
import { errnoName } from '../values/errnoName.ts';
import { AskedRequests } from './askedRequests.ts';
import { beginsTls, count, Descriptors, hasLived, type OpenConnection } from './descriptors.ts';
import { GoSockets, isOfGo } from './goSockets.ts';
import { isOfRustls, RustlsSessions } from './rustlsSessions.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** That by which the preload of Node asks Strobe for sources: none of the program's. */
const ownSocket = /\/run\/js\.sock$/;
/** By which the C library asks for users and hosts. It ends the socket without a call that is hooked. */
const libraryPath = 'unix:/var/run/nscd/socket';

/** The verb of the first record that is seen of a TLS connection whose handshake is not. */
const MIDDLE = 'encrypted, joined after its handshake';

/** Results that say "not now". */
const notNow: ReadonlySet<string> = new Set(['EAGAIN', 'EINTR', 'EWOULDBLOCK']);
const isPending: ReadonlySet<string> = new Set(['EINPROGRESS', 'EALREADY', 'EISCONN']);

const sends = /^(?:send(?:to|msg)?|p?write(?:v|64)?|sendfile(?:64)?)$/;
const receives = /^(?:recv(?:from|msg)?|p?read(?:v|64)?)$/;
const ofSocket = /^(?:send(?:to|msg)?|recv(?:from|msg)?)$/;
const opens = /^(?:open(?:at)?(?:64)?|creat(?:64)?)$/;
const paths =
  /^(?:truncate(?:64)?|rename(?:at2?)?|unlink(?:at)?|remove|link|symlink|mkdir(?:at)?|rmdir|chmod)$/;
const ofFile = /^(?:ftruncate(?:64)?|fsync|fdatasync)$/;

/** Makes events of a channel from calls in the order in which they took effect. */
export class ChannelFold {
  readonly descriptors = new Descriptors();
  readonly asked = new AskedRequests();
  readonly unknownFds = new Set<number>();
  unknownCalls = 0;
  #events: Mutable<ChannelEvent>[] = [];
  readonly #listening: Mutable<ChannelEvent>[] = [];
  readonly #tlsCalls = new Set<CallId>();
  /** By a call in which the C library opens sockets, which it closes without a call that is hooked: those. */
  readonly #resolving = new Map<CallId, OpenConnection[]>();
  /** What goes over them is not the program's. */
  readonly #notOfProgram = new WeakSet<OpenConnection>();
  /** The call by which a connection began that was not made at once. */
  readonly #pending = new WeakMap<OpenConnection, CallView>();
  /** The descriptor that a call of a TLS library used. */
  readonly #usedBy = new Map<CallId, number>();
  /** By thread: a TLS session whose connection is not known yet, and a connection that began to encrypt. */
  readonly #sessionOf = new Map<number, string>();
  readonly #encrypted = new Map<number, OpenConnection>();
  readonly #failed = new Map<string, Mutable<ChannelEvent>>();
  readonly #go = new GoSockets(this.descriptors, (call, connection, about) =>
    this.#push(call, { ...this.#on(connection), ...about }),
  );
  readonly #rustls = new RustlsSessions(this.descriptors, (call, connection, about) =>
    this.#push(call, { ...this.#on(connection), ...about }),
  );

  /** Calls that began, before they or what they are inside of takes effect. */
  know(calls: readonly CallView[]): void {
    for (const call of calls) {
      if (isTls(call)) this.#tlsCalls.add(call.id);
      if (call.function === 'getaddrinfo') this.#resolving.set(call.id, []);
    }
    for (const call of calls) {
      const fd = numberOf(call, 'fd');
      const isInside = call.parent !== null && this.#tlsCalls.has(call.parent);
      if (isInside && fd !== null && call.parent !== null) this.#usedBy.set(call.parent, fd);
    }
  }

  /** The events of calls that take effect now. `isEnd`: no others do. */
  take(calls: readonly CallView[], isEnd: boolean): readonly ChannelEvent[] {
    for (const call of calls) this.#take(call);
    if (isEnd) this.#rustls.end();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #take(call: CallView): void {
    if (call.end !== 'returned') return;
    const name = call.function.replace(/^uv__close.*/, 'close').replace(/64$/, '');
    const isInTls = call.parent !== null && this.#tlsCalls.has(call.parent);
    if (isOfGo(call)) this.#go.take(call);
    else if (isOfRustls(call)) this.#rustls.take(call);
    else if (isTls(call)) this.#tls(call);
    else if (name === askedRequest) this.asked.ask(call);
    else if (sends.test(name)) this.#carried(call, 'out', isInTls);
    else if (receives.test(name)) this.#carried(call, 'in', isInTls);
    else if (opens.test(name)) this.#opened(call);
    else if (paths.test(name)) this.#onPath(call);
    else if (ofFile.test(name)) this.#onFile(call);
    else this.#others[name]?.(call, numberOf(call, 'fd'));
  }

  readonly #others: Readonly<Record<string, (call: CallView, fd: number | null) => void>> = {
    socket: (call) => {
      const result = resultOf(call) ?? -1;
      if (result < 0) return;
      const opened = this.descriptors.open(call.pid, result, {});
      const resolving = call.parent === null ? null : this.#resolving.get(call.parent);
      resolving?.push(opened);
      // The C library asks the kernel which addresses this machine has.
      if (resolving && constantOf(call, 'domain') === 'AF_NETLINK') this.#notOfProgram.add(opened);
    },
    connect: (call, fd) => this.#connected(call, fd),
    bind: (call, fd) => {
      const address = textOf(call, 'address');
      if (fd !== null && address !== null) this.descriptors.bound(call.pid, fd, address);
      if (failureOf(call) !== null) this.#push(call, { peer: address });
    },
    listen: (call, fd) =>
      this.#push(call, { peer: fd === null ? null : this.descriptors.bound(call.pid, fd) }),
    accept: (call, fd) => this.#accepted(call, fd),
    accept4: (call, fd) => this.#accepted(call, fd),
    getsockname: (call, fd) => {
      const address = addressOf(call);
      if (fd !== null && address !== null) this.#named(call.pid, fd, address);
    },
    getpeername: (call, fd) => {
      const connection = this.#socketAt(call, failureOf(call) === null ? fd : null);
      if (connection) connection.peer ??= addressOf(call);
    },
    getsockopt: (call, fd) => this.#connectEnded(call, fd),
    getaddrinfo: (call) => {
      const result = resultOf(call) ?? 0;
      const failure = result === 0 ? null : `error ${result}`;
      for (const opened of this.#resolving.get(call.id) ?? []) {
        if (opened.fd !== null && this.descriptors.find(call.pid, opened.fd) === opened)
          this.descriptors.close(call.pid, opened.fd);
      }
      this.#push(call, { peer: textOf(call, 'host'), failure });
    },
    shutdown: (call, fd) => this.#push(call, this.#on(this.descriptors.find(call.pid, fd))),
    close: (call, fd) => {
      const closed = fd === null ? null : this.descriptors.close(call.pid, fd);
      if (closed && hasLived(closed)) this.#push(call, { ...this.#on(closed), verb: 'close' });
    },
    dup: (call, fd) => this.#shared(call, fd),
    dup2: (call) => this.#shared(call, numberOf(call, 'from')),
    dup3: (call) => this.#shared(call, numberOf(call, 'from')),
  };

  #shared(call: CallView, from: number | null): void {
    const to = resultOf(call) ?? -1;
    if (from !== null && to >= 0) this.descriptors.share(call.pid, from, to);
  }

  #connected(call: CallView, fd: number | null): void {
    const peer = textOf(call, 'address');
    const failure = failureOf(call);
    if (peer !== null && (ownSocket.test(peer) || (peer === libraryPath && failure === null))) {
      const own = this.#socketAt(call, fd);
      if (own) this.#notOfProgram.add(own);
      return;
    }
    if (failure !== null && !isPending.has(failure)) {
      if (peer === libraryPath && fd !== null) this.descriptors.close(call.pid, fd);
      if (peer !== null) this.asked.refused(call.pid, peer);
      this.#push(call, { peer, failure });
      return;
    }
    const connection = this.#socketAt(call, fd);
    if (connection) {
      connection.peer = peer;
      if (failure !== null) this.#pending.set(connection, call);
    }
    this.#push(call, { ...this.#on(connection), peer });
  }

  /** How a connection that was not made at once ended: the program asks for `SO_ERROR` (connect(2)). */
  #connectEnded(call: CallView, fd: number | null): void {
    const connection = this.descriptors.find(call.pid, fd);
    const begun = connection && this.#pending.get(connection);
    const error = socketErrorOf(call);
    if (!begun || error === null) return;
    this.#pending.delete(connection);
    if (error === 0) return;
    const { peer } = connection;
    if (peer !== null) this.asked.refused(call.pid, peer);
    this.#push(begun, { ...this.#on(connection), peer, failure: errnoName(error) });
  }

  /** A port that the system chose is known only when the program asks. */
  #named(pid: number, fd: number, address: string): void {
    const before = this.descriptors.bound(pid, fd);
    this.descriptors.bound(pid, fd, address);
    if (before === null || before === address) return;
    for (const event of this.#listening)
      if (event.pid === pid && event.peer === before) event.peer = address;
  }

  #accepted(call: CallView, fd: number | null): void {
    const { pid } = call;
    const result = resultOf(call) ?? -1;
    const failure = failureOf(call);
    if (failure !== null && !notNow.has(failure)) this.#push(call, { failure });
    if (result < 0) return;
    const connection = this.descriptors.open(pid, result, {
      isAccepted: true,
      peer: addressOf(call),
      local: fd === null ? null : this.descriptors.bound(pid, fd),
    });
    this.#push(call, this.#on(connection));
  }

  #opened(call: CallView): void {
    const peer = textOf(call, 'path');
    const failure = failureOf(call);
    const fd = resultOf(call);
    const connection =
      fd !== null && fd >= 0 ? this.descriptors.open(call.pid, fd, { kind: 'file', peer }) : null;
    this.#push(call, {
      ...this.#on(connection),
      channel: 'file',
      peer,
      failure,
      verb: openVerb(call),
    });
  }

  #onPath(call: CallView): void {
    const [from, to] = [textOf(call, 'from') ?? textOf(call, 'target'), textOf(call, 'to')];
    const path = textOf(call, 'path');
    const peer = from === null ? path : `${from} → ${to ?? path ?? '?'}`;
    this.#push(call, { channel: 'file', peer });
  }

  #onFile(call: CallView): void {
    const connection = this.descriptors.find(call.pid, numberOf(call, 'fd'));
    if (connection?.kind === 'file') this.#push(call, { ...this.#on(connection), channel: 'file' });
  }

  #carried(call: CallView, direction: 'in' | 'out', isInTls: boolean): void {
    const fd = numberOf(call, 'fd') ?? numberOf(call, 'to');
    const known = this.descriptors.find(call.pid, fd);
    const connection = known ?? (ofSocket.test(call.function) ? this.#socketAt(call, fd) : null);
    if (!connection) {
      if (fd !== null && fd > 2) this.#unknown(fd);
      return;
    }
    const failure = failureOf(call);
    // Plain text that was given is on its way to this socket, also when that takes it later.
    if (connection.tls !== null && !isInTls && (direction === 'out' || failure === null))
      this.#rustls.carried(call, connection, direction);
    if (failure !== null) {
      if (!notNow.has(failure)) this.#push(call, { ...this.#on(connection), failure });
      return;
    }
    const data = direction === 'out' ? argumentOf(call, 'data') : call.returns;
    if (isInTls || isLook(call) || this.#notOfProgram.has(connection)) return;
    if (beginsTls(connection, data)) this.#encrypts(call, connection);
    if (connection.tls === null) this.#bytes(call, connection, direction, data);
    else count(connection.encrypted, direction, bytesOfCall(call, direction, data));
  }

  #bytes(
    call: CallView,
    connection: OpenConnection,
    direction: 'in' | 'out',
    data: Value | null,
  ): void {
    const bytes = bytesOfCall(call, direction, data);
    const isEnd = bytes === 0 && direction === 'in';
    if (bytes === 0 && connection.kind === 'file') return;
    count(connection, direction, bytes);
    const to = textOf(call, 'to');
    if (to !== null) connection.peer ??= to;
    const about = this.#on(connection);
    if (isEnd) about.verb = 'end';
    else about.direction = direction;
    about.bytes = bytes;
    about.data = data;
    if (to !== null) about.peer = to;
    this.#push(call, about);
  }

  /** What a TLS library was given, or gave: the plain text of its connection. */
  #tls(call: CallView): void {
    const { function: name } = call;
    const object = sessionOf(call);
    const fd = numberOf(call, 'fd');
    const socket = this.#socketAt(call, fd ?? this.#usedBy.get(call.id) ?? null);
    if (socket) this.#join(call, object, socket);
    else this.#joinEncrypted(call, object);
    if (name === 'SSL_set_fd') return;
    const direction = /write|send/.test(name) ? 'out' : /read|recv/.test(name) ? 'in' : null;
    const failure = failureOf(call);
    if (direction === null || failure !== null) return;
    const data = direction === 'out' ? argumentOf(call, 'data') : call.returns;
    const length = direction === 'out' ? numberOf(call, 'length') : lengthOf(call.returns);
    if (length === null || length === 0) return;
    const connection = this.#tlsConnection(call, object);
    count(connection, direction, length);
    const tls = (connection.tls = libraryOf(call));
    this.#push(call, { ...this.#on(connection), direction, bytes: length, data, tls });
  }

  #join(call: CallView, object: string, connection: OpenConnection): void {
    connection.tls = libraryOf(call);
    this.descriptors.underTls(call.pid, object, connection);
  }

  /** Programs that encrypt in memory send the first message on the same thread, after or before the library's call. */
  #joinEncrypted(call: CallView, object: string): void {
    if (this.descriptors.underTls(call.pid, object)) return;
    const connection = this.#encrypted.get(call.tid);
    if (connection) this.#join(call, object, connection);
    else this.#sessionOf.set(call.tid, object);
    this.#encrypted.delete(call.tid);
  }

  #encrypts(call: CallView, connection: OpenConnection): void {
    connection.tls = 'not known';
    if (connection.isJoined) this.#push(call, { ...this.#on(connection), verb: MIDDLE });
    const object = this.#sessionOf.get(call.tid);
    if (object === undefined) this.#encrypted.set(call.tid, connection);
    else this.descriptors.underTls(call.pid, object, connection);
    this.#sessionOf.delete(call.tid);
  }

  #tlsConnection(call: CallView, object: string): OpenConnection {
    const known = this.descriptors.underTls(call.pid, object);
    if (known) return known;
    const made = this.descriptors.open(call.pid, null, { tls: libraryOf(call), isJoined: true });
    this.descriptors.underTls(call.pid, object, made);
    return made;
  }

  /** A socket whose beginning was not seen is one all the same. */
  #socketAt(call: CallView, fd: number | null): OpenConnection | null {
    if (fd === null) return null;
    return (
      this.descriptors.find(call.pid, fd) ?? this.descriptors.open(call.pid, fd, { isJoined: true })
    );
  }

  #on(connection: OpenConnection | null): Partial<Mutable<ChannelEvent>> {
    if (connection === null) return {};
    const { peer, kind } = connection;
    const number = this.descriptors.number(connection);
    return { connection: number, peer, channel: kind === 'file' ? 'file' : 'net' };
  }

  #unknown(fd: number): void {
    this.unknownCalls++;
    if (this.unknownFds.size < 8) this.unknownFds.add(fd);
  }

  #push(call: CallView, about: Partial<ChannelEvent>): void {
    const failure = about.failure ?? failureOf(call);
    const { pid, tid, threadName, id, time, durationNs } = call;
    // Member by member: events that are spread together cost ten times as much.
    const event: Mutable<ChannelEvent> = {
      call: id,
      time: about.direction === 'in' ? endOfCall(call) : time,
      durationNs,
      pid,
      tid,
      threadName,
      channel: about.channel ?? 'net',
      direction: about.direction ?? 'act',
      verb: about.verb ?? call.function,
      connection: about.connection ?? null,
      peer: about.peer ?? null,
      bytes: about.bytes ?? null,
      data: about.data ?? null,
      failure: failure !== null && isPending.has(failure) ? null : failure,
      times: 1,
      until: time,
      tls: about.tls ?? null,
      cause: null,
    };
    if (event.failure !== null && this.#isRepeated(event)) return;
    this.#events.push(event);
    if (event.verb === 'listen') this.#listening.push(event);
  }

  /** What failed in the same way again is one event. */
  #isRepeated(event: Mutable<ChannelEvent>): boolean {
    const key = `${event.pid} ${event.verb} ${event.peer} ${event.failure}`;
    const first = this.#failed.get(key);
    if (!first) {
      this.#failed.set(key, event);
      return false;
    }
    first.times++;
    first.until = event.time;
    return true;
  }
}

function bytesOfCall(call: CallView, direction: 'in' | 'out', data: Value | null): number | null {
  const read = direction === 'in' && data ? lengthOf(data) : null;
  return read ?? resultOf(call);
}

/** A read that leaves the bytes to the next one. */
function isLook(call: CallView): boolean {
  return /\bMSG_PEEK\b/.test(constantOf(call, 'flags') ?? '');
}

function isTls({ function: name }: CallView): boolean {
  return name.startsWith('SSL_') || name.startsWith('gnutls_');
}

function libraryOf({ function: name }: CallView): string {
  return name.startsWith('SSL_') ? 'OpenSSL' : 'GnuTLS';
}

function sessionOf(call: CallView): string {
  const value: Value | null = argumentOf(call, 'connection') ?? argumentOf(call, 'session');
  return value?.kind === 'pointer' ? value.address : '';
}

function openVerb(call: CallView): string {
  const text = constantOf(call, 'flags') ?? '';
  if (call.function.startsWith('creat') || text.includes('O_CREAT')) return 'create';
  return text.includes('O_WRONLY') || text.includes('O_RDWR') ? 'open to write' : 'open';
}
