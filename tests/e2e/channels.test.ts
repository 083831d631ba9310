import { programOn } from '../../src/base/paths.ts';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { linesOf } from '../support/calls.ts';
import { itNeeds, rustlsPath } from '../support/needs.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { launch, outputSeen, runToEnd } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { home, client } = withClient();

async function talking(options: Readonly<Record<string, unknown>> = {}) {
  const { sessionId } = await launch(client, home, buildTarget('e2e/talks.c', ['-O0', '-g']), {
    args: [home.project],
    stdin: 'open',
    ...options,
  });
  const { line } = await outputSeen(client, sessionId, 'listening');
  const channel = async (asked: object) => client.ok('debug_channel', { sessionId, ...asked });
  const refused = async (asked: object) => client.refused('debug_channel', { sessionId, ...asked });
  return {
    sessionId,
    port: Number(line.split(' ')[1]),
    channel,
    refused,
    say: async (word: string): Promise<void> => {
      await channel({ action: 'send', channel: 'stdio', text: `${word}\n` });
      await outputSeen(client, sessionId, `done ${word}`);
    },
    /** Without times and ids. */
    lines: async (asked: object): Promise<string[]> => {
      const { text } = await channel({ action: 'query', ...asked });
      return text.split('\n').map((one) =>
        one
          .replace(/^\+[\d.]+s (?:\[\S+\] )?/, '')
          .replace(/ c\d+\.\d+$/, '')
          .replace(/ in [\d.]+ \S+(?=  by)/, ''),
      );
    },
    stop: () => client.ok('debug_session', { action: 'stop', sessionId }),
  };
}

