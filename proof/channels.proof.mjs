/*
 * Requests of programs that are not ours: curl (HTTP/1.1 and HTTP/2 over TLS, plain), Python's http.client and urllib,
 * Node's https and http. What channel `net` found (method, path, status, bytes) is what the server logged, nothing was
 * lost, and output is as untraced. `node proof/channels.proof.mjs 10000 plain`: so many requests of those whose names
 * hold the word.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';

const count = Number(process.argv[2] ?? 100);
const word = process.argv[3] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'sproof-'));
const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
const strobe = join(root, 'strobe');
const env = { ...process.env, STROBE_HOME: join(folder, 'home') };
const log = [];

function answer(request, response) {
  let sent = 0;
  request.on('data', (part) => (sent += part.length));
  request.on('end', () => {
    const body = JSON.stringify({ path: request.url, sent }).repeat(1 + (log.length % 40));
    log.push([request.method, request.url, 200, Buffer.byteLength(body)].join(' '));
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(body);
  });
}

async function ended(command, args) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (part) => (output += part));
  const [status] = await new Promise((resolve) => {
    child.on('close', (...how) => resolve(how));
  });
  return { output, status };
}

async function found() {
  const seen = [];
  for (let cursor = null; ;) {
    const more = cursor === null ? [] : ['--cursor', cursor];
    const asked = ['channel', 'query', 'net', '--limit', '500', '--budget', '50000', '--json'];
    const { output } = await ended(strobe, [...asked, ...more]);
    const page = JSON.parse(output);
    for (const one of page.events)
      if (one.method) seen.push([one.method, one.path, one.status, one.received].join(' '));
    cursor = page.cursor;
    if (cursor === null) return { seen, lost: await lostEvents() };
  }
}

async function lostEvents() {
  const { output } = await ended(strobe, ['query', 'stats', '--json']);
  return JSON.parse(output).counters.lost;
}

const python = (port) => `
import http.client, ssl
c = http.client.HTTPSConnection('127.0.0.1', ${port}, context=ssl._create_unverified_context())
for i in range(${count}):
    c.request('POST' if i % 3 == 0 else 'GET', f'/python/{i}', b'x' * i if i % 3 == 0 else None)
    print(len(c.getresponse().read()))
`;
const urllib = (port) => `
import ssl, urllib.request
for i in range(${count}):
    with urllib.request.urlopen(f'https://127.0.0.1:${port}/urllib/{i}', b'x' * i if i % 3 == 0 else None, context=ssl._create_unverified_context()) as answer:
        print(len(answer.read()))
`;
const node = (module, port) => `
import client from 'node:${module}';
const agent = new client.Agent({ keepAlive: true, maxSockets: 1 });
for (let i = 0; i < ${count}; i++)
  await new Promise((resolve) => {
    const method = i % 3 === 0 ? 'POST' : 'GET';
    const asked = client.request({ agent, host: '127.0.0.1', port: ${port}, path: '/node/' + i, method, rejectUnauthorized: false }, (response) => {
      let bytes = 0;
      response.on('data', (part) => (bytes += part.length));
      response.on('end', () => (console.log(bytes), resolve()));
    });
    asked.end(i % 3 === 0 ? 'x'.repeat(i) : undefined);
  });
agent.destroy();
`;

const rows = [];
let servers = [];
try {
  const made = `req -x509 -newkey rsa:2048 -nodes -keyout ${key} -out ${cert} -days 2 -subj /CN=localhost`;
  spawnSync('openssl', made.split(' '), { stdio: 'ignore' });
  servers = [
    http2.createSecureServer(
      { key: readFileSync(key), cert: readFileSync(cert), allowHTTP1: true },
      answer,
    ),
    http.createServer(answer),
  ];
  for (const server of servers)
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [tls, plain] = servers.map((server) => server.address().port);
  const script = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const urls = (base) =>
    script(
      `urls${base.slice(-5)}`,
      Array.from({ length: count }, (_, i) => `url = "${base}/curl/${i}"`).join('\n'),
    );
  const programs = {
    'curl HTTP/1.1 TLS': ['curl', '-sk', '--http1.1', '-K', urls(`https://127.0.0.1:${tls}`)],
    'curl HTTP/2 TLS': ['curl', '-sk', '--http2', '-K', urls(`https://127.0.0.1:${tls}`)],
    'curl plain': ['curl', '-s', '-K', urls(`http://127.0.0.1:${plain}`)],
    'Python http.client TLS': ['/usr/bin/python3', script('a.py', python(tls))],
    'Python urllib TLS': ['/usr/bin/python3', script('c.py', urllib(tls))],
    'Node https': [process.execPath, script('a.mjs', node('https', tls))],
    'Node http': [process.execPath, script('b.mjs', node('http', plain))],
  };
  for (const [name, command] of Object.entries(programs)) {
    if (!name.includes(word)) continue;
    log.length = 0;
    const alone = await ended(command[0], command.slice(1));
    const logged = log.splice(0);
    const traced = await ended(strobe, ['run', '-t', '@net', '--', ...command]);
    const { seen, lost } = await found();
    rows.push({
      program: name,
      requests: logged.length,
      equal: seen.filter((one, at) => one === log[at]).length,
      more: seen.length - log.length,
      lost,
      sameEnd: traced.status === alone.status && traced.output === alone.output,
    });
  }
} finally {
  for (const server of servers) {
    server.closeAllConnections?.();
    server.close();
  }
  spawnSync(strobe, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
}
const good = rows.filter(
  (row) => row.equal === count && row.more === 0 && row.lost === 0 && row.sameEnd,
).length;
const verdict = `${good} of ${rows.length} programs: each of ${count} requests found as the server logged it, 0 events lost, output as untraced`;
console.log(verdict);
console.table(rows);
recordRows('channels', verdict, rows);
if (good < rows.length) process.exitCode = 1;
