/*
 * Programs that are not ours, of each toolkit. Calculators: 12 × 7 by the elements that debug_ui names, each click
 * `confirmed`, and 84 read in the window, round after round. Others: what a person does there, and what is seen of it.
 * What they write on stderr is what they write where nothing is read. A program that is missing fails:
 * `node scripts/uiPrograms.mjs` installs all. Arguments: rounds, then names of programs; the others' results of the day stay.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bench/support/record.mjs';
import { recordRows, recordedRows } from './support/record.mjs';

const [, , asked = '20', ...only] = process.argv;
const rounds = Number(asked);
const folder = mkdtempSync(join(tmpdir(), 'sproof-'));
const strobe = join(root, 'strobe');
const PATH = `${join(root, '.cache', 'stage')}:${process.env.PATH}`;
const env = { ...process.env, PATH, STROBE_HOME: join(folder, 'home') };

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

/** What was written where nothing was read; null: it is the same as what was written where it was. */
function otherErrors(command, observed) {
  ask('launch', '--ui', '--', ...command);
  ask('session', 'wait', '--timeout-ms', '5000', '--for', 'exit');
  const alone = errors();
  ask('session', 'stop');
  return differs(observed, alone) ?? null;
}

function calculated({ program, command }) {
  ask('launch', '--ui', '--', ...command);
  const ids = keys.map((names) => idOf(elements(), names));
  let [good, unconfirmed, why] = [0, 0, ''];
  for (let round = 0; round < rounds; round++) {
    ask('ui', 'key', 'Escape');
    const answers = ids.map((id) => ask('ui', 'click', id));
    const missed = answers.filter(({ done }) => done !== 'confirmed');
    unconfirmed += missed.length;
    const shows = elements().some((line) => /\b84\b/.test(line));
    if (shows && missed.length === 0) good++;
    else why ||= shows ? `not confirmed: ${JSON.stringify(missed[0])}` : 'no 84';
  }
  const observed = errors();
  ask('session', 'stop');
  const line = otherErrors(command, observed);
  why ||= line ?? '';
  return { program, rounds, good, unconfirmed, sameErrors: line === null, why };
}

/** A program in which each round does the same; `steps` are actions with what must be seen after them. */
function used({ program, command, steps, hasFolded = false, isFresh = false, isSilent = true }) {
  const launched = () => ask('launch', '--ui', '--', ...command);
  const started = launched();
  if (started.sessionId === undefined) return { program, rounds, good: 0, why: started.message };
  let [good, tokens, why] = [0, 0, ''];
  for (let round = 0; round < rounds; round++) {
    if (isFresh && round > 0) launched();
    const { elements: lines = [] } = ask('ui', 'tree', '--budget', '1200');
    tokens = Math.max(tokens, Math.round(lines.join('\n').length / 4));
    const missed = steps.map(unseen).find((one) => one !== null);
    if (missed !== undefined) why ||= missed;
    else if (hasFolded && !isUnfolded()) why ||= 'what is folded cannot be reached';
    else good++;
    if (isFresh) {
      // One that is killed asks about that the next time.
      ask('ui', 'key', 'ctrl+q');
      ask('session', 'wait', '--timeout-ms', '10000', '--for', 'exit');
    }
  }
  const observed = errors();
  ask('session', 'stop');
  const line = isSilent ? otherErrors(command, observed) : null;
  if (line !== null) why += ` stderr: ${line}`;
  const sameErrors = isSilent ? line === null : 'not compared';
  return { program, rounds, good, tokens, sameErrors, why };
}

/** Whether what is folded in the tree is shown where its root is asked for. */
function isUnfolded() {
  const { elements: lines = [] } = ask('ui', 'tree', '--budget', '1200');
  const roots = [...lines.join('\n').matchAll(/more: debug_ui \{[^}]*"root":"([^"]+)"/g)];
  const below = roots.map(([, id]) => ask('ui', 'tree', '--root', id, '--budget', '20000'));
  return roots.length > 0 && below.every(({ elements: more = [] }) => more.length > 0);
}

