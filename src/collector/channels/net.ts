import { hookState } from './hookState.ts';
import { Proxies, proxyText } from './proxy/proxies.ts';
import { sendTo } from './sendTo.ts';
import type { Channel } from './channel.ts';

const pattern = '@net';
const proxies = new Proxies();

/** Sockets, by the functions of the C library, OpenSSL, GnuTLS, rustls and Go's net and crypto/tls that the program calls. */
export const net: Channel = {
  name: 'net',
  state(view) {
    const known = proxies.all.map((proxy) => `; ${proxyText(proxy)}`).join('');
    if (view.hooks.patterns.includes(pattern))
      return {
        kind: 'open',
        text: `${pattern} is hooked; send connects to a server on loopback${known}`,
      };
    return hookState(
      view,
      `connections and what they carry, plain also under OpenSSL, GnuTLS, rustls and Go's crypto/tls; not seen: static programs of other languages, io_uring${known}`,
    );
  },
  proxies,
  output: { kind: 'calls', channel: 'net', pattern },
  input: { takesAddress: true, send: sendTo },
};
