import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { listAt, textAt } from '../support/read.ts';
import { nodes } from '../support/nodes.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { home, client } = withClient();

const program = `
import http from 'node:http';
import http2 from 'node:http2';
import { once } from 'node:events';
function handle(request, response) { response.end('bread'); }
const answer = (request, response) => { request.resume(); request.on('end', () => handle(request, response)); };
const [server, server2] = [http.createServer(answer), http2.createServer(answer)];
for (const one of [server, server2]) await once(one.listen(0, '127.0.0.1'), 'listening');
const base = \`http://127.0.0.1:\${server.address().port}\`;
async function order(shelf) {
  const response = await fetch(\`\${base}/shelf/\${shelf}?token=abc\`, { method: 'POST', body: 'x' });
  return await response.text();
}
async function look(shelf) {
  const [response] = await once(http.get(\`\${base}/look/\${shelf}\`), 'response');
  return await new Promise((resolve) => response.on('data', (part) => resolve(String(part))));
}
async function stream(session) {
  const asked = session.request({ ':path': '/streamed' });
  const [part] = await once(asked, 'data');
  return String(part);
}
async function again(shelf) {
  const response = await fetch(\`http://127.0.0.1:\${closed.port}/again\`).catch(() => null);
  return response === null ? 'refused' : await response.text();
}
const [first] = await once(process.stdin, 'data');
console.log(String(first).trim(), await order(1), await look(1));
console.log(...(await Promise.all([order(2), look(2), order(3)])));
const probe = http.createServer(answer);
await once(probe.listen(0, '127.0.0.1'), 'listening');
const closed = probe.address();
await new Promise((resolve) => probe.close(resolve));
console.log(await again(1));
await once(probe.listen(closed.port, '127.0.0.1'), 'listening');
console.log(await again(2));
const session = http2.connect(\`http://127.0.0.1:\${server2.address().port}\`);
console.log(await stream(session));
process.exit(0);
`;

for (const { major, path } of nodes)
  itNeeds(
    'nodes',
    `[channel.asked] a request of Node ${major} shows the function that made it, also where its bytes go later`,
    async () => {
      const file = join(home.project, 'shop.mjs');
      writeFileSync(file, program);
      const launched = await client.ok('debug_launch', {
        projectRoot: home.project,
        command: path,
        args: [file],
        stdin: { text: 'go\n' },
        patterns: ['@net', 'shop.order', 'shop.look', 'shop.stream', 'shop.handle', 'shop.again'],
        waitFor: 'exit',
      });
      expect(launched.text).not.toContain('will be hooked when node:http');
      const sessionId = textAt(launched.structured, 'sessionId');
      const asked = { action: 'query', channel: 'net', sessionId, direction: 'out' };
      const { text } = await client.ok('debug_channel', asked);
      const causes = (method: string, place: string): string[] =>
        [
          ...text.matchAll(
            new RegExp(`→ ${method} ${place}\\S* .* by (shop\\.\\w+) (c[\\d.]+)`, 'g'),
          ),
        ].map(([, fn = '']) => fn);
      expect(causes('POST', '/shelf/\\d')).toEqual(['shop.order', 'shop.order', 'shop.order']);
      // Node 20 does not tell of requests of node:http, nor 22 of HTTP/2.
      if (major >= 22) expect(causes('GET', '/look/\\d')).toEqual(['shop.look', 'shop.look']);
      if (major >= 24) expect(causes('GET', '/streamed')).toEqual(['shop.stream']);
      expect(text).not.toContain('abc');
      const came = await client.ok('debug_channel', { ...asked, direction: 'in' });
      // Those of HTTP/1: an answer of HTTP/2 goes later.
      const answered = [...came.text.matchAll(/← [A-Z]+ \S+ .* by (\S+) c/g)].map(([, fn]) => fn);
      expect(answered).toEqual(Array.from({ length: 6 }, () => 'shop.handle'));
      // The first was refused.
      expect(text).toMatch(/\/again ← .* by shop\.again c[\d.]+$/m);
      const [, call = ''] = /shelf\/2\S* .* by shop\.order (c[\d.]+)/.exec(text) ?? [];
      const inside = await client.ok('debug_channel', { ...asked, within: call });
      expect(inside.text.match(/→ POST \S+/g)).toEqual(['→ POST /shelf/2?token=<redacted:']);
      const tree = await client.ok('debug_query', { view: 'tree', sessionId, root: call });
      expect(tree.text).toMatch(
        /node:http\.request\(method="POST", url="http:\/\/127\.0\.0\.1:\d+\/shelf\/2"\)/,
      );
      const alone = execFileSync(path, [file], { input: 'go\n', encoding: 'utf8' });
      const output = await client.ok('debug_query', { view: 'output', sessionId });
      const lines = listAt(output.structured, 'lines').map((one) => textAt(one, 'text'));
      expect(lines).toEqual(alone.trimEnd().split('\n'));
    },
  );
