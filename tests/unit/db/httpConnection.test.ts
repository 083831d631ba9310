import { expect, test } from 'vitest';
import { HttpConnection } from '../../../src/db/reader/channels/httpConnection.ts';
import { callId } from '../../../src/model/ids.ts';

/** Takes parts of a conversation; `total`: how many bytes there were, where not all were captured. */
function conversation(...parts: readonly (readonly ['in' | 'out', string, number?])[]) {
  const connection = new HttpConnection();
  for (const [at, [direction, text, total]] of parts.entries())
    connection.take({
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
      bytes: total ?? text.length,
      data: { kind: 'string', text, truncated: total !== undefined },
      failure: null,
      times: 1,
      until: 0,
      tls: null,
      cause: null,
    });
  const told = connection
    .ended(true)
    .map(({ direction, http, durationNs }) => [
      direction,
      http.method,
      http.path,
      http.status,
      http.sent,
      http.received,
      durationNs,
    ]);
  return { told, connection };
}

const get = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';

test('[channel.http] a message whose first byte is read by itself is one', () => {
  const { told, connection } = conversation(
    ['in', get],
    ['out', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['in', 'G'],
    ['in', get.slice(1).replace('/a', '/b')],
    ['out', 'H'],
    ['out', 'TTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno'],
  );
  expect(told.map((one) => one.slice(0, 6))).toEqual([
    ['in', 'GET', '/a', 204, 0, 0],
    ['in', 'GET', '/b', 404, 0, 2],
  ]);
  expect(connection.undecoded).toBe(0);
});

test('[channel.http] requests that follow each other, in pieces and pipelined, have their own answers', () => {
  const { told, connection } = conversation(
    ['out', 'POST /b HTTP/1.1\r\nContent-Le'],
    ['out', 'ngth: 3\r\n\r\nabc'],
    ['in', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['in', 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwxyz\r\n0\r\n\r\n'],
    ['out', get + get.replace('/a', '/c')],
    ['in', 'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno'],
    ['out', get.replace('GET', 'HEAD')],
    ['in', 'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n'],
  );
  expect(told.map((one) => one.slice(0, 6))).toEqual([
    ['out', 'POST', '/b', 201, 3, 4],
    ['out', 'GET', '/a', 204, 0, 0],
    ['out', 'GET', '/c', 404, 0, 2],
    ['out', 'HEAD', '/a', 200, 0, 0],
  ]);
  expect(connection.undecoded).toBe(0);
});

test('[channel.http] a body of which the beginning was captured has all its bytes, and the next request is found', () => {
  const { told } = conversation(
    ['in', get],
    ['out', 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nbegin', 50_043],
    ['out', 'more', 50_000],
    ['in', get.replace('/a', '/next')],
    ['out', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  );
  expect(told).toEqual([
    ['in', 'GET', '/a', 200, 0, 100_000, 20],
    ['in', 'GET', '/next', 200, 0, 0, 10],
  ]);
});

test('[channel.http] a connection that was joined in the middle is undecodable until a request begins; HTTP/2 is named', () => {
  const late = conversation(
    ['in', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['in', 'rest of something'],
    ['out', get],
    ['in', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'],
  );
  expect(late.connection.undecoded).toBe(57);
  expect(late.told).toEqual([['out', 'GET', '/a', 200, 0, 2, 10]]);
  const second = conversation(['out', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], ['in', 'x']);
  expect([second.told, second.connection.isHttp2]).toEqual([[], true]);
  expect(conversation(['out', 'HELO me\r\n'], ['in', '250 ok\r\n']).connection.isHttp).toBe(false);
});
