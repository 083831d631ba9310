import { hookState } from './hookState.ts';
import { sendTo } from './sendTo.ts';
import type { Channel } from './channel.ts';

const pattern = '@net';

/** Sockets, by the functions of the C library, OpenSSL and GnuTLS that the program calls. */
export const net: Channel = {
  name: 'net',
  state(view) {
    if (view.hooks.patterns.includes(pattern))
      return { kind: 'open', text: `${pattern} is hooked; send connects to a server on loopback` };
    return hookState(
      view,
      'connections and what they carry, plain also under OpenSSL and GnuTLS; not seen: Go, rustls, static programs, io_uring',
    );
  },
  output: { kind: 'calls', channel: 'net', pattern },
  input: { takesAddress: true, send: sendTo },
};
