import type { ChannelEvent, HttpExchange } from '../../../model/channels/channelEvent.ts';
import { shownBody, shownHeaders, shownPath } from './httpSecrets.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A request while its answer comes in. */
export type HttpEvent = Mutable<Omit<ChannelEvent, 'http'>> & {
  readonly http: Mutable<HttpExchange>;
};

/** Characters of a body that are kept. */
const MOST_BODY = 1000;
/** Neither compressed nor of another form. */
// eslint-disable-next-line no-control-regex
const isText = /^[^\0-\x08\x0e-\x1f\ufffd]*\ufffd?$/;

interface Asked {
  readonly method: string;
  readonly url: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** A request that begins in the bytes of `event`. */
export function beganRequest(event: ChannelEvent, { method, url, headers }: Asked): HttpEvent {
  const { call, time, pid, tid, threadName, channel, direction, connection, peer } = event;
  const { failure, times, until, tls, cause } = event;
  // Member by member: events that are spread cost ten times as much.
  return {
    call,
    time,
    durationNs: null,
    pid,
    tid,
    threadName,
    channel,
    direction,
    verb: method,
    connection,
    peer,
    bytes: null,
    data: null,
    failure,
    times,
    until,
    tls,
    cause,
    http: {
      method,
      path: shownPath(url),
      status: null,
      sent: 0,
      received: 0,
      contentType: null,
      headers: shownHeaders(headers),
      answerHeaders: [],
      body: '',
      answerBody: '',
    },
  };
}

/** A part of the request's body. */
export function sends({ http }: HttpEvent, bytes: number, known: Buffer): void {
  http.sent += bytes;
  http.body += beginning(http.body, known);
}

/** A part of the answer's body. */
export function receives({ http }: HttpEvent, bytes: number, known: Buffer): void {
  http.received += bytes;
  http.answerBody += beginning(http.answerBody, known);
}

function beginning(before: string, known: Buffer): string {
  return known.toString('utf8', 0, MOST_BODY - before.length);
}

/** As it is shown: data and bodies that are text, without secrets. */
export function withoutSecrets(event: ChannelEvent): ChannelEvent {
  const { data, http } = event;
  const isPlain = data?.kind === 'string' && data.binary === undefined;
  return {
    ...event,
    data: isPlain ? { ...data, text: shownBody(data.text) } : data,
    ...(http
      ? { http: { ...http, body: shownText(http.body), answerBody: shownText(http.answerBody) } }
      : {}),
  };
}

function shownText(body: string): string {
  return isText.test(body) ? shownBody(body) : '';
}

/** Its answer begins in the bytes of `event`, or one that comes before it (100). */
export function beganAnswer(
  request: HttpEvent,
  event: ChannelEvent,
  status: number | null,
  headers: readonly string[],
): void {
  const { http } = request;
  if (request.direction === 'in') request.answered = event.call;
  http.status = status;
  http.answerHeaders = shownHeaders(headers);
  http.contentType = headerOf(headers, 'content-type')?.split(';')[0] ?? null;
}

/** What of the answer came last. */
export function continues(request: HttpEvent, { time }: ChannelEvent): void {
  request.until = time;
  request.durationNs = time - request.time;
}

function headerOf(headers: readonly string[], name: string): string | undefined {
  const at = headers.findIndex((one, i) => i % 2 === 0 && one.toLowerCase() === name);
  return at < 0 ? undefined : headers[at + 1];
}
