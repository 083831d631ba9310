import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { pythons } from '../support/pythons.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { stopProgram } from '../support/stopProgram.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { home, client } = withClient();

const javaScript = `class Cart { constructor(n) { this.n = n; } get total() { return this.n * 2; } }
function put(cart) {
  return cart.n;
}
for (let n = 1; n <= 3; n++) put(new Cart(n));
`;

const python = `class Cart:
    def __init__(self, n):
        self.n = n

    @property
    def total(self):
        return self.n * 2


def put(cart):
    return cart.n


for n in range(1, 4):
    put(Cart(n))
`;

async function run(command: string, file: string, text: string): Promise<string> {
  const path = join(home.project, file);
  writeFileSync(path, text);
  const { structured } = await client.ok('debug_launch', {
    command,
    args: [path],
    projectRoot: home.project,
    patterns: [{ pattern: 'cart.put', when: 'cart.total > 100' }],
    breakpoints: [
      {
        file,
        statement: 'return cart.n',
        condition: 'cart.total > 100',
        log: '{cart.n} {cart.total}',
      },
    ],
    waitFor: 'exit',
  });
  const sessionId = textAt(structured, 'sessionId');
  const status = await client.ok('debug_session', { action: 'status', sessionId });
  const said = /What is asked of (.+?) cannot always be decided/g;
  const names = new Set([...status.text.matchAll(said)].map(([, name]) => name));
  expect(names).toEqual(new Set([`${file}: return cart.n`, 'cart.put']));
  const events = await client.ok('debug_query', { view: 'events', sessionId });
  expect(events.text.match(/cart\.put\(/g)).toHaveLength(3);
  return events.text;
}

itNeeds(
  'cpython',
  '[inside.undecided] what only code of a program could decide counts as met, and the answer says so',
  async () => {
    expect(await run(process.execPath, 'cart.mjs', javaScript)).toContain('3 <getter>');
    for (const { path } of pythons) await run(path, 'cart.py', python);
  },
);

test('[inside.undecided] a hit and a stop of native code say that their condition is not known', async () => {
  const program = buildTarget('e2e/missingNodes.c', ['-O0']);
  const { sessionId, place, say, seen, go, end } = await stopProgram(client, home, program);
  const here = { file: 'missingNodes.c', statement: 'sink += index' };
  await place(
    { ...here, condition: 'one->key == 4', log: 'visits {index}' },
    { ...here, condition: 'one->key == 5', log: 'five at {index}' },
    { ...here, invariant: 'one->key == 5' },
  );
  await say('go');
  await seen('visited');
  const hits = await client.ok('debug_query', { sessionId, eventType: ['logpoint'] });
  const unknown = '(its condition cannot be worked out: counts as met)';
  const lines = hits.text.split('\n').filter((line) => /[●✗]/.test(line));
  const said = lines.map((line) => line.replace(/^\S+ /, '').replace(/ {2}[/[].*/, ''));
  expect(said.filter((line) => line.includes('visits'))).toEqual(
    [0, 2].map((index) => `● missingNodes.c: sink += index  visits ${index}  ${unknown}`),
  );
  expect(said.filter((line) => line.includes('five'))).toEqual(
    [0, 1, 2, 3].map(
      (index) =>
        `● missingNodes.c: sink += index  five at ${index}${index % 2 === 0 ? `  ${unknown}` : ''}`,
    ),
  );
  expect(said.find((line) => line.startsWith('✗'))).toMatch(/one->key == 5 cannot be worked out/);
  const twins = listAt(hits.structured, 'events').filter((one) => at(one, 'conditionUnknown'));
  expect(twins).toHaveLength(6);
  await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
  await place({ ...here, condition: 'one->key == 4' });
  await say('go');
  const stopped = await go('wait');
  expect(stopped.text).toMatch(/its condition cannot be worked out: nothing can be read at 0x0/);
  expect(at(stopped.stop, 'variables')).toMatchObject({ index: '0' });
  await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
  await go('continue', { timeoutMs: 0 });
  expect(await end()).toEqual({ kind: 'exited', code: 0 });
});
