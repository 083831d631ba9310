import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { nodes } from '../support/nodes.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { home, client } = withClient();

const ofPython = `
import asyncio
async def answer(reader, writer):
    writer.write(await reader.read(5))
    await writer.drain()
    writer.close()
async def reach(port):
    try:
        reader, writer = await asyncio.open_connection('127.0.0.1', port)
    except OSError as error:
        return error.errno
    writer.write(b'bread')
    return await reader.read(5)
async def main():
    server = await asyncio.start_server(answer, '127.0.0.1', 0)
    port = server.sockets[0].getsockname()[1]
    print([await reach(one) for one in (port, 1, 1)])
asyncio.run(main())
`;

const ofNode = `
import net from 'node:net';
import fs from 'node:fs/promises';
import { once } from 'node:events';
const server = net.createServer((socket) => socket.pipe(socket));
await once(server.listen(0, '127.0.0.1'), 'listening');
function reach(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.end('bread'));
    socket.on('data', (part) => socket.on('close', () => resolve(String(part))));
    socket.on('error', ({ code }) => resolve(code));
  });
}
console.log(await reach(server.address().port), await reach(1), await reach(1));
server.close();
console.log((await fs.readFile(new URL(import.meta.url), 'utf8')).length > 100);
`;

async function shownOf(command: string, args: readonly string[], function_: string) {
  const run = await runToEnd(client, home, command, { args, patterns: ['@net', function_] });
  expect(run.exit).toEqual({ kind: 'exited', code: 0 });
  const { text, structured } = await client.ok('debug_channel', {
    sessionId: run.sessionId,
    action: 'query',
    channel: 'net',
  });
  return { text, structured, sessionId: run.sessionId };
}

function expectOneServed({ text, structured }: { text: string; structured: unknown }): void {
  const connections = listAt(structured, 'connections');
  const carried = connections.filter((one) => at(one, 'sent') === 5);
  expect(carried).toHaveLength(2);
  for (const one of carried) expect(one).toMatchObject({ received: 5, closed: true });
  const accepted = carried.filter((one) => at(one, 'accepted') === true);
  expect(accepted.map((one) => textAt(one, 'peer'))).toEqual([
    expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  ]);
  expect(text).toMatch(/connect 127\.0\.0\.1:1 FAILED ECONNREFUSED ×2 in /);
}

test('[channel.net] a program of asyncio shows which connections were refused, and no calls of the tracer', async () => {
  const file = join(home.project, 'reach.py');
  writeFileSync(file, ofPython);
  const shown = await shownOf('python3', [file], 'reach.reach');
  expectOneServed(shown);
  const { sessionId } = shown;
  const tree = await client.ok('debug_query', { view: 'tree', sessionId, budget: 4800 });
  expect(tree.text).not.toContain('writev');
});

for (const { major, path } of nodes)
  itNeeds(
    'nodes',
    `[channel.net] a program of Node ${major} shows which connections were refused and closed, who was accepted, and no calls of the tracer`,
    async () => {
      const file = join(home.project, 'reach.mjs');
      writeFileSync(file, ofNode);
      const shown = await shownOf(path, [file], 'reach.reach');
      expectOneServed(shown);
      expect(textAt(shown, 'text')).not.toContain('import net from');
      const { sessionId } = shown;
      const connects = { view: 'events', sessionId, function: { equals: 'connect' } };
      const { text } = await client.ok('debug_query', connects);
      expect(text).toContain('127.0.0.1:1');
      expect(text).not.toContain('unix:');
    },
  );
