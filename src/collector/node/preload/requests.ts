/*
 * Which call makes a request: its bytes go later, when no call of the program is open any more. Node's diagnostics
 * channels tell of a request as it is made; that is recorded as a call of `askedRequest` (model/channels).
 */
import { subscribe } from 'node:diagnostics_channel';
import { toldUnit } from '../../../model/channels/channelFunctions.ts';
import { nodeFlag } from '../../../protocol/nodeTracer.ts';
import { hooksOf } from './calls.ts';
import { urlText } from './intrinsics.ts';
import { newModule } from './moduleRewriting.ts';
import { look, whenWanted } from './plans.ts';

type Tell = (method: unknown, origin: string, path: unknown) => void;

/** Of fetch and of the package undici. */
interface UndiciMessage {
  readonly request: { readonly method: unknown; readonly origin: unknown; readonly path: unknown };
}

/** Of node:http and node:https; Node 20 has no such channel. */
interface ClientMessage {
  readonly request: {
    readonly method: unknown;
    readonly protocol: unknown;
    readonly path: unknown;
    getHeader(name: string): unknown;
  };
}

/** Of node:http2, from Node 24 on. */
interface StreamMessage {
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Records requests once channel net is wanted. */
export function tellRequests(): void {
  whenWanted(toldUnit, () => {
    const tell = recorder();
    listen('undici:request:create', (message) => {
      const { method, origin, path } = (message as UndiciMessage).request;
      tell(method, typeof origin === 'string' ? origin : urlText(origin as URL), path);
    });
    listen('http.client.request.created', (message) => {
      const { request } = message as ClientMessage;
      const { method, protocol, path } = request;
      tell(method, `${String(protocol)}//${String(request.getHeader('host'))}`, path);
    });
    listen('http2.client.stream.created', (message) => {
      const { headers } = message as StreamMessage;
      const origin = `${String(headers[':scheme'])}://${String(headers[':authority'])}`;
      tell(headers[':method'], origin, headers[':path']);
    });
  });
}

function listen(channel: string, take: (message: unknown) => void): void {
  subscribe(channel, (message) => {
    try {
      take(message);
    } catch {
      // The request goes untold, as where Node does not tell of it.
    }
  });
}

function recorder(): Tell {
  const module = newModule(toldUnit, { functions: [{ offset: 0 }] });
  look(module);
  const { flags, enter, exit } = hooksOf(module);
  return (method, origin, path) => {
    if (flags[0] === nodeFlag.off) return;
    const [place = ''] = String(path).split('?', 1);
    const base = origin.endsWith('/') ? origin.slice(0, -1) : origin;
    exit(enter(0, method, `${base}${place}`), undefined);
  };
}
