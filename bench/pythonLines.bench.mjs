/*
 * What a breakpoint in a Python function costs a hit: nanoseconds that a step of a program takes with it, above the
 * same without one; and what one in another line costs. The target measures its own processor time, the least of some
 * goes; a median of rounds. `node bench/pythonLines.bench.mjs 3.11` measures one version.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const folder = join(root, 'bench', 'targets');
const script = join(folder, 'steps.py');
const here = { file: script, statement: 'total += i & 3  # here' };
const ways = {
  none: [null, '200000 10'],
  elsewhere: [{ file: script, statement: 'total = -1  # elsewhere', log: 'met' }, '200000 10'],
  false: [{ ...here, condition: 'total == -1', log: 'met' }, '200000 10'],
  logpoint: [{ ...here, capture: { values: ['total', 'i'] } }, '20000 10'],
};

async function run(product, python, breakpoint, line) {
  const { sessionId } = await product.call('debug_launch', {
    command: python,
    args: [script],
    projectRoot: folder,
    stdin: 'open',
  });
  if (breakpoint !== null) {
    const { breakpoints } = await product.call('debug_breakpoint', {
      sessionId,
      add: [breakpoint],
    });
    if (breakpoints[0].state === 'failed') throw new Error(JSON.stringify(breakpoints[0]));
  }
  const text = `${line}\n`;
  await product.call('debug_session', { action: 'input', sessionId, text, eof: true });
  await product.waitForExit(sessionId);
  const asked = { view: 'output', sessionId, stream: 'stdout' };
  const { lines } = await product.call('debug_query', asked);
  return Number(lines.at(-1).text);
}

const named = process.argv.slice(2);
const home = openHome();
try {
  const product = await Product.start(home);
  for (const version of ['3.11', '3.12']) {
    const python = join(root, '.cache', 'pythonPeers', version, 'bin', 'python');
    if (!existsSync(python) || (named.length > 0 && !named.includes(version))) continue;
    const values = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const order = Object.entries(ways);
      for (const [name, [breakpoint, line]] of round % 2 === 0 ? order : order.toReversed())
        values[name].push(await run(product, python, breakpoint, line));
    }
    const plain = median(values.none);
    const above = (name) => median(values[name]) - plain;
    const what = `Python ${version}`;
    record(`pythonLines@${version}`, `Python ${version}: breakpoints that record`, [
      { what: `${what}: a step without one`, value: plain, unit: 'ns', note: `${rounds} rounds` },
      {
        what: `${what}: a condition on a local that is not met`,
        value: above('false'),
        unit: 'ns',
        limit: '≤ 2000 ns',
        note: 'above that',
      },
      { what: `${what}: a logpoint with two values`, value: above('logpoint'), unit: 'ns' },
      {
        what: `${what}: a step with one in another line / without`,
        value: median(values.elsewhere) / plain,
        unit: '×',
        ...(version === '3.12' ? { limit: '≤ 1.05' } : {}),
      },
    ]);
  }
  await product.close();
} finally {
  home.close();
}
