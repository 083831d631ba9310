import http from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listAt, textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';
import { launch } from '../support/runs.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { home, client } = withClient();
const server = http.createServer((request, response) => response.end(`all well ${request.url}`));
let to = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  to = `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const net = async (asked: object) => client.ok('debug_channel', { channel: 'net', ...asked });

/** Status and body, or the error of a request over a connection of its own. */
async function get(address: string, path = '/'): Promise<string> {
  return await new Promise((resolve) => {
    let body = '';
    http
      .get(`http://${address}${path}`, { agent: false }, (response) => {
        response.on('data', (part: Buffer) => (body += part.toString()));
        response.on('end', () => resolve(`${response.statusCode} ${body}`));
        response.on('error', (error) => resolve(error.message));
      })
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

test('[channel.faults] a port passes on to a server, and delays, cuts, resets or rewrites the answers that it was asked to', async () => {
  const opened = await net({ action: 'open', to });
  const address = textAt(opened.structured, 'address');
  expect(opened.text).toContain(`${address} passes on to ${to}`);
  expect(await get(address, '/a')).toBe('200 all well /a');
  await net({ action: 'send', to, fault: '2 reset' });
  await net({ action: 'send', to, fault: '3 cut 20' });
  expect(await get(address)).toBe('200 all well /');
  expect(await get(address)).toBe('ECONNRESET');
  expect(await get(address)).toBe('ECONNRESET');
  const rewritten = await net({ action: 'send', to, fault: '1 rewrite 200 OK→503 No' });
  expect(rewritten.text).toContain('to come: 1 rewrite 200 OK→503 No');
  expect(rewritten.text).toContain('done: 2 reset (answer 3), 3 cut 20 (answer 4)');
  expect(await get(address)).toBe('503 all well /');
  await net({ action: 'send', to, fault: '1 rewrite absent→seldom' });
  expect(await get(address)).toBe('200 all well /');
  const delayed = await net({ action: 'send', to, fault: '2 delay 400' });
  expect(delayed.text).toContain('1 rewrite 200 OK→503 No, replaced 1 times (answer 5)');
  expect(delayed.text).toContain('1 rewrite absent→seldom, replaced 0 times (answer 6)');
  expect(await get(address)).toBe('200 all well /');
  const before = process.hrtime.bigint();
  expect(await get(address)).toBe('200 all well /');
  expect(Number(process.hrtime.bigint() - before) / 1e6).toBeGreaterThanOrEqual(399);
  await net({ action: 'send', to, fault: 'reset' });
  expect(await get(address)).toBe('ECONNRESET');
  await net({ action: 'send', to, fault: 'none' });
  expect(await get(address)).toBe('200 all well /');
  await net({ action: 'close', to });
  expect(await get(address)).toBe('ECONNREFUSED');
});

test('[channel.faults] a program gets the late answer of a port it was launched with, and the channel says so', async () => {
  const opened = await net({ action: 'open', to });
  const address = textAt(opened.structured, 'address');
  await net({ action: 'send', to, fault: '2 delay 100' });
  const script = `
    const get = (path) => new Promise((done) => require('node:http').get('http://${address}' + path, (answer) => answer.on('end', done).resume()));
    get('/one').then(() => get('/two'));
  `;
  const { sessionId } = await launch(client, home, process.execPath, {
    args: ['-e', script],
    patterns: ['@net'],
  });
  await client.ok('debug_session', { action: 'wait', sessionId, for: ['exit'], timeoutMs: 50_000 });
  const { text, structured } = await net({ action: 'query', sessionId, text: 'GET' });
  expect(listAt(structured, 'notes')).toContainEqual(
    expect.stringMatching(new RegExp(`^answer 2 of ${to} at \\+[\\d.]+s: 2 delay 100$`)),
  );
  expect(text).toContain('GET /two');
  const listed = await client.ok('debug_channel', { action: 'list', sessionId });
  expect(listed.text).not.toContain('to come: 2 delay');
  await net({ action: 'close', to });
});

test('[channel.faults] [scenario.steps] in a scenario the third answer comes 2 s late, and what the program does then is asserted', async () => {
  const opened = await net({ action: 'open', to });
  const address = textAt(opened.structured, 'address');
  // It asks at each line, and gives up after a while.
  const script = `
    const http = require('node:http');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const asked = http.get('http://${address}/' + line, { agent: false, timeout: 1200 }, (answer) =>
        answer.resume().on('end', () => console.log('answered ' + line)));
      asked.on('timeout', () => asked.destroy(new Error('gave up')));
      asked.on('error', (error) => console.log(error.message + ' ' + line));
    });
  `;
  const { sessionId } = await launch(client, home, process.execPath, {
    args: ['-e', script],
    patterns: ['@net'],
    stdin: 'open',
  });
  const ask = (line: string, said: string) => [
    { do: 'send', on: 'stdio', text: `${line}\n` },
    { wait: { on: 'stdio', text: said }, withinMs: 20_000 },
  ];
  const ran = await client.ok('debug_channel', {
    action: 'run',
    sessionId,
    steps: [
      { do: 'send', on: 'net', to, fault: '3 delay 2000' },
      ...ask('one', 'answered one'),
      ...ask('two', 'answered two'),
      ...ask('three', 'gave up three'),
      ...ask('four', 'answered four'),
      { assert: { on: 'net', text: '/four' } },
    ],
  });
  expect(ran.text).toMatch(/^passed: 10 of 10 steps/);
  await net({ action: 'close', to });
  await client.ok('debug_session', { action: 'stop', sessionId });
});

test('[channel.faults] a fault that is none, or of no port, says what to do', async () => {
  const refused = async (asked: object) =>
    (await client.refused('debug_channel', { channel: 'net', action: 'send', ...asked })).text;
  expect(await refused({ to: '127.0.0.1:9', fault: 'reset' })).toMatch(
    /no proxy of "127.0.0.1:9"[\s\S]*"action":"open"/,
  );
  await net({ action: 'open', to });
  expect(await refused({ to, fault: '3 vanish' })).toMatch(/is no fault[\s\S]*3 delay 2000/);
  expect(await refused({ to, fault: 'rewrite a→bcd' })).toMatch(/same length/);
  expect(await refused({ to, fault: '1 delay 900000' })).toMatch(/is no fault/);
  expect(await refused({ to, fault: 'reset', text: 'x' })).toMatch(/not both/);
  expect(await refused({ channel: 'stdio', fault: 'reset' })).toMatch(/has no faults/);
  expect(
    (await client.refused('debug_channel', { action: 'open', channel: 'net', to: '10.0.0.1:80' }))
      .text,
  ).toMatch(/reaches no other machine/);
  await net({ action: 'close', to });
});
