import type { ChannelEvent, HttpExchange } from '../../../model/channels/channelEvent.ts';
import type { Value } from '../../../model/questions/query.ts';
import { shownHeaders, shownPath } from './httpSecrets.ts';
import { HttpSide, type HttpHead } from './httpSide.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Exchange = Mutable<HttpExchange>;
type HttpEvent = Mutable<Omit<ChannelEvent, 'http'>> & { readonly http: Exchange };

/** Finds the requests and answers in what went over one connection. */
export class HttpConnection {
  readonly requests: HttpEvent[] = [];
  isHttp = false;
  isHttp2 = false;
  /** Bytes of an HTTP connection that were not understood. */
  undecoded = 0;
  #isClient: boolean | null = null;
  readonly #waiting: HttpEvent[] = [];
  #present: ChannelEvent | null = null;
  #isUpgraded = false;
  readonly #asking = new HttpSide('REQUEST', {
    head: (head) => this.#asked(head),
    body: (bytes) => {
      const last = this.requests.at(-1);
      if (last) last.http.sent += bytes;
    },
    end: () => undefined,
  });
  readonly #answering = new HttpSide('RESPONSE', {
    head: (head) => this.#answered(head),
    body: (bytes) => {
      const [first] = this.#waiting;
      if (first) first.http.received += bytes;
    },
    end: () => {
      const { status } = this.#waiting[0]?.http ?? { status: null };
      if (status !== null && status >= 200) this.#waiting.shift();
    },
  });

  /** Whether the bytes of the event are part of requests. */
  take(event: ChannelEvent): boolean {
    const { data, bytes, direction } = event;
    if (data?.kind !== 'string' || bytes === null || direction === 'act') return false;
    if (this.isHttp2 || this.#isUpgraded) return false;
    const known = bytesOf(data);
    if (known.toString('latin1', 0, 14) === 'PRI * HTTP/2.0') {
      this.isHttp2 = true;
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
    if (!isRequest && first) {
      first.until = event.time;
      first.durationNs = event.time - first.time;
    }
    if (!isTaken) this.undecoded += bytes;
    return isTaken;
  }

  #asked({ method, url, headers }: HttpHead): boolean {
    const event = this.#present;
    if (!event) return false;
    const asked: HttpEvent = {
      ...event,
      verb: method,
      data: null,
      bytes: null,
      durationNs: null,
      http: {
        method,
        path: shownPath(url),
        status: null,
        sent: 0,
        received: 0,
        contentType: null,
        headers: shownHeaders(headers),
        answerHeaders: [],
      },
    };
    this.requests.push(asked);
    this.#waiting.push(asked);
    return false;
  }

  #answered({ status, headers, isUpgrade }: HttpHead): boolean {
    const [first] = this.#waiting;
    if (!first) return false;
    first.http.status = status;
    first.http.answerHeaders = shownHeaders(headers);
    first.http.contentType = headerOf(headers, 'content-type')?.split(';')[0] ?? null;
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

function bytesOf({ text, binary }: Extract<Value, { kind: 'string' }>): Buffer {
  return binary ? Buffer.from(binary.hex, 'hex') : Buffer.from(text, 'utf8');
}

function headerOf(headers: readonly string[], name: string): string | undefined {
  const at = headers.findIndex((one, i) => i % 2 === 0 && one.toLowerCase() === name);
  return at < 0 ? undefined : headers[at + 1];
}
