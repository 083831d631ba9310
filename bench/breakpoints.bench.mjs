/*
 * What a breakpoint costs a hit: nanoseconds that a step of a program takes with it, above the same without one. The
 * target measures its own processor time. Hits come in bursts that the reader keeps up with.
 */
import { buildProgram } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const flags = ['-g', '-O0'];
const program = buildProgram('steps', ['bench/targets/steps.c'], flags);
const noRoom = buildProgram(
  'stepsWithoutRoom',
  ['bench/targets/steps.c'],
  [...flags, '-DNO_ROOM', '-mno-red-zone'],
);
const place = { file: 'steps.c', statement: 'sink += sum; /* here */' };
const trapped = { file: 'steps.c', statement: '"memory"); /* no room */' };
const ways = {
  none: [null, '2000000 2'],
  false: [{ ...place, condition: 'sum == -1', log: 'met' }, '2000000 2'],
  argument: [{ ...place, condition: 'twice == -1', log: 'met' }, '2000000 2'],
  logpoint: [{ ...place, capture: { values: ['sum', 'i'] } }, '20000 20'],
  locals: [{ ...place, capture: { locals: true } }, '20000 20'],
  trap: [{ ...trapped, condition: 'sum == -1', log: 'met' }, '20000 2', noRoom],
};

async function run(product, breakpoint, line, command = program) {
  const { sessionId } = await product.call('debug_launch', {
    command,
    projectRoot: product.home.project,
    stdin: 'open',
  });
  if (breakpoint !== null) {
    const { breakpoints } = await product.call('debug_breakpoint', {
      sessionId,
      add: [breakpoint],
    });
    if (breakpoints[0].state !== 'bound') throw new Error(JSON.stringify(breakpoints[0]));
  }
  const text = `${line}\n`;
  await product.call('debug_session', { action: 'input', sessionId, text, eof: true });
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
    for (const [name, [breakpoint, line, command]] of round % 2 === 0 ? order : order.toReversed())
      values[name].push(await run(product, breakpoint, line, command));
  }
  await product.close();
} finally {
  home.close();
}

const above = (name) => median(values[name]) - median(values.none);
const row = (what, name, limit, note) => ({ what, value: above(name), unit: 'ns', limit, note });
record('breakpoints', 'Breakpoints that record: a hit at a statement that a jump is at', [
  { what: 'a step without one', value: median(values.none), unit: 'ns', note: `${rounds} rounds` },
  row('a condition on a local that is not met', 'false', '≤ 40 ns', 'above that'),
  row('a condition on an argument that is not met', 'argument', '≤ 40 ns'),
  row('a logpoint with two values', 'logpoint', '≤ 60 ns', 'bursts of 20,000'),
  row('one with all locals (3)', 'locals', undefined, 'bursts of 20,000'),
  {
    what: 'a condition that is not met, by a trap',
    value: median(values.trap) / 1000,
    unit: 'µs',
    limit: '≤ 25 µs',
    note: 'where no jump has room; by the clock',
  },
]);
