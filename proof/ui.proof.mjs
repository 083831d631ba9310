/*
 * Calculators that are not ours, one of each toolkit: 12 × 7 by the elements that debug_ui names, and 84 read in the window,
 * round after round. What they write on stderr is what they write where nothing is read.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';

const rounds = Number(process.argv[2] ?? 20);
const folder = mkdtempSync(join(tmpdir(), 'sproof-'));
const strobe = join(root, 'strobe');
const env = { ...process.env, STROBE_HOME: join(folder, 'home') };

/** The names that buttons may have. */
const keys = [
  ['1'],
  ['2'],
  ['×', '*', 'x', '✕', 'Multiply', 'Multiply [*]'],
  ['7'],
  ['=', 'Calculate', 'Solve', '＝'],
];

function ask(...args) {
  // What follows "--" is the program's own.
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const words = args.toSpliced(end, 0, '--json');
  const { stdout } = spawnSync(strobe, words, { env, encoding: 'utf8' });
  return JSON.parse(stdout);
}

function elements() {
  return ask('ui', 'tree', '--budget', '20000').elements ?? [];
}

function idOf(lines, names) {
  for (const name of names) {
    const line = lines.find((one) => one.includes(`button ${JSON.stringify(name)} id=`));
    if (line !== undefined) return / id=(\S+?)\]?(?: |$)/.exec(line)?.[1]?.replace(/\]$/, '');
  }
  throw new Error(`no button ${names.join(' or ')} among\n${lines.join('\n')}`);
}

function errors() {
  const { lines } = ask('query', '--view', 'output', '--limit', '500');
  // Warnings of GLib have their time and pid in them.
  return lines
    .filter(({ stream }) => stream === 'stderr')
    .map(({ text }) => text.replaceAll(/\d\d:\d\d:\d\d\.\d+|\(\S+:\d+\)/g, ''));
}

function measured(program) {
  ask('launch', '--ui', '--', program);
  const ids = keys.map((names) => idOf(elements(), names));
  let good = 0;
  let wrong = 0;
  for (let round = 0; round < rounds; round++) {
    ask('ui', 'key', 'Escape');
    for (const id of ids) if (ask('ui', 'click', id).done !== 'confirmed') wrong++;
    if (elements().some((line) => /\b84\b/.test(line))) good++;
  }
  const observed = errors();
  ask('session', 'stop');
  ask('launch', '--ui', '--', program);
  ask('session', 'wait', '--timeout-ms', '3000', '--for', 'exit');
  const alone = errors();
  ask('session', 'stop');
  const quiet = JSON.stringify(observed) === JSON.stringify(alone);
  return { program, rounds, shows84: good, unconfirmed: wrong, sameErrors: quiet };
}

const rows = [];
try {
  for (const program of ['galculator', 'gnome-calculator', 'kcalc']) {
    if (spawnSync('which', [program]).status === 0) rows.push(measured(program));
    else console.log(`${program}: not installed`);
  }
} finally {
  spawnSync(strobe, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
}
const good = rows.filter((row) => row.shows84 === rounds && row.sameErrors).length;
const verdict = `${good} of ${rows.length} calculators: 12 × 7 is 84 in ${rounds} of ${rounds} rounds, nothing more on stderr`;
console.log(verdict);
console.table(rows);
recordRows('ui', verdict, rows);
if (good < rows.length) process.exitCode = 1;
