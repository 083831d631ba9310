import type { SessionView } from '../../model/session.ts';
import { hookState } from './hookState.ts';
import { Proxies, proxyText } from './proxy/proxies.ts';
import { sendTo } from './sendTo.ts';
import type { Channel } from './channel.ts';

const pattern = '@net';
const proxies = new Proxies();

/** Sockets, by the functions of the C library, OpenSSL, GnuTLS and Go's net and crypto/tls that the program calls. */
export const net: Channel = {
  name: 'net',
  state(view) {
    const known = proxies.all.map((proxy) => `; ${proxyText(proxy)}`).join('');
    if (view.hooks.patterns.includes(pattern)) {
      const unseen = unseenIn(view);
      const limit = unseen === null ? '' : `. ${unseen.replace(/\.$/, '')}`;
      const text = `${pattern} is hooked; send connects to a server on loopback${known}${limit}`;
      return { kind: 'open', text };
    }
    return hookState(
      view,
      `connections and what they carry, plain also under OpenSSL, GnuTLS and Go's crypto/tls; not seen: UDP and sendfile of Go, Go with cgo, plain text of rustls, static programs of other languages, io_uring${known}`,
    );
  },
  unseen: unseenIn,
  proxies,
  output: { kind: 'calls', channel: 'net', pattern },
  input: { takesAddress: true, send: sendTo },
};

/** Programs of Go that are linked with C are entered as those of C are. */
function unseenIn({ hooks, runtime }: SessionView): string | null {
  const isGo = hooks.leftOut > 0 && /\bGo\b/.test(runtime);
  return isGo && hooks.patterns.includes(pattern)
    ? "Sockets and TLS of this program's Go code are not seen, only those of its C code: it is linked with C (cgo). Build it with CGO_ENABLED=0 to see them."
    : null;
}
