import type { ChannelEvent } from '../../../model/channels/channelEvent.ts';
import type { CallId } from '../../../model/ids.ts';
import type { CallView } from '../../../model/questions/query.ts';
import { textOf } from './callValues.ts';

/** Of one process and address, with the same method and path. */
const MOST_ASKED = 1000;

/** Which call made a request whose bytes went later (`askedRequest`). */
export class AskedRequests {
  /** Those that did not go yet, the oldest first. */
  readonly #asked = new Map<string, CallId[]>();

  ask(call: CallView): void {
    const [method, url] = [textOf(call, 'method'), textOf(call, 'url')];
    const [, host = '', path = ''] = /^\w+:\/\/([^/]*)(.*)$/.exec(url ?? '') ?? [];
    if (method === null || host === '') return;
    const key = keyOf(call.pid, method, host, path);
    const waiting = this.#asked.get(key) ?? [];
    if (waiting.length < MOST_ASKED) waiting.push(call.id);
    this.#asked.set(key, waiting);
  }

  /** What goes to an address that refuses is not sent. */
  refused(pid: number, peer: string): void {
    for (const key of this.#asked.keys())
      if (key.startsWith(`${pid} ${peer} `)) this.#asked.delete(key);
  }

  /** The call that made a request; null: none, or one of several alike, of which some may have failed unseen. */
  take({ pid, direction, http }: ChannelEvent): CallId | null {
    if (direction !== 'out' || !http || this.#asked.size === 0) return null;
    const host = http.headers.find((line) => /^(?:host|:authority): /i.test(line));
    const [path = ''] = http.path.split('?', 1);
    const key = keyOf(pid, http.method, host?.replace(/^[^ ]* /, '') ?? '', path);
    const [first = null, ...others] = this.#asked.get(key) ?? [];
    this.#asked.delete(key);
    return others.length === 0 ? first : null;
  }
}

function keyOf(pid: number, method: string, host: string, path: string): string {
  return `${pid} ${host} ${method} ${path}`;
}
