import type { ChannelEvent } from '../../../model/channels/channelEvent.ts';
import {
  beganAnswer,
  beganRequest,
  continues,
  receives,
  sends,
  type HttpEvent,
} from './httpExchanges.ts';
import { shownHeaders } from './httpSecrets.ts';
import { Http2Side } from './http2Side.ts';

/** RFC 9113, section 7. */
const resets: Readonly<Record<number, string>> = {
  0: 'NO_ERROR',
  1: 'PROTOCOL_ERROR',
  2: 'INTERNAL_ERROR',
  3: 'FLOW_CONTROL_ERROR',
  5: 'STREAM_CLOSED',
  7: 'REFUSED_STREAM',
  8: 'CANCEL',
  11: 'ENHANCE_YOUR_CALM',
};

/** The requests on an HTTP/2 connection, of which each stream has one. */
export class Http2Connection {
  #requests: HttpEvent[] = [];
  /** Bytes that were not understood. */
  undecoded = 0;
  readonly #streams = new Map<number, HttpEvent>();
  #present: ChannelEvent | null = null;
  readonly #sides = { in: this.#side(), out: this.#side() } as const;

  /** Requests that were answered since it was asked last; `isEnd`: all that are left. */
  ended(isEnd: boolean): readonly HttpEvent[] {
    const waiting = new Set(isEnd ? [] : this.#streams.values());
    const ended = this.#requests.filter((one) => !waiting.has(one));
    this.#requests = this.#requests.filter((one) => waiting.has(one));
    return ended;
  }

  /** Whether all of the event's bytes were understood. */
  take(event: ChannelEvent & { direction: 'in' | 'out' }, known: Buffer, total: number): boolean {
    this.#present = event;
    const missed = this.#sides[event.direction].take(known, total);
    this.undecoded += missed;
    return missed < total;
  }

  #side(): Http2Side {
    return new Http2Side({
      fields: (stream, fields, isLast) => {
        this.#began(stream, fields);
        if (isLast) this.#ended(stream);
      },
      body: (stream, bytes, known) => this.#carried(stream, bytes, known),
      last: (stream) => this.#ended(stream),
      reset: (stream, code) => {
        const request = this.#streams.get(stream);
        if (request && code !== 0) request.failure = resets[code] ?? `error ${code}`;
        this.#streams.delete(stream);
      },
    });
  }

  #began(stream: number, fields: readonly string[]): void {
    const event = this.#present;
    if (!event) return;
    const pseudo = new Map<string, string>();
    const headers: string[] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [name = '', value = ''] = [fields[at], fields[at + 1]];
      if (name.startsWith(':')) pseudo.set(name, value);
      else headers.push(name, value);
    }
    const method = pseudo.get(':method');
    const status = pseudo.get(':status');
    const known = this.#streams.get(stream);
    if (method !== undefined) {
      const url = pseudo.get(':path') ?? pseudo.get(':authority') ?? '';
      const host = pseudo.get(':authority');
      const named = host === undefined ? headers : ['host', host, ...headers];
      const request = beganRequest(event, { method, url, headers: named });
      this.#requests.push(request);
      this.#streams.set(stream, request);
    } else if (known && status !== undefined) beganAnswer(known, event, Number(status), headers);
    // Trailers: of an answer, as gRPC has its status there.
    else if (known && event.direction !== known.direction)
      known.http.answerHeaders = [...known.http.answerHeaders, ...shownHeaders(headers)];
    this.#continued(known);
  }

  #carried(stream: number, bytes: number, known: Buffer): void {
    const request = this.#streams.get(stream);
    if (!request) return;
    if (this.#present?.direction === request.direction) sends(request, bytes, known);
    else receives(request, bytes, known);
    this.#continued(request);
  }

  #ended(stream: number): void {
    const request = this.#streams.get(stream);
    this.#continued(request);
    if (request && this.#present?.direction !== request.direction) this.#streams.delete(stream);
  }

  #continued(request: HttpEvent | undefined): void {
    if (request && this.#present && this.#present.direction !== request.direction)
      continues(request, this.#present);
  }
}
