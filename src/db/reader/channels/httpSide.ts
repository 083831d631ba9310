import { HTTPParser } from 'http-parser-js';

/** What a side of a connection begins to say. */
export interface HttpHead {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly isUpgrade: boolean;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** What becomes known of messages. */
export interface HttpListener {
  /** True: no body follows, whatever the head says. */
  head(head: HttpHead): boolean;
  /** `known`: those of them that were captured. */
  body(bytes: number, known: Buffer): void;
  end(): void;
}

const begins = {
  REQUEST: /^[A-Z][A-Z-]{2,15} \S+/,
  RESPONSE: /^HTTP\/1\.[01] \d{3}/,
} as const;

/** The first bytes of one: servers of Go read a single byte to notice that a client leaves. */
const mayBegin = {
  REQUEST: /^[A-Z][A-Z-]{0,15} ?$/,
  RESPONSE: /^H(?:T(?:T(?:P(?:\/[\d.]{0,3} ?)?)?)?)?$/,
} as const;

/** One direction of an HTTP/1 connection, of which the beginning of each part is known. */
export class HttpSide {
  readonly #type: 'REQUEST' | 'RESPONSE';
  readonly #listener: HttpListener;
  /** Kept from message to message: making one takes as long as reading a message. */
  #parser: InstanceType<typeof HTTPParser> | null = null;
  /** A message has begun. */
  #isWithin = false;
  #isInHead = false;
  #isChunked = false;
  /** Of a message of which too little has come to know that it is one. */
  #early: Buffer = none;

  constructor(type: 'REQUEST' | 'RESPONSE', listener: HttpListener) {
    this.#type = type;
    this.#listener = listener;
  }

  /** Takes the known beginning of `total` bytes. False: they are not understood. */
  take(known: Buffer, total: number): boolean {
    if (this.#parser !== null && this.#isWithin) return this.#parse(known, total);
    const early = this.#early;
    const head = Buffer.concat([early, known]);
    const text = head.toString('latin1', 0, 200);
    this.#early = none;
    if (begins[this.#type].test(text)) {
      this.#begin();
      return this.#parse(head, early.length + total);
    }
    if (known.length < total || !mayBegin[this.#type].test(text)) return false;
    this.#early = head;
    return true;
  }

  #parse(known: Buffer, total: number): boolean {
    const parser = this.#parser;
    if (parser === null) return false;
    const result = parser.execute(known);
    if (typeof result !== 'number') return this.#giveUp(false);
    const missing = total - known.length;
    if (missing <= 0) return true;
    if (this.#isInHead || this.#isChunked) return this.#giveUp(this.#isChunked);
    for (let left = missing; left > 0 && this.#isWithin; left -= filler.length)
      parser.execute(filler, 0, Math.min(left, filler.length));
    return true;
  }

  #giveUp(isUnderstood: boolean): boolean {
    this.#parser = null;
    this.#isWithin = false;
    return isUnderstood;
  }

  #begin(): void {
    this.#isWithin = true;
    this.#isInHead = true;
    if (this.#parser) this.#parser.initialize(this.#type);
    else this.#parser = this.#made();
  }

  #made(): InstanceType<typeof HTTPParser> {
    const parser = new HTTPParser(this.#type);
    parser[HTTPParser.kOnHeadersComplete] = (info) => {
      this.#isInHead = false;
      const { headers, url, statusCode, upgrade } = info;
      this.#isChunked = headers.some((text) => text.toLowerCase() === 'chunked');
      const method = HTTPParser.methods[info.method] ?? '';
      const head = { method, url, status: statusCode, isUpgrade: upgrade, headers };
      return this.#listener.head(head) ? 1 : 0;
    };
    parser[HTTPParser.kOnBody] = (chunk, offset, length) =>
      this.#listener.body(
        length,
        chunk === filler ? none : chunk.subarray(offset, offset + length),
      );
    parser[HTTPParser.kOnMessageComplete] = () => {
      this.#isWithin = false;
      this.#isChunked = false;
      this.#listener.end();
    };
    return parser;
  }
}

/** In place of bytes of a body that were not captured. */
const filler = Buffer.alloc(65_536);
const none = Buffer.alloc(0);
