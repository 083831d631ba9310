import type { ChannelEvent, HttpExchange } from '../../../model/channels/channelEvent.ts';
import { shownHeaders, shownPath } from './httpSecrets.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A request while its answer comes in. */
export type HttpEvent = Mutable<Omit<ChannelEvent, 'http'>> & {
  readonly http: Mutable<HttpExchange>;
};

interface Asked {
  readonly method: string;
  readonly url: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** A request that begins in the bytes of `event`. */
export function beganRequest(event: ChannelEvent, { method, url, headers }: Asked): HttpEvent {
  return {
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
}

/** Its answer begins, or one that comes before it (100). */
export function beganAnswer(
  { http }: HttpEvent,
  status: number | null,
  headers: readonly string[],
): void {
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
