import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callsOf, type SeenCall } from '../support/calls.ts';
import { at, listAt } from '../support/read.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const { home, client } = withClient();

async function traced(options: Readonly<Record<string, unknown>> = {}) {
  const { sessionId, exit } = await runToEnd(client, home, buildTarget('e2e/secrets.c'), {
    patterns: ['login', 'readApiKey', 'parse'],
    ...options,
  });
  expect(exit).toEqual({ kind: 'exited', code: 0 });
  const calls = await callsOf(client, sessionId);
  const call = (name: string): SeenCall | undefined => calls.find((one) => one.function === name);
  return { sessionId, call };
}

/** Whether a text is anywhere in what is stored of a session. */
function isStored(sessionId: string, text: string): boolean {
  const folder = join(home.path, 'sessions', sessionId);
  return readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));
}

test('[security.redaction] neither answers nor files hold what looks like a secret', async () => {
  const { sessionId, call } = await traced();
  expect(call('login')?.arguments).toEqual({
    user: 'ada',
    password: '<redacted: named "password">',
    pinTries: 2,
  });
  expect(call('login')?.returns).toBe(18);
  expect(call('readApiKey')?.returns).toBe('<redacted: named "api key">');
  expect(call('parse')?.arguments).toEqual({ token: '{' });
  expect([isStored(sessionId, 'correct horse'), isStored(sessionId, 'K-4711')]).toEqual([
    false,
    false,
  ]);
  expect(isStored(sessionId, 'ada')).toBe(true);

  const tree = await client.ok('debug_query', { view: 'tree', sessionId });
  expect(tree.text).toContain('password=<redacted: named "password">');
  const wanted = { view: 'events', sessionId, argument: [{ name: 'password', contains: 'horse' }] };
  const refused = await client.refused('debug_query', wanted);
  expect(refused.text).toMatch(/BAD_PARAMETER: The argument "password" is not captured: redacted/);
  expect(refused.text).not.toContain('ada');
});

test('[security.redaction] a session can switch it off, a project can only add names', async () => {
  mkdirSync(join(home.project, '.strobe'));
  const file = join(home.project, '.strobe', 'settings.json');
  writeFileSync(file, '{"redaction.names": ["user"]}');
  const { call } = await traced();
  expect(call('login')?.arguments).toMatchObject({
    user: '<redacted: named "user">',
    password: '<redacted: named "password">',
  });
  const { call: open } = await traced({ redact: false });
  expect(open('login')?.arguments).toMatchObject({ user: 'ada', password: 'correct horse' });
  expect(open('readApiKey')?.returns).toBe('K-4711-hidden');
});

test('[security.redaction] neither conditions nor watches tell what it is', async () => {
  const when = async (condition: string, options = {}): Promise<string[]> => {
    const patterns = [{ pattern: 'login', when: condition }];
    const program = buildTarget('e2e/secrets.c');
    const { sessionId } = await runToEnd(client, home, program, { patterns, ...options });
    const calls = await callsOf(client, sessionId);
    return calls.map((call) => call.function);
  };
  const holds = ['password == "correct horse"', 'contains(args[1], "horse")'];
  const fails = ['password == "wrong horse"', 'contains(args[1], "mule")'];
  // A condition on a secret is left out: what is recorded is the same whether it holds or not.
  for (const condition of [...holds, ...fails]) {
    expect(await when(condition)).toEqual(['login']);
    const open = await when(condition, { redact: false });
    expect(open).toEqual(holds.includes(condition) ? ['login'] : []);
  }
  expect(await when('pinTries == 2')).toEqual(['login']);
  const projectRoot = home.project;
  const watches = { add: [{ expr: 'args[1]', on: 'login' }] };
  await client.ok('debug_trace', { pending: true, projectRoot, watches });
  const program = buildTarget('e2e/secrets.c');
  const { structured } = await launch(client, home, program, { patterns: ['login'] });
  expect(listAt(structured, 'hooks', 'activeWatches').map((watch) => at(watch, 'notes'))).toEqual([
    [expect.stringContaining('password looks like a secret')],
  ]);
});
