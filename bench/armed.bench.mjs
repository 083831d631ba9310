/*
 * How soon a breakpoint that records is in a running program: milliseconds from a client's request to the answer that
 * says it is bound. For the first of a program tracing enters it; the others are medians, at several lines.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildProgram } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { openHome, Product } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const lines = 5;
/** A client asks so long after a launch at the soonest. */
const apartMs = 1000;
const target = (name) => join(root, 'bench', 'targets', name);
const python = (version) => join(root, '.cache', 'pythonPeers', version, 'bin', 'python');

const programs = {
  native: ['rounds.c', () => [buildProgram('rounds', ['bench/targets/rounds.c'], ['-O0', '-g'])]],
  'Python 3.11': ['rounds.py', () => [python('3.11'), target('rounds.py')]],
  'Python 3.12': ['rounds.py', () => [python('3.12'), target('rounds.py')]],
  Node: ['rounds.cjs', () => [process.execPath, target('rounds.cjs')]],
};

/** From the line with the mark on. */
function linesOf(source) {
  const text = readFileSync(target(source), 'utf8').split('\n');
  const first = 1 + text.findIndex((line) => line.includes('here'));
  return Array.from({ length: lines }, (_, i) => first + i);
}

async function armed(product, sessionId, place) {
  const asked = performance.now();
  let { breakpoints } = await product.call('debug_breakpoint', { sessionId, add: [place] });
  const { id } = breakpoints.at(-1);
  const own = () => breakpoints.find((one) => one.id === id);
  while (own().state === 'pending')
    ({ breakpoints } = await product.call('debug_breakpoint', { sessionId }));
  const ms = performance.now() - asked;
  if (own().state !== 'bound') throw new Error(JSON.stringify(own()));
  await product.call('debug_breakpoint', { sessionId, remove: [id] });
  return ms;
}

/** In a program of its own: of its first breakpoint, and of the others. */
async function round(product, source, [command, ...args]) {
  const { sessionId } = await product.call('debug_launch', {
    command,
    args,
    projectRoot: join(root, 'bench', 'targets'),
  });
  await pause(apartMs);
  const took = [];
  for (const line of linesOf(source))
    took.push(await armed(product, sessionId, { file: source, line, capture: { locals: true } }));
  await product.call('debug_session', { action: 'stop', sessionId });
  return took;
}

const home = openHome();
const rows = [];
try {
  const product = await Product.start(home);
  for (const [name, [source, words]] of Object.entries(programs)) {
    const command = words();
    const took = [];
    for (let i = 0; i < rounds; i++) took.push(await round(product, source, command));
    const row = (what, values) => ({
      what: `${name}: ${what}`,
      value: median(values),
      unit: 'ms',
      limit: '≤ 150 ms',
    });
    const others = took.flatMap((all) => all.slice(1));
    rows.push(
      row(
        'the first, for which tracing enters the program',
        took.map(([first]) => first),
      ),
      row('one more', others),
      { ...row('the slowest of these', [Math.max(...others)]), limit: undefined },
    );
  }
  await product.close();
} finally {
  home.close();
}
record('armed', `Breakpoints that record: from the request to bound, ${rounds} programs`, rows);
