/*
 * Programs that are not ours, of each toolkit. Calculators: 12 × 7 by the elements that debug_ui names, and 84 read in the
 * window, round after round. Others: what a person does there, and what is seen of it. What they write on stderr is what
 * they write where nothing is read. Missing programs are named with their packages.
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
  // Warnings of GLib have their time and pid in them; threads write them in any order.
  return lines
    .filter(({ stream, text }) => stream === 'stderr' && text !== '')
    .map(({ text }) => text.replaceAll(/\d\d:\d\d:\d\d\.\d+|\(\S+:\d+\)/g, ''))
    .toSorted();
}

/** The first line that only one of two runs wrote. */
function differs(one, other) {
  const line =
    one.find((text) => !other.includes(text)) ?? other.find((text) => !one.includes(text));
  return (
    line ?? (one.length === other.length ? undefined : `${one.length} and ${other.length} lines`)
  );
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
  const why = differs(observed, alone);
  const sameErrors = why === undefined;
  return { program, rounds, shows84: good, unconfirmed: wrong, sameErrors, why };
}

/** A program in which each round does the same; `steps` are actions with what must be seen after them. */
function used({ program, command, steps, isSilent = true }) {
  const started = ask('launch', '--ui', '--', ...command);
  if (started.sessionId === undefined) return { program, rounds, good: 0, why: started.message };
  let [good, tokens, why] = [0, 0, ''];
  for (let round = 0; round < rounds; round++) {
    const { text = '', elements: lines = [] } = ask('ui', 'tree', '--budget', '1200');
    tokens = Math.max(tokens, Math.round((text || lines.join('\n')).length / 4));
    const missed = steps.find((step) => !isSeen(step));
    if (missed === undefined) good++;
    else why ||= JSON.stringify(missed);
  }
  const observed = errors();
  ask('session', 'stop');
  let sameErrors = 'not compared';
  if (isSilent) {
    ask('launch', '--ui', '--', ...command);
    ask('session', 'wait', '--timeout-ms', '5000', '--for', 'exit');
    const line = differs(observed, errors());
    sameErrors = line === undefined;
    why ||= line ?? '';
    ask('session', 'stop');
  }
  return { program, rounds, good, tokens, sameErrors, why };
}

/** Whether an action is answered with what must be seen. */
function isSeen({ act: [action, wanted, ...more], seen }) {
  const line = ask('ui', 'tree', '--budget', '20000').elements?.find((one) => wanted.test(one));
  const id = / id=([^\s\]]+)/.exec(line ?? '')?.[1];
  if (id === undefined) return false;
  const { done, delta = [], element } = ask('ui', action, '--id', id, ...more);
  return done === 'confirmed' && seen.test([...delta, element].join('\n'));
}

const others = [
  {
    program: 'gtk4-widget-factory',
    from: 'gtk-4-examples',
    command: ['gtk4-widget-factory'],
    steps: [
      { act: ['click', /\[check box "checkbutton"/], seen: /check box "checkbutton"/ },
      { act: ['setValue', /\[spin button/, '--value', '7'], seen: /value=7/ },
      { act: ['setValue', /\[spin button/, '--value', '8'], seen: /value=8/ },
    ],
  },
  {
    program: 'qalculate-gtk',
    from: 'qalculate-gtk',
    command: ['qalculate-gtk'],
    isSilent: false,
    steps: [
      { act: ['click', /\[button "7"/], seen: /text id=\w+( focused)? "7"/ },
      { act: ['click', /\[button "AC"/], seen: /text id=\w+( focused)? ""/ },
    ],
  },
  {
    program: 'Swing form',
    from: 'default-jdk libatk-wrapper-java',
    command: ['java', join(root, 'tests/targets/ui/Panel.java')],
    steps: [
      { act: ['click', /\[button "Play"/], seen: /played \d+/ },
      { act: ['setValue', /\[slider/, '--value', '7'], seen: /value=7/ },
      { act: ['setValue', /\[slider/, '--value', '3'], seen: /value=3/ },
      { act: ['select', /\[combo box/, '--item', 'Noise'], seen: /Noise/ },
    ],
  },
  {
    program: 'web shop in Chromium',
    from: 'chromium',
    command: [
      'chromium',
      '--headless=new',
      '--no-sandbox',
      `file://${join(root, 'tests/targets/ui/shop.html')}`,
    ],
    isSilent: false,
    steps: [
      { act: ['click', /\[button "Buy"/], seen: /bought \d+/ },
      { act: ['setValue', /\[text "Name"/, '--value', 'Ada'], seen: /"Ada"/ },
      { act: ['select', /\[combo box "Wave"/, '--item', 'Noise'], seen: /Noise/ },
    ],
  },
];

const rows = [];
try {
  for (const program of ['galculator', 'gnome-calculator', 'kcalc']) {
    if (spawnSync('which', [program]).status === 0) rows.push(measured(program));
    else console.log(`${program}: not installed`);
  }
  for (const { from, ...other } of others) {
    if (spawnSync('which', [other.command[0]]).status === 0) rows.push(used(other));
    else console.log(`${other.program}: not installed (apt-get install ${from})`);
  }
} finally {
  spawnSync(strobe, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
}
const good = rows.filter(
  (row) => (row.shows84 ?? row.good) === rounds && row.sameErrors !== false,
).length;
const verdict = `${good} of ${rows.length} programs: each of ${rounds} rounds is seen to do what it did, nothing more on stderr`;
console.log(verdict);
console.table(rows);
recordRows('ui', verdict, rows);
if (good < rows.length) process.exitCode = 1;
