/** The library functions by which a channel is seen, and which `@net` and `@file` mean in patterns. */
export interface ChannelFunctions {
  /** A library as patterns name it. */
  readonly module: string;
  readonly names: ReadonlySet<string>;
  /** Those that count in a program itself, as well: of libraries that it is linked with, and of Go. */
  readonly inProgram: ReadonlySet<string>;
  /** A program that calls one of these itself uses the channel; empty: all programs do. */
  readonly telling: ReadonlySet<string>;
}

const both = `read write readv writev sendfile sendfile64 close dup dup2 dup3`;

/** libuv closes by no function of the C library. */
const uv = `uv__close uv__close_nocheckstdio uv__close_nocancel`;

const tls = `SSL_connect SSL_accept SSL_do_handshake SSL_shutdown SSL_set_fd
  SSL_write SSL_read SSL_write_ex SSL_read_ex
  gnutls_handshake gnutls_record_send gnutls_record_recv`;

/** Go calls the system itself, and has a TLS of its own. */
const go = `net.(*sysDialer).dialSingle net.(*netFD).accept net.(*netFD).Close
  net.(*netFD).listenStream net.(*netFD).listenDatagram net.(*netFD).Read net.(*netFD).Write
  net.(*netFD).readFrom net.(*netFD).readFromInet4 net.(*netFD).readFromInet6
  net.(*netFD).readMsg net.(*netFD).readMsgInet4 net.(*netFD).readMsgInet6
  net.(*netFD).writeTo net.(*netFD).writeToInet4 net.(*netFD).writeToInet6
  net.(*netFD).writeMsg net.(*netFD).writeMsgInet4 net.(*netFD).writeMsgInet6
  internal/poll.SendFile internal/poll.Splice crypto/tls.(*Conn).Read crypto/tls.(*Conn).Write`;

/** What rustls is given and gives; how names are mangled decides what stands for its types. */
const rustls = [
  'T',
  'rustls::client::client_conn::ClientConnectionData',
  'rustls::server::server_conn::ServerConnectionData',
]
  .map((data) => `<rustls::conn::ConnectionCommon<${data}> as rustls::conn::`)
  .flatMap((connection) =>
    ['', 'connection::'].map((folder) => `${connection}${folder}PlaintextSink>::`),
  )
  .flatMap((sink) => [`${sink}write`, `${sink}write_vectored`])
  .concat(
    ['rustls::common_state::CommonState', '<rustls::common_state::CommonState>'].map(
      (state) => `${state}::take_received_plaintext`,
    ),
  );

/**
 * Node tells of a request as it is made, while the call that makes it is open; its bytes go later, below no call. The
 * name of the call that stands for that; its arguments are `method` and `url`, without the query.
 */
export const askedRequest = 'node:http.request';

/** Its unit, which is no file. */
export const toldUnit = 'node:http';

const net = `socket socketpair connect bind listen accept accept4 shutdown getaddrinfo
  send recv sendto recvfrom sendmsg recvmsg getsockname getpeername getsockopt ${tls}`;

const file = `open open64 openat openat64 creat creat64 pread pread64 pwrite pwrite64
  ftruncate ftruncate64 truncate truncate64 fsync fdatasync rename renameat renameat2
  unlink unlinkat remove link symlink mkdir mkdirat rmdir chmod`;

const module = '{libc,libpthread,libssl,libgnutls,libuv,node,libnode}';

const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

export const channelFunctions = {
  net: {
    module,
    names: new Set([...names(`${net} ${both} ${uv} ${go} ${askedRequest}`), ...rustls]),
    inProgram: new Set([...names(`${tls} ${uv} ${go} ${askedRequest}`), ...rustls]),
    telling: names(net),
  },
  file: {
    module,
    names: names(`${file} ${both} ${uv}`),
    inProgram: names(uv),
    telling: new Set<string>(),
  },
} as const satisfies Readonly<Record<string, ChannelFunctions>>;

/** A channel whose events are calls of library functions. */
export type CallChannel = keyof typeof channelFunctions;

export const callChannels: readonly CallChannel[] = ['net', 'file'];

export function isCallChannel(name: string): name is CallChannel {
  return Object.hasOwn(channelFunctions, name);
}
