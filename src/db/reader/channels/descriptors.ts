import type { Carried, Connection } from '../../../model/channels/channelEvent.ts';
import type { Value } from '../../../model/questions/query.ts';
import { bytesOf } from './httpConnection.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
export type OpenConnection = Mutable<Connection>;

/** Which connection or file each descriptor of each process is. */
export class Descriptors {
  /** Those that have a number. */
  readonly all: OpenConnection[] = [];
  readonly #numbers = { socket: 0, file: 0 };
  readonly #tables = new Map<number, Map<number, OpenConnection>>();
  readonly #addresses = new Map<string, string>();
  readonly #sessions = new Map<string, OpenConnection>();

  open(pid: number, fd: number | null, about: Partial<Connection>): OpenConnection {
    const made: OpenConnection = {
      number: 0,
      pid,
      fd,
      kind: 'socket',
      peer: null,
      local: null,
      isAccepted: false,
      tls: null,
      sent: 0,
      received: 0,
      isClosed: false,
      isJoined: false,
      protocol: null,
      undecoded: 0,
      encrypted: { sent: 0, received: 0 },
      ...about,
    };
    if (fd !== null) {
      // Its number was free: what had it was closed unseen.
      this.close(pid, fd);
      this.#table(pid).set(fd, made);
    }
    return made;
  }

  /** A forked process has what its parent had: what the first process has is taken. */
  find(pid: number, fd: number | null): OpenConnection | null {
    if (fd === null) return null;
    const table = this.#tables.get(pid);
    if (table) return table.get(fd) ?? null;
    const [first] = this.#tables.values();
    return first?.get(fd) ?? null;
  }

  /** Its number among those of its kind that events are of. */
  number(connection: OpenConnection): number {
    if (connection.number === 0) {
      this.all.push(connection);
      connection.number = ++this.#numbers[connection.kind];
    }
    return connection.number;
  }

  /** A second descriptor of the same. */
  share(pid: number, fd: number, to: number): void {
    const known = this.find(pid, fd);
    if (known) this.#table(pid).set(to, known);
    else this.#tables.get(pid)?.delete(to);
  }

  close(pid: number, fd: number): OpenConnection | null {
    const known = this.find(pid, fd);
    const table = this.#table(pid);
    table.delete(fd);
    if (!known || [...table.values()].includes(known)) return null;
    known.isClosed = true;
    return known;
  }

  /** The address that a socket is bound to. */
  bound(pid: number, fd: number, address?: string): string | null {
    const key = `${pid} ${fd}`;
    if (address !== undefined) this.#addresses.set(key, address);
    return this.#addresses.get(key) ?? null;
  }

  /** The connection under a TLS session, by the address of the library's object. */
  underTls(pid: number, object: string, connection?: OpenConnection): OpenConnection | null {
    const key = `${pid} ${object}`;
    if (connection) this.#sessions.set(key, connection);
    return this.#sessions.get(key) ?? null;
  }

  #table(pid: number): Map<number, OpenConnection> {
    let table = this.#tables.get(pid);
    if (!table) {
      const [first] = this.#tables.values();
      this.#tables.set(pid, (table = new Map(first)));
    }
    return table;
  }
}

export function count(connection: Carried, direction: 'in' | 'out', bytes: number | null): void {
  if (direction === 'out') connection.sent += bytes ?? 0;
  else connection.received += bytes ?? 0;
}

/** A socket that only failed to connect has been told of already. */
export function hasLived({ kind, sent, received, isAccepted }: OpenConnection): boolean {
  return kind === 'file' || isAccepted || sent > 0 || received > 0;
}

/** Whether a socket is encrypted from these bytes on: by the handshake; where that was not seen, by any record. */
export function beginsTls({ kind, tls, isJoined }: OpenConnection, data: Value | null): boolean {
  if (kind !== 'socket' || tls !== null || data?.kind !== 'string') return false;
  // Most messages are text: its bytes are not made for this.
  const isText = (data.binary?.hex ?? data.hex) === undefined;
  if (isText && data.text.charCodeAt(0) > APPLICATION) return false;
  const [type = 0, major, minor = 0] = bytesOf(data);
  const isRecord = type === HANDSHAKE || (isJoined && type >= CHANGE_CIPHER && type <= APPLICATION);
  return isRecord && major === 3 && minor <= 4;
}

/** Types of records (RFC 8446 §5.1). */
const CHANGE_CIPHER = 0x14;
const HANDSHAKE = 0x16;
const APPLICATION = 0x17;
