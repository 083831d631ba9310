import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parsePattern } from '../../../src/model/names/pattern.ts';
import { PythonResolver } from '../../../src/symbols/python/pythonResolver.ts';

const source = `
import functools

@functools.wraps(print)
@functools.lru_cache
def decorated(a, b=lambda q: q, *rest, key: int = 2, **more):
    def inner(x):
        return x
    return inner

class Account:
    @property
    def total(self, /):
        return 1

    async def fetch(self, *, limit):
        yield limit

    class Inner:
        def deep(self): pass

async def wait(): pass
def counting(n):
    yield n
broken = (
def after(): pass
`;

function project(): string {
  const root = mkdtempSync(join(tmpdir(), 'strobe-python-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'bank'));
  writeFileSync(join(root, 'bank/__init__.py'), '');
  writeFileSync(join(root, 'bank/accounts.py'), source);
  return root;
}

test('[python.patterns] functions of every kind are found in a damaged source, by any part of their names', async () => {
  const projectRoot = project();
  const unit = join(projectRoot, 'bank/accounts.py');
  const resolver = new PythonResolver();
  const find = async (text: string): Promise<string[]> => {
    const { value } = await resolver.find([unit], parsePattern(text), { projectRoot });
    return value.functions.map(({ signature }) => signature);
  };
  expect(await find('@usercode')).toEqual([
    'bank.accounts.decorated(a, b, key, rest, more)',
    'bank.accounts.<lambda>(q)',
    'bank.accounts.decorated.<locals>.inner(x)',
    'bank.accounts.Account.total(self)',
    'bank.accounts.Account.fetch(self, limit)',
    'bank.accounts.Account.Inner.deep(self)',
    'bank.accounts.wait()',
    'bank.accounts.counting(n)',
    'bank.accounts.after()',
  ]);
  for (const pattern of ['total', 'Account.total', 'accounts::Account::total', 'bank.**.total'])
    expect(await find(pattern)).toEqual(['bank.accounts.Account.total(self)']);
  expect(await find('@file:bank/*.py')).toHaveLength(9);
  expect(await find('other.total')).toEqual([]);
  const { value } = await resolver.find([unit], parsePattern('totla'), { projectRoot });
  expect(value.nearest).toContain('bank.accounts.Account.total');
  const [decorated] = (await resolver.find([unit], parsePattern('decorated'), { projectRoot }))
    .value.functions;
  expect(decorated).toMatchObject({ firstLine: 4, line: 6, column: 1, kind: 'function' });
});
