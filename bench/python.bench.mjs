/*
 * What a call of a Python function costs, beside other tools that see calls (node scripts/pythonPeers.mjs installs
 * them): a pair with its argument and its result, a call that nobody wants, and how long a program takes that is
 * launched traced. Ratios are of one round each, rounds interleaved. `node bench/python.bench.mjs 3.11` measures one
 * version.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { launchedCalls } from './support/launchedCalls.mjs';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const rounds = 5;
/** Between launches, as an agent would leave: the next host is ready then. */
const apartMs = 3500;
const calls = join(root, 'bench', 'targets', 'calls.py');
/** By version what its row is compared with, and the most that it may be. */
const versions = {
  3.11: { peer: 'profile', limit: 0.25 },
  3.12: { peer: 'viztracer', limit: 0.9 },
};

function alone(python, who) {
  const [wanted, other] = execFileSync(python, [calls, who], { encoding: 'utf8' }).split(' ');
  return { wanted: Number(wanted), other: Number(other) };
}

async function traced(product, python) {
  const { sessionId } = await launchedCalls(product, python, [calls, 'strobe']);
  const { lines } = await product.call('debug_query', { view: 'output', sessionId });
  const [wanted, other] = (lines.at(-1)?.text ?? '').split(' ');
  return { wanted: Number(wanted), other: Number(other) };
}

function plainMs(python) {
  const began = performance.now();
  spawnSync(python, ['-c', 'pass']);
  return performance.now() - began;
}

const named = process.argv.slice(2);
const home = openHome();
try {
  const product = await Product.start(home);
  for (const [version, { peer, limit }] of Object.entries(versions)) {
    const python = join(root, '.cache', 'pythonPeers', version, 'bin', 'python');
    if (!existsSync(python) || (named.length > 0 && !named.includes(version))) continue;
    const seen = { plain: [], peer: [], strobe: [], other: [], launch: [] };
    await launchedCalls(product, python, ['-c', 'pass']);
    for (let round = 0; round < rounds; round++) {
      const plain = alone(python, 'plain');
      const beside = alone(python, peer);
      const own = await traced(product, python);
      seen.plain.push(plain.wanted);
      seen.peer.push(beside.wanted - plain.wanted);
      seen.strobe.push((own.wanted - plain.wanted) / (beside.wanted - plain.wanted));
      seen.other.push(own.other / plain.other);
      await setTimeout(apartMs);
      const { ms } = await launchedCalls(product, python, ['-c', 'pass']);
      seen.launch.push(ms - plainMs(python));
    }
    record(`python@${version}`, `Python ${version}`, [
      {
        what: `Python ${version}: pair with argument and result / ${peer}`,
        value: median(seen.strobe),
        unit: '×',
        limit: `≤ ${limit}`,
        note: `${peer} adds ${median(seen.peer).toFixed(0)} ns to a call of ${median(seen.plain).toFixed(0)} ns`,
      },
      {
        what: `Python ${version}: call that nobody wants / plain`,
        value: median(seen.other),
        unit: '×',
        ...(version === '3.12' ? { limit: '≤ 1.05' } : {}),
        note: 'the same program, another function of it is traced',
      },
      {
        what: `Python ${version}: launched traced, above plain`,
        value: median(seen.launch),
        unit: 'ms',
        limit: '≤ 200 ms',
        note: 'launch to exit of `-c pass`, a host being ready',
      },
    ]);
  }
  await product.close();
} finally {
  home.close();
}
