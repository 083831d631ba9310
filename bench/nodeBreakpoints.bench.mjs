/*
 * What a breakpoint in JavaScript costs a hit: one that is written into the module as it is loaded, beside one of the
 * inspector in a running program. Nanoseconds that a step of a program takes with it, above the same without one; the
 * target measures its own time. Hits come in bursts that the reader keeps up with.
 */
import { join } from 'node:path';
import { record, root } from './support/record.mjs';
import { numberPrinted, stepRows } from './support/steps.mjs';

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
  return await numberPrinted(product, sessionId, line);
}

const { none, above } = await stepRows(ways, run);
const row = (what, name, note) => ({ what, value: above(name), unit: 'ns', note });
record('nodeBreakpoints', 'Breakpoints in JavaScript that record: a hit', [
  none,
  row('one that was removed, written into the module', 'off', 'above that'),
  row('a condition that is not met, written into the module', 'unmetWritten'),
  row('a logpoint with two values, written into the module', 'logpointWritten', 'bursts of 5,000'),
  row('a condition that is not met, by the inspector', 'unmetInspected'),
  row('a logpoint with two values, by the inspector', 'logpointInspected'),
]);
