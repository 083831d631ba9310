/*
 * What a breakpoint costs a hit: nanoseconds that a step of a program takes with it, above the same without one. The
 * target measures its own processor time. Hits come in bursts that the reader keeps up with. A thread's first hit takes
 * memory for what it will record: it has a row of its own, and is in none of the others.
 */
import { buildProgram } from './support/build.mjs';
import { record } from './support/record.mjs';
import { numberPrinted, stepRows } from './support/steps.mjs';

const flags = ['-g', '-O0'];
const program = buildProgram('steps', ['bench/targets/steps.c'], flags);
const noRoom = buildProgram(
  'stepsWithoutRoom',
  ['bench/targets/steps.c'],
  [...flags, '-DNO_ROOM', '-mno-red-zone'],
);
const place = { file: 'steps.c', statement: 'sink += sum; /* here */' };
const trapped = { file: 'steps.c', statement: '"memory"); /* no room */' };
const unmet = { ...place, condition: 'sum == -1', log: 'met' };
// Only the last line's answer is taken.
const many = '20000 1\n2000000 2';
const bursts = '20000 4\n20000 20';
const ways = {
  none: [null, many],
  first: [unmet, '1 1'],
  false: [unmet, many],
  argument: [{ ...place, condition: 'twice == -1', log: 'met' }, many],
  logpoint: [{ ...place, capture: { values: ['sum', 'i'] } }, bursts],
  locals: [{ ...place, capture: { locals: true } }, bursts],
  trap: [{ ...trapped, condition: 'sum == -1', log: 'met' }, '20000 2', noRoom],
};

async function run(product, [breakpoint, line, command = program]) {
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
  return await numberPrinted(product, sessionId, line);
}

const { none, took, above } = await stepRows(ways, run);
const row = (what, name, limit, note) => ({ what, value: above(name), unit: 'ns', limit, note });
record('breakpoints', 'Breakpoints that record: a hit at a statement that a jump is at', [
  none,
  row('a condition on a local that is not met', 'false', '≤ 40 ns', 'above that'),
  row('a condition on an argument that is not met', 'argument', '≤ 40 ns'),
  row('a logpoint with two values', 'logpoint', '≤ 60 ns', 'bursts of 20,000'),
  row('one with all locals (3)', 'locals', undefined, 'bursts of 20,000'),
  {
    what: 'the first hit of a thread',
    value: took('first') / 1_000_000,
    unit: 'ms',
    note: 'once: memory for its records',
  },
  {
    what: 'a condition that is not met, by a trap',
    value: took('trap') / 1000,
    unit: 'µs',
    limit: '≤ 25 µs',
    note: 'where no jump has room; by the clock',
  },
]);