/** The first element like this, for which a person would wait a moment. */
function elementLike(wanted) {
  for (let turn = 0; turn < 20; turn++) {
    const line = elements().find((one) => wanted.test(one));
    if (line !== undefined) return line;
  }
  return undefined;
}

/** What an action was answered with instead of what must be seen; null: with that. */
function unseen({ act: [action, wanted, ...more], seen }) {
  const line = elementLike(wanted);
  const id = / id=([^\s\]]+)/.exec(line ?? '')?.[1];
  if (id === undefined) return `nothing like ${wanted}`;
  const answer = ask('ui', action, '--id', id, ...more);
  const { done, delta = [], element } = answer;
  const isSeen = done === 'confirmed' && seen.test([...delta, element].join('\n'));
  return isSeen ? null : `${action} ${id}: ${JSON.stringify(answer)}`;
}

const calculators = [
  { program: 'galculator', command: ['galculator'] },
  { program: 'gnome-calculator', command: ['gnome-calculator'] },
  { program: 'kcalc', command: ['kcalc'] },
  {
    program: 'PySide6 keypad',
    command: [
      join(root, '.cache', 'pyside', 'bin', 'python'),
      join(root, 'proof', 'targets', 'keypad.py'),
    ],
  },
];

const others = [
  {
    program: 'Audacity',
    command: ['audacity'],
    isFresh: true,
    isSilent: false,
    steps: [
      { act: ['click', /\[check box "Don't show this again/], seen: /checked/ },
      { act: ['click', /\[check box "Don't show this again/], seen: /check box/ },
      { act: ['click', /\[button "OK"/], seen: /- \[frame "Welcome to Audacity!"/ },
    ],
  },
  {
    program: 'gtk4-widget-factory',
    command: ['gtk4-widget-factory'],
    hasFolded: true,
    steps: [
      { act: ['click', /\[check box "checkbutton"/], seen: /check box "checkbutton"/ },
      { act: ['setValue', /\[spin button/, '--value', '7'], seen: /value=7/ },
      { act: ['setValue', /\[spin button/, '--value', '8'], seen: /value=8/ },
    ],
  },
  {
    program: 'qalculate-gtk',
    command: ['qalculate-gtk'],
    isSilent: false,
    steps: [
      { act: ['click', /\[button "7"/], seen: /text id=\w+( focused)? "7"/ },
      { act: ['click', /\[button "AC"/], seen: /text id=\w+( focused)? ""/ },
    ],
  },
  {
    program: 'Swing form',
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

function isThere([program]) {
  return program.startsWith('/') ? existsSync(program) : spawnSync('which', [program]).status === 0;
}

const wanted = [
  ...calculators.map((one) => ({ ...one, run: calculated })),
  ...others.map((one) => ({ ...one, run: used })),
].filter(({ program }) => only.length === 0 || only.includes(program));
const rows = [];
try {
  for (const { run, ...one } of wanted) {
    const { program, command } = one;
    if (isThere(command)) rows.push(run(one));
    else rows.push({ program, rounds, good: 0, why: 'not installed: node scripts/uiPrograms.mjs' });
    console.log(JSON.stringify(rows.at(-1)));
  }
} finally {
  spawnSync(strobe, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
}
const ran = new Set(rows.map(({ program }) => program));
const earlier = recordedRows('ui').filter(({ program }) => !ran.has(program));
const all = [...earlier, ...rows];
const isGood = (row) => row.good === row.rounds && row.sameErrors !== false;
const verdict = `${all.filter(isGood).length} of ${all.length} programs: each round is seen to do what it did, each action confirmed, nothing more on stderr`;
console.log(verdict);
console.table(all);
recordRows('ui', verdict, all);
if (!rows.every(isGood)) process.exitCode = 1;
