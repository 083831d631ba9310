import http2 from 'node:http2';
import net from 'node:net';
import { expect, test } from 'vitest';
import { HttpConnection } from '../../../src/db/reader/channels/httpConnection.ts';
import type { ChannelEvent } from '../../../src/model/channels/channelEvent.ts';
import { callId } from '../../../src/model/ids.ts';

interface Part {
  readonly direction: 'in' | 'out';
  readonly bytes: Buffer;
}

/** What Node's own client and server say to each other. */
async function spoken(paths: readonly string[]): Promise<Part[]> {
  const parts: Part[] = [];
  const server = http2.createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(request.url === '/none' ? 404 : 200, {
        'content-type': 'text/plain; charset=utf-8',
        'set-cookie': 'id=s3cret',
      });
      response.end(request.url.repeat(3000));
    });
  });
  const proxy = net.createServer((socket) => {
    const far = net.connect(portOf(server), '127.0.0.1');
    socket.on('data', (bytes) => (parts.push({ direction: 'out', bytes }), far.write(bytes)));
    far.on('data', (bytes) => (parts.push({ direction: 'in', bytes }), socket.write(bytes)));
    socket.on('close', () => far.destroy());
  });
  for (const one of [server, proxy])
    await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  const client = http2.connect(`http://127.0.0.1:${portOf(proxy)}`);
  try {
    for (const path of paths)
      await new Promise<void>((resolve, reject) => {
        const request = client.request({
          ':path': path,
          ':method': path === '/sent' ? 'POST' : 'GET',
          'x-api-key': 't0p',
          accept: '*/*',
        });
        request.on('error', reject).on('end', resolve).resume();
        request.end(path === '/sent' ? 'x'.repeat(5000) : undefined);
      });
  } finally {
    client.destroy();
    proxy.close();
    server.close();
  }
  return parts;
}

function portOf(server: { address(): net.AddressInfo | string | null }): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function eventOf({ direction, bytes }: Part, at: number, captured: number): ChannelEvent {
  const known = bytes.subarray(0, captured);
  return {
    call: callId(1, at),
    time: at * 10,
    durationNs: 1,
    pid: 1,
    tid: 1,
    threadName: 'main',
    channel: 'net',
    direction,
    verb: 'send',
    connection: 1,
    peer: null,
    bytes: bytes.length,
    data: {
      kind: 'string',
      text: '',
      binary: { hex: known.toString('hex'), total: bytes.length },
      truncated: known.length < bytes.length,
    },
    failure: null,
    times: 1,
    until: 0,
    tls: null,
    cause: null,
  };
}

function taken(parts: readonly Part[], { captured = 1_000_000, isJoined = false } = {}) {
  const connection = new HttpConnection(isJoined);
  for (const [at, part] of parts.entries()) connection.take(eventOf(part, at, captured));
  const ended = connection.ended(true);
  return {
    connection,
    first: ended[0],
    requests: ended.map(({ direction, http }) => [
      direction,
      http.method,
      http.path,
      http.status,
      http.sent,
      http.received,
    ]),
  };
}

test('[channel.http] requests of HTTP/2 have the status and bytes that client and server exchanged, and no secrets', async () => {
  const parts = await spoken(['/a?token=t0p', '/sent', '/none']);
  const { connection, first, requests } = taken(parts);
  expect(requests).toEqual([
    ['out', 'GET', '/a?token=<redacted: named "token">', 200, 0, 36_000],
    ['out', 'POST', '/sent', 200, 5000, 15_000],
    ['out', 'GET', '/none', 404, 0, 15_000],
  ]);
  expect(connection.isHttp2).toBe(true);
  expect(connection.undecoded).toBe(0);
  expect(first?.http.contentType).toBe('text/plain');
  expect(first?.http.headers).toContain('x-api-key: <redacted: named "api key">');
  expect(first?.http.answerHeaders).toContain('set-cookie: <redacted: named "cookie">');
});

test('[channel.http] a server sees the requests of HTTP/2 as coming in, in pieces as small as they come', async () => {
  const parts = await spoken(['/a', '/b']);
  const pieces = parts.flatMap(({ direction, bytes }) =>
    Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => ({
      direction: direction === 'in' ? ('out' as const) : ('in' as const),
      bytes: bytes.subarray(at * 7, at * 7 + 7),
    })),
  );
  // The first part says which protocol it is.
  const [preface] = parts;
  const isPreface = preface?.direction === 'out';
  expect(isPreface).toBe(true);
  const whole = { direction: 'in' as const, bytes: preface?.bytes ?? Buffer.alloc(0) };
  const rest = pieces.slice(Math.ceil(whole.bytes.length / 7));
  expect(taken([whole, ...rest]).requests).toEqual([
    ['in', 'GET', '/a', 200, 0, 6000],
    ['in', 'GET', '/b', 200, 0, 6000],
  ]);
});

test('[channel.http] an HTTP/2 connection joined in the middle, or not captured whole, counts what it cannot decode', async () => {
  const parts = await spoken(['/a', '/b']);
  const late = taken(parts.slice(4), { isJoined: true });
  expect(late.requests).toEqual([]);
  expect(late.connection.undecoded).toBe(
    parts.slice(4).reduce((sum, { bytes }) => sum + bytes.length, 0),
  );
  const short = taken(parts, { captured: 30 });
  expect(short.connection.undecoded).toBeGreaterThan(0);
});
