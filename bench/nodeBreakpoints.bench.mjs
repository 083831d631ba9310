/*
 * What a breakpoint in JavaScript costs a hit: one that is written into the module as it is loaded, beside one of the
 * inspector in a running program. Nanoseconds that a step of a program takes with it, above the same without one; the
 * target measures its own time. Hits come in bursts that the reader keeps up with.
 */
import { join } from 'node:path';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const program = join(root, 'bench', 'targets', 'steps.cjs');
const node = join(root, '.cache/nodes/node_modules/node24/bin/node');
const place = { file: 'steps.cjs', statement: 'sink = sum & 0xffff; // here' };
const unmet = { ...place, condition: 'sum == -1', log: 'met' };
const logpoint = { ...place, capture: { values: ['sum', 'i'] } };
const ways = {
  none: [null, null, '100000 20'],
  off: [unmet, null, '100000 20', 'off'],
  unmetWritten: [unmet, 'rewrite', '100000 20'],
  logpointWritten: [logpoint, 'rewrite', '5000 40'],
  unmetInspected: [unmet, 'v8', '500 20'],
  logpointInspected: [logpoint, 'v8', '500 20'],
};

async function run(product, [breakpoint, means, line, isOff]) {
  const atLaunch = breakpoint !== null && means !== 'v8';
  const { sessionId } = await product.call('debug_launch', {
    command: node,
    args: [program],
    projectRoot: join(root, 'bench', 'targets'),
    stdin: 'open',
    ...(atLaunch ? { breakpoints: [breakpoint] } : {}),
  });
  await product.call('debug_session', { action: 'wait', sessionId, for: ['output'] });
  const wanted = { sessionId, ...(means === 'v8' ? { add: [breakpoint] } : {}) };
  const { breakpoints } = await product.call('debug_breakpoint', {
    ...wanted,
    ...(isOff ? { remove: ['all'] } : {}),
  });
  if (means !== null && breakpoints[0]?.means !== means)
    throw new Error(JSON.stringify(breakpoints));
  await product.call('debug_session', {
    action: 'input',
    sessionId,
    text: `${line}\n`,
    eof: true,
  });
  await product.waitForExit(sessionId);
  const asked = { view: 'output', sessionId, stream: 'stdout' };
  const { lines } = await product.call('debug_query', asked);
  return Number(lines.at(-1).text);
}

const values = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
const home = openHome();
try {
  const product = await Product.start(home);
  for (let round = 0; round < rounds; round++) {
    const order = Object.entries(ways);
    for (const [name, way] of round % 2 === 0 ? order : order.toReversed())
      values[name].push(await run(product, way));
  }
  await product.close();
} finally {
  home.close();
}

const above = (name) => median(values[name]) - median(values.none);
const row = (what, name, note) => ({ what, value: above(name), unit: 'ns', note });
record('nodeBreakpoints', 'Breakpoints in JavaScript that record: a hit', [
  { what: 'a step without one', value: median(values.none), unit: 'ns', note: `${rounds} rounds` },
  row('one that was removed, written into the module', 'off', 'above that'),
  row('a condition that is not met, written into the module', 'unmetWritten'),
  row('a logpoint with two values, written into the module', 'logpointWritten', 'bursts of 5,000'),
  row('a condition that is not met, by the inspector', 'unmetInspected'),
  row('a logpoint with two values, by the inspector', 'logpointInspected'),
]);
