import { expect, test, vi } from 'vitest';
import { launch } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { home, client } = withClient();

const functions = [
  'socket',
  'connect',
  'send',
  'recv',
  'read',
  'open',
  'close',
  'writev',
  'readv',
  'sendmsg',
  'recvmsg',
];

test('[values.library] functions of the C library show what their manual pages say: what was sent and received, addresses, flags, the name of an error', async () => {
  const { sessionId } = await launch(client, home, buildTarget('e2e/channels.c', ['-O1']), {
    patterns: functions.map((name) => `libc.so.6!${name}`),
    waitFor: 'exit',
  });
  const { text } = await client.ok('debug_query', { sessionId, view: 'tree', order: 'calls' });
  const calls = text.split('\n').map((line) => line.trim().replace(/ {2}[\d.]+ [nµm]?s .*$/, ''));
  for (const call of [
    'send(fd=3, data="hello world", length=11, flags=0) = 11',
    'recv(fd=4, room=64, flags=0) = "hello world"',
    'send(fd=4, data="hello world", length=11, flags=MSG_NOSIGNAL) = 11',
    'writev(fd=3, data="two parts", count=2) = 9',
    'recvmsg(fd=4, flags=0) = "two parts"',
    'sendmsg(fd=4, data="two parts", flags=0) = 9',
    'readv(fd=3, count=2) = "two parts"',
    'connect(fd=5, address=127.0.0.1:1, length=16) = -1 ECONNREFUSED',
    'open(path="/nowhere/at/all", flags=O_RDWR|O_CREAT|O_TRUNC) = -1 ENOENT',
    'connect(fd=5, address=[::1]:1, length=28) = -1 ECONNREFUSED',
    'connect(fd=6, address=unix:/nowhere/none.sock, length=110) = -1 ENOENT',
    'read(fd=7, room=5) = -1 EAGAIN',
    'read(fd=7, room=5) = ""',
  ])
    expect(calls).toContain(call);
  const failed = await client.ok('debug_query', {
    sessionId,
    view: 'events',
    where: 'return == -1',
    function: { equals: 'connect' },
  });
  expect(failed.text.match(/ECONNREFUSED|ENOENT/g)).toHaveLength(3);
});