test('[channel.net] a channel opened while the program runs shows who sent what to whom, which call caused it, and failures folded', async () => {
  const { sessionId, port, channel, say, lines, stop } = await talking({
    patterns: ['fetch', 'refused'],
  });
  await say('fetch');
  expect((await channel({ action: 'query', channel: 'net' })).text).toContain('was not open');
  await channel({ action: 'open', channel: 'net' });
  await say('fetch');
  await say('refused');
  // Channels share read, write and close: those of the one do not make the other one that saw nothing.
  expect((await channel({ action: 'query', channel: 'file' })).text).toContain('was not open');
  const absent = await channel({ action: 'query', channel: 'net', connection: 99 });
  expect(absent.text).toMatch(/has no #99\.[\s\S]*"action":"query".* — shows each/);
  const seen = await lines({ channel: 'net' });
  expect(seen).toContainEqual(
    expect.stringMatching(new RegExp(`#\\d connect 127.0.0.1:${port}  by fetch`)),
  );
  expect(seen).toContainEqual(expect.stringMatching(/#\d → 13 bytes "ask for bread" {2}by fetch/));
  expect(seen).toContainEqual(expect.stringMatching(/#\d ← 13 bytes "ask for bread" {2}by fetch/));
  expect(seen).toContain('connect 127.0.0.1:1 FAILED ECONNREFUSED ×3  by refused');
  const sent = await channel({
    action: 'send',
    channel: 'net',
    to: `localhost:${port}`,
    text: 'hello',
  });
  expect(textAt(sent.structured, 'reply')).toBe('"hello"');
  const found = await channel({ action: 'query', channel: 'net', text: 'hello', direction: 'out' });
  expect(listAt(found.structured, 'events')).toMatchObject([
    { direction: 'out', bytes: 5, data: '"hello"', verb: 'write' },
  ]);
  expect(listAt(found.structured, 'connections')).toMatchObject([
    { accepted: true, sent: 5, received: 5 },
  ]);
  await channel({ action: 'close', channel: 'net' });
  await say('fetch');
  const after = await channel({ action: 'query', channel: 'net', text: 'bread', direction: 'out' });
  expect(at(after.structured, 'totalCount')).toBe(1);
  // The server waited in accept() when the channel was opened.
  expect(after.text).toContain('were opened before the channel was');
  expect((await client.ok('debug_session', { action: 'status', sessionId })).text).not.toContain(
    '@net',
  );
  await stop();
});

test('[channel.http] requests of HTTP/1 are one event each with method, path, status, bytes and cause; headers are shown without secrets', async () => {
  const { channel, say, lines, stop } = await talking({ patterns: ['@net', 'fetch'] });
  await say('browse');
  const seen = await lines({ channel: 'net', text: 'shelf' });
  expect(seen).toContainEqual(
    expect.stringMatching(/#1 → GET \/shelf\?id=7&token=<redacted: named "token"> ← 200 5 bytes/),
  );
  expect(seen).toContainEqual(expect.stringMatching(/#2 ← GET \/shelf/));
  const one = await channel({ action: 'query', channel: 'net', connection: 1, text: 'GET' });
  expect(listAt(one.structured, 'events')).toMatchObject([
    {
      verb: 'GET',
      status: 200,
      received: 5,
      causedByFunction: 'fetch',
      headers: ['Host: x', 'Authorization: <redacted: named "authorization">'],
      answerHeaders: ['Set-Cookie: <redacted: named "cookie">', 'Content-Length: 5'],
    },
  ]);
  expect(one.text).not.toContain('t0p');
  const raw = await channel({ action: 'query', channel: 'net', connection: 1, raw: true });
  expect(raw.text).toContain('"GET /shelf?id=7&token=t0p HTTP/1.1');
  await stop();
});

test('[channel.http] what a program only looks at (MSG_PEEK) counts once', async () => {
  const { channel, say, stop } = await talking({ patterns: ['@net'] });
  await say('peek');
  const { structured } = await channel({ action: 'query', channel: 'net', text: '/once' });
  const [request] = listAt(structured, 'events').filter((one) => at(one, 'direction') === 'out');
  expect(request).toMatchObject({ verb: 'GET', status: 200, received: 5 });
  const connection = at(request, 'connection');
  const all = await channel({ action: 'query', channel: 'net', connection });
  expect(listAt(all.structured, 'connections')).toMatchObject([
    {
      sent: 22,
      received: 'HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 5\r\n\r\nbread'.length,
    },
  ]);
  expect(all.text).not.toContain('undecodable');
  await stop();
});

test('[channel.late] a TLS library that comes while the program runs is hooked before the program calls it', async () => {
  const library = buildTarget('e2e/lateTlsLibrary.c', ['-shared', '-fPIC', '-g0'], 'libssl.so');
  const { sessionId } = await launch(client, home, buildTarget('e2e/lateTls.c', ['-O0']), {
    args: [library],
    patterns: ['@net'],
  });
  await client.ok('debug_session', { action: 'wait', sessionId, for: ['exit'] });
  const { structured } = await client.ok('debug_query', {
    view: 'events',
    sessionId,
    function: { equals: 'SSL_write' },
  });
  expect(listAt(structured, 'events').map((one) => at(one, 'returnValue'))).toEqual([
    10, 9, 8, 7, 6,
  ]);
  const net = await client.ok('debug_channel', { action: 'query', channel: 'net', sessionId });
  expect(net.text).toContain('"0123456789"');
});

test.each([
  ['dynamic', ['-g', '-O0']],
  ['static', ['-g', '-O0', '-static']],
])(
  '[channel.late] a TLS library that is linked into a %s program is seen there',
  async (name, flags) => {
    const program = buildTarget('e2e/linkedTls.c', flags, `linkedTls-${name}`);
    const { exit, sessionId } = await runToEnd(client, home, program, { patterns: ['@net'] });
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const net = await client.ok('debug_channel', { action: 'query', channel: 'net', sessionId });
    expect(net.text).toContain('→ 10 bytes "0123456789"');
    expect(net.text).toContain('← 5 bytes "fghij"');
    expect(net.text).toContain('← 7 bytes "fghijkl"');
  },
);

test('[channel.net] of a connection whose TLS is none that is known, the bytes that went are counted, and what to do is said', async () => {
  const program = buildTarget('e2e/ownTls.c', ['-g']);
  const { exit, sessionId } = await runToEnd(client, home, program, { patterns: ['@net'] });
  expect(exit).toEqual({ kind: 'exited', code: 0 });
  const asked = { sessionId, action: 'query', channel: 'net' };
  const { structured, text } = await client.ok('debug_channel', asked);
  const connections = listAt(structured, 'connections');
  expect(connections.map((one) => at(one, 'encrypted'))).toEqual([
    { sent: 17, received: 11 },
    { sent: 11, received: 9 },
  ]);
  expect(connections.map((one) => at(one, 'tls'))).toEqual(['not known', 'not known']);
  expect(text).toContain('its plain text is not seen: 17 bytes went out, 11 came in');
  expect(text).toMatch(/rustls[\s\S]*no strip/);
});

test('[channel.net] a TLS connection that is joined after its handshake is counted, not shown', async () => {
  const { channel, say, stop } = await talking();
  await say('mumble');
  await channel({ action: 'open', channel: 'net' });
  await say('mumble');
  const { structured, text } = await channel({ action: 'query', channel: 'net' });
  const tls = { tls: 'not known', joined: true, sent: 0, received: 0 };
  expect(listAt(structured, 'connections')).toMatchObject([
    { ...tls, encrypted: { sent: 10, received: 0 } },
    { ...tls, encrypted: { sent: 0, received: 10 } },
  ]);
  expect(text).toContain('began before the channel was opened');
  expect(text).not.toContain('hello');
  await stop();
});

test('[channel.net] a file that gets the number of a socket is no socket, also where the C library closed it in its own way', async () => {
  const { channel, say, stop } = await talking({ patterns: ['@net'] });
  await say('resolve');
  const { text } = await channel({ action: 'query', channel: 'net' });
  expect(text).toContain('getaddrinfo localhost');
  expect(text).not.toContain('no socket\\n');
  await stop();
});

test("[channel.net] what Strobe itself sends in a Node process is not shown as the program's", async () => {
  const script = join(home.project, 'quiet.mjs');
  writeFileSync(script, "console.log('quiet');\n");
  const { sessionId } = await runToEnd(client, home, process.execPath, {
    args: [script],
    patterns: ['@net', 'nothing'],
  });
  const { text } = await client.ok('debug_channel', { action: 'query', channel: 'net', sessionId });
  expect(text).toContain('Nothing that fits went through channel net.');
});

test('[channel.children] programs of the system that a script starts, and that use sockets, are seen on channel net', async () => {
  const { sessionId } = await launch(client, home, '/bin/sh', {
    args: ['-c', 'getent ahosts 127.0.0.1; cat /dev/null; true'],
    patterns: ['@net'],
  });
  await client.ok('debug_session', { action: 'wait', sessionId, for: ['exit'] });
  const net = await client.ok('debug_channel', { action: 'query', channel: 'net', sessionId });
  expect(net.text).toMatch(/getaddrinfo 127\.0\.0\.1 {2}by c/);
});

test('[channel.children] shells run untraced, also where the launched program becomes one, as a shim of pyenv does', async () => {
  const shim = ['bash', '-c', 'getent ahosts 127.0.0.1; (env bash -c "cat /dev/null"; true); true'];
  const { sessionId } = await launch(client, home, '/usr/bin/env', {
    args: shim,
    patterns: ['@net'],
  });
  await client.ok('debug_session', { action: 'wait', sessionId, for: ['exit'] });
  const { text } = await client.ok('debug_session', { action: 'status', sessionId });
  expect(text).toMatch(/getent.*hooked/);
  expect(text.match(/· \d+ hooked$/gm)).toHaveLength(1);
});

test('[channel.file] files that a program creates, writes, renames and removes are events; pages follow each other', async () => {
  const { sessionId, channel, say, lines, stop } = await talking({ patterns: ['@file', '@net'] });
  await say('keep');
  const seen = await lines({ channel: 'file', text: 'draft' });
  const path = `${home.project}/draft.txt`;
  expect(seen).toContainEqual(expect.stringMatching(/#\d+ create .*draft.txt/));
  expect(seen.find((one) => one.startsWith('rename'))).toContain(
    `${path} → ${home.project}/kept.txt`,
  );
  expect(seen).toContainEqual(expect.stringMatching(/#\d+ → 9 bytes "one line\\n"/));
  expect(await lines({ channel: 'file', text: 'kept' })).toContainEqual(
    expect.stringMatching(/^unlink .*kept.txt/),
  );
  expect(await lines({ channel: 'net', text: 'listen' })).toContainEqual(
    expect.stringMatching(/^listen 127.0.0.1:\d+/),
  );
  expect(existsSync(path)).toBe(false);
  const whole = await channel({ action: 'query', channel: 'file' });
  const pages: unknown[] = [];
  for (let cursor: unknown; cursor !== null && pages.length < 500;) {
    const page = await channel({
      action: 'query',
      channel: 'file',
      limit: 3,
      ...(cursor === undefined ? {} : { cursor }),
    });
    pages.push(...listAt(page.structured, 'events').map((event) => at(event, 'id')));
    cursor = at(page.structured, 'cursor');
  }
  expect(pages).toHaveLength(Number(at(whole.structured, 'totalCount')));
  expect(new Set(pages).size).toBe(pages.length);
  expect(sessionId).not.toBe('');
  await stop();
});

test('[channel.list] each channel is open, available, or says why not; wrong use says the next step', async () => {
  const { sessionId, channel, refused, say, stop } = await talking();
  const { structured, text } = await channel({ action: 'list' });
  const [canPlay, hasJack] = ['pulseaudio', 'jackd'].map(
    (program) => programOn(process.env['PATH'] ?? '', program) !== null,
  );
  expect(
    listAt(structured, 'channels').map((one) => [at(one, 'channel'), at(one, 'state')]),
  ).toEqual([
    ['stdio', 'open'],
    ['trace', 'available'],
    ['net', 'available'],
    ['file', 'available'],
    ['ui', 'unavailable'],
    ['page', 'unavailable'],
    ['serial', 'available'],
    ['audio', canPlay ? 'available' : 'unavailable'],
    ['midi', hasJack ? 'available' : 'unavailable'],
    ...['clipboard', 'dbus'].map((name) => [name, 'unavailable']),
  ]);
  expect(text).toContain('debug_channel {"action":"open","channel":"net"}');
  await say('word');
  const output = await channel({ action: 'query', channel: 'stdio', text: 'done' });
  expect(listAt(output.structured, 'events').map((one) => at(one, 'text'))).toEqual(['done word']);
  for (const [asked, said] of [
    [{ action: 'query', channel: 'nets' }, /no channel "nets"\. Did you mean "net"\?/],
    [{ action: 'open', channel: 'stdio' }, /always open/],
    [{ action: 'close', channel: 'net' }, /not open/],
    [{ action: 'send', channel: 'file', text: 'x' }, /no input[\s\S]*stdio, net/],
    [
      { action: 'send', channel: 'net', text: 'x' },
      /to an address, and none is given[\s\S]*Give "to": "127/,
    ],
    [
      { action: 'send', channel: 'net', text: 'x', to: '192.0.2.1:80' },
      /no address of this machine/,
    ],
    [{ action: 'send', channel: 'net', text: 'x', to: '127.0.0.1:1' }, /ECONNREFUSED/],
    [{ action: 'query', channel: 'stdio', connection: 1 }, /cannot be filtered by connection/],
    [{ action: 'query', channel: 'net', cursor: 'x' }, /not a cursor/],
    [{ action: 'send', channel: 'stdio' }, /nothing to send to channel stdio/],
    [{ action: 'query', channel: 'page' }, /CHANNEL_UNAVAILABLE[\s\S]*no Chromium/],
    [{ action: 'query', channel: 'serial' }, /not open\.[\s\S]*"action":"open"/],
  ] as const)
    expect((await refused(asked)).text).toMatch(said);
  const place = { env: home.env, cwd: home.project };
  const { stdout } = await runStrobe(place, ['channel', 'list', sessionId]);
  expect(stdout.toString()).toContain('strobe channel open net');
  expect(stdout.toString()).not.toMatch(/debug_|"action"|"ui"/);
  await stop();
  for (const [asked, said] of [
    [{ action: 'open', channel: 'net' }, /does not run[\s\S]*"patterns": \["@net", "@file"\]/],
    [{ action: 'send', channel: 'dbus', text: 'x' }, /no display of its own/],
    [{ action: 'send', channel: 'file', text: 'x' }, /no input/],
    [{ action: 'send', channel: 'stdio', text: 'x' }, /SESSION_ENDED/],
  ] as const)
    expect((await refused(asked)).text).toMatch(said);
});

itNeeds(
  'rustls',
  '[channel.rustls] requests of a client and a server with rustls are plain, with the call that caused them; without symbols their bytes are counted',
  async () => {
    const made =
      'req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=localhost -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE -outform der -keyout key.pem -out cert.der';
    for (const asked of [made, 'pkcs8 -topk8 -nocrypt -in key.pem -outform der -out key.der'])
      execFileSync('openssl', asked.split(' '), { cwd: home.project, stdio: 'ignore' });
    const args = ['cert.der', 'key.der'];
    const untraced = spawnSync(rustlsPath, args, { cwd: home.project, encoding: 'utf8' });
    expect(untraced.status).toBe(0);
    const traced = async (program: string, patterns: readonly string[]) => {
      const run = await runToEnd(client, home, program, { args, patterns });
      expect(run.exit).toEqual({ kind: 'exited', code: 0 });
      const lines = await linesOf(client, run.sessionId);
      expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
      const asked = { sessionId: run.sessionId, action: 'query', channel: 'net' };
      return client.ok('debug_channel', asked);
    };
    const { structured, text } = await traced(rustlsPath, ['@net', 'talks::fetch']);
    const shown = (direction: string): unknown[] =>
      listAt(structured, 'events').filter(
        (one) => at(one, 'method') !== undefined && at(one, 'direction') === direction,
      );
    const exchanges = [
      { method: 'GET', path: '/first', status: 200, received: 6 },
      { method: 'GET', path: '/large', status: 200, received: 100_000 },
      { method: 'GET', path: '/last', status: 200, received: 6 },
    ];
    const caused = exchanges.map((one) => ({ ...one, causedByFunction: 'talks::fetch' }));
    expect(shown('out')).toMatchObject(caused);
    expect(shown('in')).toMatchObject(exchanges);
    const connections = listAt(structured, 'connections');
    const tls = { tls: 'rustls', closed: true };
    expect(connections).toHaveLength(2);
    expect(connections).toContainEqual(
      expect.objectContaining({ ...tls, sent: 200, received: 100_209 }),
    );
    expect(connections).toContainEqual(
      expect.objectContaining({ ...tls, sent: 100_209, received: 200, accepted: true }),
    );
    expect(text).not.toMatch(/undecodable|t0p/);
    const stripped = `${home.project}/talks`;
    execFileSync('strip', ['-o', stripped, rustlsPath]);
    const bare = await traced(stripped, ['@net']);
    expect(bare.text).toContain('encrypted, its plain text is not seen');
    expect(bare.text).toContain('Keep the symbols');
  },
);

itNeeds(
  'go',
  '[channel.go] datagrams of a program of Go, a file that the kernel carries for it, and a port that is taken are shown',
  async () => {
    const program = buildTarget('e2e/datagrams.go', ['-tags', 'netgo,osusergo']);
    const file = join(home.project, 'sent');
    writeFileSync(file, 'x'.repeat(70_000));
    const untraced = spawnSync(program, [file], { encoding: 'utf8' });
    const patterns = ['@net', 'main.ask', 'main.tell'];
    const run = await runToEnd(client, home, program, { args: [file], patterns });
    expect(run.exit).toEqual({ kind: 'exited', code: 0 });
    const lines = await linesOf(client, run.sessionId);
    expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
    const { sessionId } = run;
    const asked = { sessionId, action: 'query', channel: 'net', raw: true };
    const { structured, text } = await client.ok('debug_channel', asked);
    const events = listAt(structured, 'events');
    const carried = events.filter((one) => at(one, 'direction') !== 'act');
    expect(carried.slice(0, 4)).toMatchObject([
      { direction: 'out', data: '"bread?"', causedByFunction: 'main.ask' },
      { direction: 'in', data: '"bread?"' },
      { direction: 'out', data: '"bread?yes"' },
      { direction: 'in', data: '"bread?yes"' },
    ]);
    const sent = carried.filter((one) => at(one, 'causedByFunction') === 'main.tell');
    expect(sent.map((one) => numberAt(one, 'bytes')).reduce((sum, bytes) => sum + bytes)).toBe(
      70_000,
    );
    expect(text).toMatch(/listen 127\.0\.0\.1:\d+ FAILED EADDRINUSE/);
    expect(text).not.toContain('its beginning was not seen');
  },
);

for (const [what, flags] of [
  ['alone', ['-tags', 'netgo,osusergo']],
  ['with C', ['-ldflags=-linkmode=external']],
] as const)
  itNeeds(
    'go',
    `[channel.go] a program of Go ${what} shows its connections, requests and answers, plain also under its own TLS, with the call that caused them`,
    async () => {
      const program = buildTarget('e2e/talks.go', flags);
      const untraced = spawnSync(program, { encoding: 'utf8' });
      const run = await runToEnd(client, home, program, { patterns: ['@net', 'main.fetch'] });
      expect(run.exit).toEqual({ kind: 'exited', code: 0 });
      const lines = await linesOf(client, run.sessionId);
      expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
      const channel = async (asked: object) =>
        client.ok('debug_channel', {
          sessionId: run.sessionId,
          action: 'query',
          channel: 'net',
          ...asked,
        });
      const { text, structured } = await channel({});
      const requests = listAt(structured, 'events').filter(
        (one) => at(one, 'method') !== undefined,
      );
      const shown = (direction: string): unknown[] =>
        requests.filter((one) => at(one, 'direction') === direction);
      const exchanges = [
        { path: '/plain', status: 200, received: 6 },
        { path: '/secret?token=<redacted: named "token">', status: 200, received: 17 },
        { path: '/stack', status: 200, received: 6 },
      ];
      expect(shown('out')).toMatchObject([
        { ...exchanges[0], causedByFunction: 'main.fetch' },
        { ...exchanges[1], causedByFunction: 'main.fetch' },
        exchanges[2],
      ]);
      expect(shown('in')).toMatchObject(exchanges);
      expect(text).toContain('connect 127.0.0.1:1 FAILED ECONNREFUSED');
      const encrypted = listAt(structured, 'connections').filter(
        (one) => at(one, 'tls') !== undefined,
      );
      expect(encrypted).toHaveLength(2);
      expect(encrypted).toContainEqual(
        expect.objectContaining({ tls: "Go's crypto/tls", sent: 86, received: 100, closed: true }),
      );
      expect(encrypted).toContainEqual(
        expect.objectContaining({
          tls: "Go's crypto/tls",
          sent: 100,
          received: 86,
          accepted: true,
        }),
      );
      const one = await channel({ connection: at(shown('out')[1], 'connection') });
      expect(one.text).toContain('> Authorization: <redacted: named "authorization">');
      expect(one.text).not.toContain('t0p');
    },
  );
