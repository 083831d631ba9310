import { hookState } from './hookState.ts';
import { Proxies, proxyText } from './proxy/proxies.ts';
import { sendTo } from './sendTo.ts';
import type { Channel } from './channel.ts';

const pattern = '@net';
const proxies = new Proxies();

/** Sockets, by the functions of the C library, OpenSSL and GnuTLS that the program calls. */
export const net: Channel = {
  name: 'net',
  state(view) {
    const known = proxies.all.map((proxy) => `; ${proxyText(proxy)}`).join('');
    if (view.hooks.patterns.includes(pattern)) {
      const text = `${pattern} is hooked; send connects to a server on loopback${known}`;
      return { kind: 'open', text };
    }
    return hookState(
      view,
      `connections and what they carry, plain also under OpenSSL and GnuTLS; not seen: Go, rustls, static programs, io_uring (what a static program of Go sends: patterns crypto/tls.(*Conn).Write, net.(*conn).Write)${known}`,
    );
  },
  proxies,
  output: { kind: 'calls', channel: 'net', pattern },
  input: { takesAddress: true, send: sendTo },
};
