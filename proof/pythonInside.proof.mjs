/*
 * Breakpoints that record in Python, beside Python's own debugger (bdb, of pdb) stopped at the same places: the same
 * lines in the same order, and the same values of the same locals. `node proof/pythonInside.proof.mjs 3.11 5` tries one
 * version with another seed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { compared, proveBeside, recorded, someOf, unset } from './support/besideDebugger.mjs';

const folder = join(root, 'proof', 'targets', 'python');
const script = join(folder, 'inside.py');
const rounds = '7';
const places = 30;
const other = '<other>';

function interpreters() {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const fetched = ['3.14'].map((minor) => [
    minor,
    join(root, '.cache', 'pythons', minor, 'usr', 'bin', `python${minor}`),
  ]);
  const built = existsSync(versions)
    ? readdirSync(versions).flatMap((version) => {
        const [minor] = /^3\.(?:9|1\d)/.exec(version) ?? [];
        return minor ? [[minor, join(versions, version, 'bin', 'python3')]] : [];
      })
    : [];
  return [...built, ...fetched].filter(([, path]) => existsSync(path));
}

function debuggerSays(command, args, input = '') {
  const all = [join(folder, 'stopped.py'), ...args];
  const { stdout, stderr } = spawnSync(command, all, { input, encoding: 'utf8' });
  const said = stdout.trimEnd().split('\n').at(-1) ?? '';
  if (said === '') throw new Error(stderr);
  return JSON.parse(said.replace(/^stops /, ''));
}

/** Each stop, with the values of these names. */
function stopped(command, namesAt) {
  const stops = debuggerSays(command, ['stop', script, JSON.stringify(namesAt)], `${rounds}\n`);
  return stops.map(({ line, values }) => ({
    line,
    values: Object.fromEntries(
      namesAt[line].map((name) => [name, name in values ? values[name][0] : unset]),
    ),
  }));
}

/** What is no number, text or container is left to the proof of values. */
function plain(value) {
  if (value === '<unset>' || value === undefined) return unset;
  if (value === unset) return unset;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

async function tried(command, seed) {
  const lines = someOf(debuggerSays(command, ['lines', script]), places, seed);
  const home = openHome();
  const product = await Product.start(home);
  try {
    const { hits: ours } = await recorded(
      product,
      { command, args: [script], projectRoot: folder, rounds },
      lines.map((line) => ({ file: script, line, capture: { locals: true } })),
    );
    const namesAt = Object.fromEntries(lines.map((line) => [line, []]));
    for (const { line, values } of ours) namesAt[line] = Object.keys(values);
    const theirs = stopped(command, namesAt);
    for (const { values } of theirs)
      for (const [name, value] of Object.entries(values)) if (value === other) delete values[name];
    return { lines: lines.length, ...compared(ours, theirs, plain) };
  } finally {
    await product.close();
    home.close();
  }
}

const [only, seed = '1'] = process.argv.slice(2);
const wanted = interpreters().filter(([minor]) => !only || only === minor);
await proveBeside(
  'pythonInside',
  'Python',
  wanted.map(([minor, command]) => ({
    name: `Python ${minor}`,
    tried: () => tried(command, Number(seed)),
  })),
);
