import { connect, type Socket } from 'node:net';
import { StrobeError } from '../../model/errors.ts';
import type { ChannelMessage, ChannelTarget, Sent } from './channel.ts';
import { loopbackAddress } from './loopback.ts';

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
  const socket = connect(loopbackAddress(to));
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
