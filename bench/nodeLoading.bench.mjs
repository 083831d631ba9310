/*
 * How long loading takes while JavaScript is traced: a Vitest project of 500 TypeScript modules and 60 test files, user
 * and system time of all its processes (bash, Vitest, its forks) and, traced, of the daemon with all its threads, the
 * supervisor and the hosts. Cold: the daemon has traced another project, and has not seen this one. Warm: it has traced
 * this one before, once (`first`) or more often. The least of interleaved rounds.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Product, client, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const measured = { name: 'measured', modules: 500, tests: 60 };
/** A daemon that works is not new: it traces this one first. */
const other = { name: 'other', modules: 100, tests: 12 };
const rounds = Number(process.argv[2] ?? 5);
const perTest = Math.floor(measured.modules / measured.tests);
const nameOf = (number) => `m${String(number).padStart(3, '0')}`;
const fetched = join(root, '.cache/nodes/node_modules/node24/bin/node');
/** Of Linux, for programs. */
const ticksPerSecond = 100;

function functionText(number) {
  return `
export interface Item${number} { readonly id: number; readonly label: string; total?: number }

/** Sums what fits, as a function of a real module does. */
export function collect${number}(items: readonly Item${number}[], least = ${number}): number {
  let sum = 0;
  for (const { id, total = 0 } of items) {
    if (id < least) continue;
    sum += total > 0 ? total : [id, least].map((one) => one * 2).reduce((a, b) => a + b, 0);
  }
  return sum;
}
`;
}

/** About 7 KB; each imports the one before it that the same test has. */
function moduleText(number, name) {
  const parts = Array.from({ length: 14 }, (_, at) => functionText(at));
  const hasBefore = number % perTest !== 0;
  const before = hasBefore ? `import { value as before } from './${nameOf(number - 1)}';\n` : '';
  return `// ${name}
${before}${parts.join('')}
export const value: number = collect3([{ id: ${number}, label: 'x' }]) ${hasBefore ? '+ before' : ''};
`;
}

function makeProject(parent, { name, modules, tests }) {
  const folder = join(parent, name);
  mkdirSync(join(folder, 'src'), { recursive: true });
  mkdirSync(join(folder, 'tests'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (let number = 0; number < modules; number++)
    writeFileSync(join(folder, 'src', `${nameOf(number)}.ts`), moduleText(number, name));
  for (let test = 0; test < tests; test++) {
    const last = nameOf(Math.min(modules, (test + 1) * perTest) - 1);
    const text = `import { expect, test } from 'vitest';
import { value } from '../src/${last}';
test('${last}', () => expect(value).toBeGreaterThan(0));
`;
    writeFileSync(join(folder, 'tests', `${last}.test.ts`), text);
  }
  return folder;
}

const command = 'bash';
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const args = ['-c', `"${fetched}" "${vitest}" run --reporter dot > out.txt 2>&1; times`];

/** What \`times\` of the shell says of its children. */
function secondsIn(line) {
  const parts = [...line.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + minutes * 60 + Number(seconds), 0);
}

/** Of the daemon, and of its children that ended: supervisors, with their targets, and hosts. */
function daemonSeconds(pid) {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system, ...ended] = fields.split(' ').slice(11, 15).map(Number);
  const [own, children] = [user + system, ended[0] + ended[1]];
  return { own: own / ticksPerSecond, children: children / ticksPerSecond };
}

/** The supervisor ends a moment after its target. */
async function secondsSince(pid, before, target) {
  for (let tries = 0; tries < 100; tries++) {
    const { own, children } = daemonSeconds(pid);
    const seen = { own: own - before.own, children: children - before.children };
    if (seen.children >= target) return seen;
    await setTimeout(100);
  }
  throw new Error('the supervisor did not end');
}

function plain(cwd) {
  const text = execFileSync(command, args, { cwd, encoding: 'utf8' });
  return secondsIn(text.trim().split('\n').at(-1));
}

async function traced(product, cwd) {
  const told = execFileSync(process.execPath, [client, 'daemon', 'start'], {
    env: product.home.env,
    cwd,
    encoding: 'utf8',
  });
  const pid = Number(/pid (\d+)/.exec(told)[1]);
  const before = daemonSeconds(pid);
  const { sessionId } = await product.call('debug_launch', {
    command,
    args,
    cwd,
    projectRoot: cwd,
    patterns: ['@usercode'],
  });
  await product.waitForExit(sessionId);
  const { lines } = await product.call('debug_query', { view: 'output', sessionId });
  const target = secondsIn(lines.at(-1).text);
  const { own, children } = await secondsSince(pid, before, target);
  return { target, daemon: own, others: children - target };
}

const states = ['cold', 'first', 'warm', 'warm'];
const seen = { plain: [], cold: [], first: [], warm: [], ownCold: [], ownWarm: [] };
for (let round = 0; round < rounds; round++) {
  const home = openHome();
  try {
    const product = await Product.start(home);
    await traced(product, makeProject(home.project, other));
    const project = makeProject(home.project, measured);
    seen.plain.push(plain(project));
    for (const state of states) {
      const { target, daemon, others } = await traced(product, project);
      seen[state].push(target + daemon + others);
      seen[state === 'cold' ? 'ownCold' : 'ownWarm'].push(target);
      const parts = { plain: seen.plain.at(-1), target, daemon, others };
      const texts = Object.entries(parts).map(([name, seconds]) => `${name} ${seconds.toFixed(2)}`);
      console.log(state, texts.join(', '));
    }
    await product.close();
  } finally {
    home.close();
  }
}
const least = Math.min(...seen.plain);
const row = (state, of, limit, note) => ({
  what: `Vitest project of ${measured.modules} modules, ${state} / plain`,
  value: Math.min(...seen[of]) / least,
  unit: '×',
  limit,
  note,
});
const whole = `user and system time, that of daemon, supervisor and hosts included; plain ${least.toFixed(1)} s`;
const own = 'the processes of the test run alone';
record('nodeLoading', 'Loading JavaScript', [
  row('warm', 'warm', '≤ 1.15 ×', `${whole}; the daemon has traced it twice or more`),
  row('warm', 'first', undefined, 'the same; the daemon has traced it once'),
  row('cold', 'cold', '≤ 1.25 ×', whole),
  row('warm', 'ownWarm', undefined, own),
  row('cold', 'ownCold', undefined, own),
]);
