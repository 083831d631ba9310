import type { ChannelEvent } from '../../../model/channels/channelEvent.ts';
import type { Value } from '../../../model/questions/query.ts';
import {
  beganAnswer,
  beganRequest,
  continues,
  receives,
  sends,
  type HttpEvent,
} from './httpExchanges.ts';
import { Http2Connection } from './http2Connection.ts';
import { areFrames, beginsHttp2 } from './http2Side.ts';
import { HttpSide, type HttpHead } from './httpSide.ts';

/** The first bytes of a connection, as far as they go the same way and were captured. */
export interface HttpOpening {
  readonly direction: 'in' | 'out';
  readonly known: Buffer;
}

/** Finds the requests and answers in what went over one connection. */
export class HttpConnection {
  isHttp = false;
  isHttp2 = false;
  #requests: HttpEvent[] = [];
  #last: HttpEvent | null = null;
  readonly #isJoined: boolean;
  /** Null: it is none, or its beginning was not seen. */
  #http2: Http2Connection | null = null;
  #undecoded = 0;
  #isClient: boolean | null = null;
  readonly #waiting: HttpEvent[] = [];
  #present: ChannelEvent | null = null;
  #isUpgraded = false;
  readonly #asking = new HttpSide('REQUEST', {
    head: (head) => this.#asked(head),
    body: (bytes, known) => {
      if (this.#last) sends(this.#last, bytes, known);
    },
    end: () => undefined,
  });
  readonly #answering = new HttpSide('RESPONSE', {
    head: (head) => this.#answered(head),
    body: (bytes, known) => {
      const [first] = this.#waiting;
      if (first) receives(first, bytes, known);
    },
    end: () => {
      const { status } = this.#waiting[0]?.http ?? { status: null };
      if (status !== null && status >= 200) this.#waiting.shift();
    },
  });

  /** `isJoined`: its beginning was not seen. `opening`: what its first side says first, which may come in pieces. */
  constructor(isJoined = false, opening: HttpOpening | null = null) {
    this.#isJoined = isJoined;
    if (opening) this.#isClient = sideOf(opening.known, opening.direction);
  }

  /** Requests that were answered since it was asked last; `isEnd`: all that are left. */
  ended(isEnd: boolean): readonly HttpEvent[] {
    if (this.#http2) return this.#http2.ended(isEnd);
    const waiting = new Set(isEnd ? [] : this.#waiting);
    const ended = this.#requests.filter((one) => !waiting.has(one));
    this.#requests = this.#requests.filter((one) => waiting.has(one));
    return ended;
  }

  /** Bytes of an HTTP connection that were not understood. */
  get undecoded(): number {
    return this.#undecoded + (this.#http2?.undecoded ?? 0);
  }

  /** Whether the bytes of the event are part of requests. */
  take(event: ChannelEvent): boolean {
    const { data, bytes, direction } = event;
    if (data?.kind !== 'string' || bytes === null || direction === 'act') return false;
    if (this.#isUpgraded) return false;
    const known = bytesOf(data);
    if (!this.isHttp && !this.isHttp2) this.#detect(known);
    if (this.#http2) return this.#http2.take({ ...event, direction }, known, bytes);
    if (this.isHttp2) {
      this.#undecoded += bytes;
      return false;
    }
    this.#isClient ??= sideOf(known, direction);
    if (this.#isClient === null) return false;
    this.isHttp = true;
    this.#present = event;
    const isRequest = (direction === 'out') === this.#isClient;
    const [first] = this.#waiting;
    const side = isRequest ? this.#asking : this.#answering;
    // Of an answer whose request was not seen nothing is known.
    const isTaken = (isRequest || first !== undefined) && side.take(known, bytes);
    if (!isRequest && first) continues(first, event);
    if (!isTaken) this.#undecoded += bytes;
    return isTaken;
  }

  #detect(known: Buffer): void {
    if (beginsHttp2(known)) this.#http2 = new Http2Connection();
    this.isHttp2 = this.#http2 !== null || (this.#isJoined && areFrames(known));
  }

  #asked(head: HttpHead): boolean {
    const event = this.#present;
    if (!event) return false;
    const asked = beganRequest(event, head);
    this.#requests.push(asked);
    this.#last = asked;
    this.#waiting.push(asked);
    return false;
  }

  #answered({ status, headers, isUpgrade }: HttpHead): boolean {
    const [first] = this.#waiting;
    if (!first || !this.#present) return false;
    beganAnswer(first, this.#present, status, headers);
    this.#isUpgraded = isUpgrade;
    return first.http.method === 'HEAD';
  }
}

/** Whether the program asks on this connection; null: it does not begin with HTTP/1. */
function sideOf(known: Buffer, direction: 'in' | 'out'): boolean | null {
  const text = known.toString('latin1', 0, 2000);
  if (/^HTTP\/1\.[01] \d{3}/.test(text)) return direction === 'in';
  if (/^[A-Z][A-Z-]{2,15} \S+ HTTP\/1\.[01]\r?\n/.test(text)) return direction === 'out';
  return null;
}

/** What is known of the bytes that were carried. */
export function bytesOf({ text, hex, binary }: Extract<Value, { kind: 'string' }>): Buffer {
  const digits = binary?.hex ?? hex;
  return digits === undefined ? Buffer.from(text, 'utf8') : Buffer.from(digits, 'hex');
}
