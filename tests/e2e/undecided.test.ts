import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { pythons } from '../support/pythons.ts';
import { textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';

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
