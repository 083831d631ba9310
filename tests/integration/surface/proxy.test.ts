import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openHome, type TestHome } from '../../support/home.ts';
import { partsOf } from '../../support/parts.ts';
import { until } from '../../support/processes.ts';
import { at, listAt, textAt } from '../../support/read.ts';
import { runProgram } from '../../support/strobe.ts';
import { installStandIn, type StandInInstall } from './standInInstall.ts';
import { Wire } from './wire.ts';

let install: StandInInstall;
let home: TestHome;
beforeAll(async () => {
  install = await installStandIn();
});
afterAll(() => install.close());
beforeEach(() => {
  home = openHome();
});
afterEach(async () => {
  await runProgram({ env: home.env, cwd: home.project }, [
    process.execPath,
    install.client,
    'daemon',
    'stop',
  ]);
  await home.close();
});

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function wire(): Wire {
  const client = new Wire(install.client, home.env, home.project);
  home.onClose(async () => void (await client.close()));
  return client;
}

function textOf(answer: unknown): string {
  return textAt(listAt(at(answer, 'result'), 'content')[0], 'text');
}

const launch = { command: 'app', projectRoot: '/' };

test('[mcp.manifest] handshake, tool list and ping need no daemon', async () => {
  const client = wire();
  const hello = at(await client.initialize(1), 'result');
  expect(at(hello, 'protocolVersion')).toBe('2025-06-18');
  expect(textAt(hello, 'instructions')).toMatch(/^Strobe shows what a program really does/);
  client.send({ id: 2, method: 'tools/list' });
  const names = listAt(at(await client.answer(2), 'result'), 'tools').map((tool) =>
    textAt(tool, 'name'),
  );
  expect(names).toEqual([
    'debug_launch',
    'debug_session',
    'debug_trace',
    'debug_query',
    'debug_test',
    'debug_breakpoint',
    'debug_continue',
    'debug_inspect',
    'debug_memory',
    'debug_channel',
    'debug_ui',
  ]);
  client.send({ id: 3, method: 'ping' });
  expect(at(await client.answer(3), 'result')).toEqual({});
  expect(existsSync(join(home.path, 'daemon.sock'))).toBe(false);
  expect(await client.close()).toBe(0);
});

test('[mcp.manifest] the 2026 revision is discovered without a daemon', async () => {
  const client = wire();
  client.send({ id: 1, method: 'server/discover', params: { _meta: modern } });
  const found = at(await client.answer(1), 'result');
  expect(at(found, 'supportedVersions')).toEqual(['2026-07-28']);
  expect(at(found, 'resultType')).toBe('complete');
  client.send({ id: 2, method: 'tools/list', params: { _meta: modern } });
  expect(at(at(await client.answer(2), 'result'), 'cacheScope')).toBe('public');
  expect(existsSync(join(home.path, 'daemon.sock'))).toBe(false);
});

test('the daemon says the same as the manifest, in both eras', async () => {
  const client = wire();
  const told = await client.initialize(1);
  client.send({ id: 2, method: 'tools/list' });
  const listed = await client.answer(2);
  const daemonLine = async (params: object, method: string): Promise<unknown> => {
    // A revision the manifest does not know makes the proxy ask the daemon.
    const { connect } = await import('node:net');
    const socket = connect(join(home.path, 'daemon.sock'));
    const hello = {
      version: '0',
      clientId: 'direct',
      kind: 'mcp',
      structured: true,
      shown: 'both',
      cwd: '/',
      env: {},
      umask: 18,
      leader: null,
    };
    socket.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 'h', method: 'strobe/hello', params: hello })}\n`,
    );
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'q', method, params })}\n`);
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      const answer = text
        .split('\n')
        .slice(0, -1)
        .map((line): unknown => JSON.parse(line))
        .find((one) => at(one, 'id') === 'q');
      if (answer !== undefined) {
        socket.destroy();
        return at(answer, 'result');
      }
    }
    throw new Error('closed');
  };
  client.call(3, 'debug_launch', launch);
  await client.answer(3);
  const clientInfo = { name: 'wire', version: '1' };
  expect(
    await daemonLine({ protocolVersion: '2025-06-18', capabilities: {}, clientInfo }, 'initialize'),
  ).toEqual(at(told, 'result'));
  expect(await daemonLine({}, 'tools/list')).toEqual(at(listed, 'result'));
  client.send({ id: 4, method: 'server/discover', params: { _meta: modern } });
  expect(await daemonLine({ _meta: modern }, 'server/discover')).toEqual(
    at(await client.answer(4), 'result'),
  );
});

