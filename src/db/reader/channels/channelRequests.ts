import type { ChannelEvent } from '../../../model/channels/channelEvent.ts';
import type { AskedRequests } from './askedRequests.ts';
import type { Descriptors, OpenConnection } from './descriptors.ts';
import { bytesOf, HttpConnection, type HttpOpening } from './httpConnection.ts';
import { PostgresConnection } from './postgresConnection.ts';

/** Of a first line, which some programs write word by word. */
const MOST_OPENING = 2000;

/** A connection of PostgreSQL, and which side asks. */
interface Database {
  readonly connection: PostgresConnection;
  readonly asks: 'in' | 'out';
}

/** Finds requests in the bytes of connections. */
export class ChannelRequests {
  readonly #descriptors: Descriptors;
  readonly #asked: AskedRequests;
  readonly #connections = new Map<number, HttpConnection>();
  readonly #databases = new Map<number, Database>();
  readonly #openings = new Map<number, HttpOpening & { isOver: boolean }>();

  constructor(descriptors: Descriptors, asked: AskedRequests) {
    this.#descriptors = descriptors;
    this.#asked = asked;
  }

  /**
   * Requests in place of the bytes that they were made of. What is not answered yet comes with a later part;
   * `isEnd`: there is none.
   */
  take(events: readonly ChannelEvent[], isEnd: boolean): ChannelEvent[] {
    this.#open(events);
    const sockets = this.#sockets();
    const others = events.flatMap((event) => {
      if (event.channel !== 'net' || event.connection === null) return [event];
      const { connection: number } = event;
      const named = this.#withMessages(event, number);
      if (named !== null) return [named];
      let connection = this.#connections.get(number);
      if (!connection) {
        const isJoined = sockets.get(number)?.isJoined ?? false;
        connection = new HttpConnection(isJoined, this.#openings.get(number) ?? null);
        this.#connections.set(number, connection);
      }
      return connection.take(event) ? [] : [event];
    });
    for (const [number, one] of sockets) {
      if (this.#databases.has(number)) one.protocol = 'PostgreSQL';
      const http = this.#connections.get(number);
      if (!http) continue;
      one.protocol ??= http.isHttp2 ? 'HTTP/2' : http.isHttp ? 'HTTP/1' : null;
      one.undecoded = http.undecoded;
    }
    const requests = [...this.#connections.values()]
      .flatMap((one) => one.ended(isEnd))
      .toSorted((a, b) => a.time - b.time);
    for (const request of requests) request.asked = this.#asked.take(request);
    return [...others, ...requests];
  }

  #sockets(): ReadonlyMap<number, OpenConnection> {
    const sockets = this.#descriptors.all.filter(({ kind }) => kind === 'socket');
    return new Map(sockets.map((one) => [one.number, one]));
  }

  #open(events: readonly ChannelEvent[]): void {
    for (const { channel, connection, direction, data, bytes } of events) {
      if (channel !== 'net' || connection === null || direction === 'act') continue;
      const before = this.#openings.get(connection) ?? { direction, known: none, isOver: false };
      if (before.isOver) continue;
      const more = data?.kind === 'string' ? bytesOf(data) : none;
      const isSame = direction === before.direction;
      const known = isSame ? Buffer.concat([before.known, more]) : before.known;
      const isOver = !isSame || more.length !== bytes || known.length >= MOST_OPENING;
      this.#openings.set(connection, { ...before, known, isOver });
    }
  }

  /** The event with the names of its messages in place of its data; null: it is none of a connection of PostgreSQL. */
  #withMessages(event: ChannelEvent, number: number): ChannelEvent | null {
    const { data, bytes, direction } = event;
    if (data?.kind !== 'string' || bytes === null || direction === 'act') return null;
    if (this.#connections.get(number)?.isHttp === true) return null;
    const known = bytesOf(data);
    let database = this.#databases.get(number);
    if (!database) {
      if (!PostgresConnection.begins(known)) return null;
      database = { connection: new PostgresConnection(), asks: direction };
      this.#databases.set(number, database);
    }
    const messages = database.connection.take(direction === database.asks, known, bytes);
    return { ...event, data: null, messages };
  }
}

const none = Buffer.alloc(0);
