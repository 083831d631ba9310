import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { at, listAt } from '../support/read.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { home, client } = withClient();

function message(type: string, body: string): Buffer {
  const out = Buffer.alloc(5 + body.length);
  out.write(type, 0, 'latin1');
  out.writeInt32BE(out.length - 1, 1);
  out.write(body, 5, 'latin1');
  return out;
}

/** A server that answers each message as PostgreSQL does; returns its port. */
async function database(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('data', (part) =>
      socket.write(
        part[0] === 0x51
          ? Buffer.concat([message('D', 'bread'), message('C', 'SELECT 1\0'), message('Z', 'I')])
          : Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]),
      ),
    );
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('[channel.postgres] [channel.export] messages of PostgreSQL are named on channel net, and all that fits a query is written to a file', async () => {
  const program = buildTarget('e2e/asksDatabase.c', ['-O0']);
  const { sessionId, exit } = await runToEnd(client, home, program, {
    args: [String(await database())],
    patterns: ['@net'],
  });
  expect(exit).toMatchObject({ code: 0 });
  const asked = { sessionId, action: 'query', channel: 'net', text: 'select' };
  const { structured, text } = await client.ok('debug_channel', asked);
  const events = listAt(structured, 'events');
  const named = events
    .filter((one) => at(one, 'direction') === 'out')
    .map((one) => at(one, 'messages'));
  expect(named, text).toEqual([0, 1, 2].map((i) => [`Query "select ${i}"`]));
  expect(text).toContain('PostgreSQL');
  const path = join(home.project, 'net.jsonl');
  for (let times = 0; times < 2; times++) {
    const written = await client.ok('debug_channel', { ...asked, limit: 1, path });
    expect(written.text).toContain(`${events.length} events of channel net written to ${path}`);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const read = lines.map((line): unknown => JSON.parse(line));
    expect(read).toEqual(events.map((event): unknown => Object.assign({ channel: 'net' }, event)));
  }
  const other = join(home.project, 'other.txt');
  writeFileSync(other, 'kept');
  for (const [place, said] of [
    [other, /FILE_EXISTS/],
    ['/etc/strobe.jsonl', /outside the folders/],
  ] as const)
    expect((await client.refused('debug_channel', { ...asked, path: place })).text).toMatch(said);
});

test('[channel.export] lines of output are written as events of channel stdio', async () => {
  const { sessionId } = await launch(client, home, '/bin/echo', { args: ['bread'] });
  await client.ok('debug_session', { action: 'wait', sessionId, for: ['exit'] });
  const path = join(home.project, 'lines.jsonl');
  await client.ok('debug_channel', { sessionId, action: 'query', channel: 'stdio', path });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ channel: 'stdio', text: 'bread' });
});
