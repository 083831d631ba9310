import { connect, isIPv6, type NetConnectOpts, type Socket } from 'node:net';
import { StrobeError } from '../../model/errors.ts';
import type { ChannelMessage, ChannelTarget, Sent } from './channel.ts';

const CONNECT_MS = 2000;
/** Silence after which a reply is taken to be whole. */
const QUIET_MS = 300;
const REPLY_MS = 5000;
const MOST_REPLY = 65_536;

/** Sends to a server of this machine and reads what it answers. */
export async function sendTo(
  { bytes, to, eof }: ChannelMessage,
  _target: ChannelTarget,
  signal: AbortSignal,
): Promise<Sent> {
  const socket = connect(addressOf(to));
  try {
    await connected(socket, to ?? '', signal);
    if (eof) socket.end(bytes);
    else socket.write(bytes);
    const reply = await replyOf(socket, signal);
    return { text: `sent to ${to}`, reply };
  } finally {
    socket.destroy();
  }
}

function addressOf(to: string | null): NetConnectOpts {
  if (to === null)
    throw new StrobeError(
      'BAD_PARAMETER',
      'channel net sends to an address: "to" is missing.',
      'Give "to": "127.0.0.1:8080", "[::1]:8080", "localhost:8080" or "unix:/path".',
    );
  if (to.startsWith('unix:')) return { path: to.slice('unix:'.length) };
  const [, name = '', digits = ''] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(to) ?? [];
  const port = Number(digits);
  const host = name === 'localhost' || name === '' ? '127.0.0.1' : name;
  const isLoopback = /^127(?:\.\d{1,3}){3}$/.test(host) || (isIPv6(host) && host === '::1');
  if (port < 1 || port > 65_535 || !isLoopback)
    throw new StrobeError(
      'BAD_PARAMETER',
      `"${to}" is no address of this machine.`,
      'Give "127.0.0.1:8080", "[::1]:8080", "localhost:8080" or "unix:/path"; Strobe reaches no other machine.',
    );
  return { host, port };
}

async function connected(socket: Socket, to: string, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string): void =>
      reject(
        new StrobeError(
          'BAD_PARAMETER',
          `No connection to ${to}: ${why}.`,
          'debug_channel {"action":"query","channel":"net","text":"listen"} shows where the program listens.',
        ),
      );
    socket.setTimeout(CONNECT_MS, () => fail(`no answer within ${CONNECT_MS} ms`));
    socket.once('connect', resolve);
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    signal.addEventListener('abort', () => reject(new StrobeError('CANCELLED', 'Cancelled.')), {
      once: true,
    });
  });
  socket.setTimeout(0);
}

async function replyOf(socket: Socket, signal: AbortSignal): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve) => {
    const whole = setTimeout(resolve, REPLY_MS);
    let quiet: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(whole);
      clearTimeout(quiet);
      resolve();
    };
    socket.on('data', (part) => {
      parts.push(Buffer.from(part));
      length += part.length;
      clearTimeout(quiet);
      if (length >= MOST_REPLY) end();
      else quiet = setTimeout(end, QUIET_MS);
    });
    socket.once('close', end);
    socket.once('error', end);
    signal.addEventListener('abort', end, { once: true });
  });
  return Buffer.concat(parts).subarray(0, MOST_REPLY);
}