test('[mcp.each-era] one connection serves requests of both eras', async () => {
  const client = wire();
  await client.initialize(1);
  client.call(2, 'debug_launch', launch);
  expect(at(await client.answer(2), 'result', 'resultType')).toBeUndefined();
  client.call(3, 'debug_session', { action: 'list' }, modern);
  expect(at(await client.answer(3), 'result', 'resultType')).toBe('complete');
  client.send({ id: 4, method: 'tools/list', params: { _meta: modern } });
  expect(at(await client.answer(4), 'result', 'resultType')).toBe('complete');
  client.call(5, 'debug_session', { action: 'list' });
  expect(at(await client.answer(5), 'result', 'resultType')).toBeUndefined();
});

test('[mcp.each-era] a client that has spoken the 2026 revision may initialize, and one that asks for another revision is told which there are', async () => {
  const client = wire();
  client.send({ id: 1, method: 'server/discover' });
  expect(at(await client.answer(1), 'error', 'code')).toBe(-32602);
  client.call(2, 'debug_session', { action: 'list' }, modern);
  expect(at(await client.answer(2), 'result', 'resultType')).toBe('complete');
  const other = { ...modern, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' };
  client.call(3, 'debug_session', { action: 'list' }, other);
  expect(at(await client.answer(3), 'error')).toMatchObject({
    code: -32022,
    data: { supported: ['2026-07-28'], requested: '2027-01-01' },
  });
  await client.initialize(4);
  client.call(5, 'debug_session', { action: 'list' });
  expect(at(await client.answer(5), 'result', 'content')).toBeDefined();
});

test('[mcp.each-era] answers a 2026 client with an error when a request does not say its revision', async () => {
  const client = wire();
  client.send({ id: 1, method: 'server/discover', params: { _meta: modern } });
  await client.answer(1);
  client.send({ id: 2, method: 'tools/list' });
  expect(at(await client.answer(2), 'error', 'code')).toBe(-32602);
  client.call(3, 'debug_session', { action: 'list' }, modern);
  expect(at(await client.answer(3), 'result', 'resultType')).toBe('complete');
  client.send({ id: 4, method: 'resources/list' });
  expect(at(await client.answer(4), 'error', 'code')).toBe(-32602);
});

test('[mcp.refused] lines that are no requests are refused with the id they have, and the connection lives on', async () => {
  const client = wire();
  await client.initialize(1);
  for (const line of [
    '{',
    '[]',
    '7',
    'null',
    '{"id":"x"}',
    '{"id":101,"method":"tools/call","params":"x"}',
  ])
    client.child.stdin?.write(`${line}\n`);
  expect(at(await client.answer(101), 'error', 'code')).toBe(-32602);
  client.send({ id: 9, method: 'notifications/initialized' });
  expect(at(await client.answer(9), 'error', 'code')).toBe(-32601);
  client.send({ id: 10, method: 'tools/list', params: { cursor: 'bogus' } });
  expect(at(await client.answer(10), 'error', 'code')).toBe(-32602);
  client.send({ id: 11, method: 'resources/read', params: { uri: 'strobe://nothing' } });
  expect(at(await client.answer(11), 'error', 'data', 'uri')).toBe('strobe://nothing');
  client.send({ id: 12, method: 'ping' });
  expect(at(await client.answer(12), 'result')).toEqual({});
  const codes = client.received.flatMap((one) =>
    at(one, 'error') ? [at(one, 'error', 'code')] : [],
  );
  expect(codes).toEqual([-32700, -32600, -32600, -32600, -32600, -32602, -32601, -32602, -32602]);
  expect(client.received.filter((one) => at(one, 'id') === null)).toEqual([]);
});

test('[mcp.offers] prompts, resources and completions are listed and answered', async () => {
  const client = wire();
  await client.initialize(1);
  client.send({ id: 2, method: 'prompts/list' });
  const prompts = listAt(at(await client.answer(2), 'result'), 'prompts');
  expect(prompts.map((prompt) => at(prompt, 'name'))).toEqual([
    'find-the-bug',
    'why-slow',
    'why-crashed',
    'why-stuck',
    'explain-failing-test',
  ]);
  const wanted = { name: 'find-the-bug', arguments: { command: './shop', symptom: 'wrong total' } };
  client.send({ id: 3, method: 'prompts/get', params: wanted });
  const [message] = listAt(at(await client.answer(3), 'result'), 'messages');
  expect(at(message, 'content', 'text')).toContain('wrong total');
  client.send({ id: 4, method: 'prompts/get', params: { name: 'find-the-bug' } });
  expect(at(await client.answer(4), 'error', 'code')).toBe(-32602);
  client.send({ id: 5, method: 'resources/templates/list' });
  const templates = listAt(at(await client.answer(5), 'result'), 'resourceTemplates');
  expect(templates.map((one) => at(one, 'uriTemplate'))).toContain(
    'strobe://session/{sessionId}/crash',
  );
  const argument = { name: 'sessionId', value: 'x' };
  const ref = { type: 'ref/resource', uri: 'strobe://session/{sessionId}/crash' };
  client.send({ id: 6, method: 'completion/complete', params: { ref, argument } });
  expect(at(await client.answer(6), 'result', 'completion', 'values')).toEqual([]);
});

test('[mcp.links] the answer of a launch links its session', async () => {
  const client = wire();
  await client.initialize(1);
  client.call(2, 'debug_launch', launch);
  const link = listAt(at(await client.answer(2), 'result'), 'content').at(-1);
  expect(link).toMatchObject({ type: 'resource_link', name: 'session-status' });
  expect(textAt(link, 'uri')).toMatch(/^strobe:\/\/session\/app-[\w-]+\/status$/);
});

test('[mcp.progress] progress and answer of a call pass through', async () => {
  const client = wire();
  await client.initialize(1);
  client.call(2, 'debug_launch', { ...launch, args: ['a b', 'ä'] });
  expect(textOf(await client.answer(2))).toContain('with a b ä');
  client.call(3, 'debug_session', { action: 'wait', timeoutMs: 10 }, { progressToken: 'p1' });
  await client.answer(3);
  const steps = client.received
    .filter((one) => at(one, 'method') === 'notifications/progress')
    .map((one) => at(one, 'params'));
  expect(
    steps.map((step) => [at(step, 'progressToken'), at(step, 'progress'), at(step, 'message')]),
  ).toEqual([
    ['p1', 1, 'step 1 of 3'],
    ['p1', 2, 'step 2 of 3'],
    ['p1', 3, 'step 3 of 3'],
  ]);
});

test('a cancelled call stops in the daemon and is not answered', async () => {
  const client = wire();
  await client.initialize(1);
  client.call(2, 'debug_launch', launch);
  await client.answer(2);
  client.call(3, 'debug_session', { action: 'wait', timeoutMs: 50_000 }, { progressToken: 1 });
  await client.seen((message) => at(message, 'method') === 'notifications/progress');
  client.send({ method: 'notifications/cancelled', params: { requestId: 3 } });
  client.call(4, 'debug_session', { action: 'wait', timeoutMs: 0 });
  const after = at(at(await client.answer(4), 'result'), 'structuredContent');
  expect(listAt(after, 'nextSteps')).toEqual([expect.stringMatching(/^cancelled app-/)]);
  expect(client.received.some((message) => at(message, 'id') === 3)).toBe(false);
});

test('[bad.parameter] errors are results with code, hint and the nearest name', async () => {
  const client = wire();
  await client.initialize(1);
  client.call(2, 'debug_query', { fucntion: { equals: 'x' } });
  const result = at(await client.answer(2), 'result');
  expect(at(result, 'isError')).toBe(true);
  expect(at(at(result, 'structuredContent'), 'error')).toEqual({
    code: 'UNKNOWN_PARAMETER',
    kind: 'caller',
    message:
      '"fucntion" is not a parameter of debug_query with view "events". Did you mean "function"?',
    hint: 'Use "function".',
    retryable: false,
  });
  // JSON.stringify cannot write what JSON.parse has read.
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const call = `"method":"tools/call","params":{"name":"debug_query","arguments":{"argument":${deep}}}`;
  client.child.stdin?.write(`{"jsonrpc":"2.0","id":5,${call}}\n`);
  expect(textOf(await client.answer(5))).toMatch(/^BAD_PARAMETER: debug_query: argument/);
  client.call(3, 'debug_stop', {});
  expect(textOf(await client.answer(3))).toMatch(
    /^UNKNOWN_TOOL: .*\nNext: Use debug_session \{"action": "stop"\}\./,
  );
  client.call(4, 'debug_launch', { ...launch, command: 'fault' });
  const [, reference] =
    /^INTERNAL: Strobe failed \(reference ([0-9a-f]{8})\)/.exec(textOf(await client.answer(4))) ??
    [];
  const logged = readFileSync(join(home.path, 'daemon.log'), 'utf8')
    .split('\n')
    .find((line) => line.includes(reference ?? '-'));
  expect(logged).toContain('a fault of ours');
});

test('after the daemon was killed the call in flight fails and the next one is served', async () => {
  const client = wire();
  await client.initialize(1);
  client.call(2, 'debug_launch', launch);
  await client.answer(2);
  client.call(3, 'debug_session', { action: 'wait', timeoutMs: 50_000 }, { progressToken: 1 });
  await client.seen((message) => at(message, 'method') === 'notifications/progress');
  const [first] = partsOf(home, 'daemon');
  process.kill(first ?? 0, 'SIGKILL');
  const answer = await client.answer(3);
  const lost = at(answer, 'result');
  expect(at(lost, 'isError')).toBe(true);
  expect(at(at(at(lost, 'structuredContent'), 'error'), 'code')).toBe('DAEMON_UNREACHABLE');
  expect(textOf(answer)).toContain('The daemon ended before it had answered (SIGKILL).');
  client.call(4, 'debug_launch', { ...launch, command: 'again' });
  expect(textOf(await client.answer(4))).toMatch(/^launched again-/);
  expect(partsOf(home, 'daemon')).not.toContain(first);
});

test('[daemon.repeat] what changes nothing when it is asked twice, and a killed daemon left open, is asked once more, which is told', async () => {
  const client = wire();
  await client.initialize(1);
  client.call(2, 'debug_launch', launch);
  await client.answer(2);
  const [first] = partsOf(home, 'daemon');
  if (first === undefined) throw new Error('there is no daemon');
  process.kill(first, 'SIGSTOP');
  client.call(3, 'debug_trace', { add: ['x'] });
  client.call(5, 'debug_trace', { add: ['y'] });
  client.send({ method: 'notifications/cancelled', params: { requestId: 5 } });
  process.kill(first, 'SIGKILL');
  const answer = await client.answer(3);
  const notes = listAt(at(at(answer, 'result'), 'content')).map((part) => textAt(part, 'text'));
  expect(notes.at(-1)).toBe(
    '! The daemon ended (SIGKILL) before it had answered; another one was started and asked again.',
  );
  expect(partsOf(home, 'daemon')).not.toContain(first);
  client.call(6, 'debug_trace', { add: ['z'] });
  await client.answer(6);
  // Nobody waits for what was cancelled.
  expect(client.received.some((message) => at(message, 'id') === 5)).toBe(false);
});

test('[daemon.one] ten proxies that start at once share one daemon', async () => {
  const clients = Array.from({ length: 10 }, () => wire());
  await Promise.all(
    clients.map(async (client, number) => {
      await client.initialize(1);
      client.call(2, 'debug_launch', { ...launch, command: `app${number}` });
      expect(textOf(await client.answer(2))).toMatch(new RegExp(`^launched app${number}-`));
    }),
  );
  // One that was started beside it, where its starter took too long, ends by itself.
  await until('there is one daemon', () => partsOf(home, 'daemon').length === 1);
  const [one] = clients;
  one?.call(3, 'debug_session', { action: 'list', scope: 'all' });
  expect(at(at(at(await one?.answer(3), 'result'), 'structuredContent'), 'totalCount')).toBe(10);
  for (const client of clients) expect(await client.close()).toBe(0);
});

test('the end of stdin ends the proxy while a call runs, and its sessions', async () => {
  const client = wire();
  const other = wire();
  await Promise.all([client.initialize(1), other.initialize(1)]);
  client.call(2, 'debug_launch', launch);
  await client.answer(2);
  client.call(3, 'debug_session', { action: 'wait', timeoutMs: 50_000 }, { progressToken: 1 });
  await client.seen((message) => at(message, 'method') === 'notifications/progress');
  expect(await client.close()).toBe(0);
  let left: unknown = null;
  for (let id = 2; left !== 0; id++) {
    other.call(id, 'debug_session', { action: 'list', scope: 'all' });
    left = at(at(at(await other.answer(id), 'result'), 'structuredContent'), 'totalCount');
  }
  await other.close();
});

test('what is no message is answered as such, and nothing else breaks', async () => {
  const client = wire();
  client.child.stdin?.write('no json\n[]\n\n');
  client.child.stdin?.write(`{"x":"${'y'.repeat(17 << 20)}"}\n`);
  await client.initialize(1);
  const codes = client.received
    .filter((one) => at(one, 'error') !== undefined)
    .map((one) => at(at(one, 'error'), 'code'));
  expect(codes).toEqual([-32700, -32600, -32600]);
  client.send({ id: 2, method: 'tasks/list' });
  expect(at(at(await client.answer(2), 'error'), 'code')).toBe(-32601);
});

test('a client of a revision nobody knows is told which there are', async () => {
  const client = wire();
  const meta = { ...modern, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
  client.send({ id: 1, method: 'server/discover', params: { _meta: meta } });
  const { data } = { data: at(at(await client.answer(1), 'error'), 'data') };
  expect(at(data, 'supported')).toEqual(['2026-07-28']);
});

test('[daemon.idle] an idle daemon ends by itself and leaves nothing listening', async () => {
  home = { ...home, env: { ...home.env, STROBE_DAEMON_IDLE_MINUTES: '0.01' } };
  const client = wire();
  await client.initialize(1);
  client.call(2, 'debug_trace', { pending: true });
  await client.answer(2);
  expect(partsOf(home, 'daemon')).toHaveLength(1);
  await client.close();
  await until('the daemon has ended', () => partsOf(home, 'daemon').length === 0);
  expect(existsSync(join(home.path, 'daemon.sock'))).toBe(false);
});
