/*
 * Coverage of a small project by the tools that measure it, untraced and with every function traced: what they write must
 * be the same byte by byte. Arguments select versions of Node. Needs `node scripts/loaders.mjs` and `frameworks.mjs`.
 */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';
import { runLimited, runTraced } from './support/runs.mjs';

const packages = {
  loaders: join(root, '.cache/loaders/node_modules'),
  frameworks: join(root, '.cache/frameworks/node_modules'),
};
const c8 = (...words) => [
  'node_modules/c8/bin/c8.js',
  '--reporter=json',
  '--reports-dir=coverage',
  '--temp-directory=raw',
  ...words,
];
const vitest = (provider) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--coverage.enabled',
  `--coverage.provider=${provider}`,
  '--coverage.reporter=json',
];
const jest = (provider) => [
  'node_modules/jest/bin/jest.js',
  '--coverage',
  `--coverageProvider=${provider}`,
  '--coverageReporters=json',
];

const tools = {
  'c8, tsx': { from: 'loaders', args: (node) => c8(node, '--import', 'tsx', 'main.ts') },
  'c8, types stripped': { from: 'loaders', args: (node) => c8(node, 'stripped.ts') },
  'Vitest, v8': { from: 'loaders', args: () => vitest('v8') },
  'Vitest, istanbul': { from: 'loaders', args: () => vitest('istanbul') },
  'Jest, v8': { from: 'frameworks', args: () => jest('v8') },
  'Jest, babel': { from: 'frameworks', args: () => jest('babel') },
};

const files = {
  'stripped.ts': `function kept(x: number): number { return x > 1 ? x : never(x); }
function never(x: number): number { return -x; }
console.log(kept(2));`,
  'order.test.ts': `import { expect, test } from 'vitest'; import { Kind, later, Order } from './order';
test('sums', () => { expect(new Order('a', [{ kind: Kind.Goods, price: { amount: 2 } }]).total()).toBe(2); });
test('later', async () => { expect(await later(new Order('b', []))).toBe('b: 0'); });`,
  'shop.js': `class Shop { constructor(items) { this.items = items; }
  total() { return this.items.reduce((sum, item) => sum + (item.free ? 0 : item.price), 0); }
  never() { if (this.items) { return 1; } return 2; } }
async function later(x) { await null; if (x > 3) { throw new Error('late'); } return x ?? 5; }
module.exports = { Shop, later };`,
  'shop.test.js': `const { Shop, later } = require('./shop');
if (globalThis.jest !== undefined || typeof jest !== 'undefined') {
  test('sums', () => expect(new Shop([{ price: 2 }, { free: true }]).total()).toBe(2));
  test('later', async () => expect(await later(2)).toBe(2));
}`,
};

function project(from) {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-coverage-'));
  cpSync(join(root, 'tests/targets/node/loaded'), folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const isOther = from === 'loaders' ? name.startsWith('shop') : name.startsWith('order');
    if (!isOther) writeFileSync(join(folder, name), text);
  }
  symlinkSync(packages[from], join(folder, 'node_modules'));
  return folder;
}

/** What a tool wrote, which is taken away. */
function written(folder) {
  const path = join(folder, 'coverage/coverage-final.json');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  for (const name of ['coverage', 'raw'])
    rmSync(join(folder, name), { recursive: true, force: true });
  return text;
}

const versions = process.argv.length > 2 ? process.argv.slice(2) : ['22', '24', '26'];
const rows = [];
for (const version of versions) {
  const command = join(root, `.cache/nodes/node_modules/node${version}/bin/node`);
  for (const [tool, { from, args }] of Object.entries(tools)) {
    const home = openHome();
    const folder = project(from);
    try {
      const env = { ...process.env, STROBE_HOME: home.path, NO_COLOR: '1' };
      const how = { command, args: args(command), cwd: folder, env };
      const plain = await runLimited(command, how.args, how);
      const expected = written(folder);
      const traced = await runTraced(home, { ...how, trace: ['@usercode'] });
      const isEqual = expected !== '' && expected === written(folder) && plain.end === traced.end;
      rows.push({
        node: version,
        tool,
        outcome: isEqual ? `equal (${plain.end})` : `DIFFERENT (${plain.end} → ${traced.end})`,
        bytes: expected.length,
        'events seen': traced.figures.seen,
      });
    } finally {
      home.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
console.table(rows);
const equal = rows.filter(({ outcome }) => outcome.startsWith('equal')).length;
recordRows('nodeCoverage', `${equal} of ${rows.length} equal`, rows);
process.exitCode = equal === rows.length ? 0 : 1;
