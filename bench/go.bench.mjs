/*
 * What tracing of Go from outside costs: nanoseconds that a call of two arguments and a result takes, above the same
 * untraced; beside it `dlv trace` and a probe of the kernel (uprobe; as root). And what it takes to hook 5,000
 * functions of a program at work, and for how long that stops it. `node bench/go.bench.mjs symbols`: what reading the
 * symbols of a program of 100 MB takes.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildGoScale } from './support/goScale.mjs';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';
import { numberPrinted, stepRows } from './support/steps.mjs';

const crowdSize = 5000;
const crowdRounds = 5;
const folder = mkdtempSync(join(tmpdir(), 'sbench-go-'));
const delve = join(root, '.cache/delve/dlv');
/** Where the linker puts a program's first byte. */
const goBase = 0x400000;
const few = '300 2 2';
/** The reader is done before the next. */
const bursts = '20000 20 300';
/** The reader works all the while. */
const paced = '2000 500 2';

/** Functions that are called by one, so that none is left out of the program. */
function crowd() {
  const numbers = Array.from({ length: crowdSize }, (_, i) => i);
  const functions = numbers.map(
    (i) => `//go:noinline\nfunc crowd${i}(a, b int) int { return a*${i + 3} + b }\n`,
  );
  const calls = numbers.map((i) => `\tsum += crowd${i}(sum, ${i})\n`);
  return `package main\n\n${functions.join('\n')}\nfunc crowd(sum int) int {\n${calls.join('')}\treturn sum & 1\n}\n`;
}

function build(name, more = {}) {
  const place = join(folder, `${name}Source`);
  const program = join(folder, name);
  mkdirSync(place);
  copyFileSync(join(root, 'bench/targets', `${name}.go`), join(place, 'main.go'));
  for (const [file, text] of Object.entries({ 'go.mod': `module ${name}\n\ngo 1.22\n`, ...more }))
    writeFileSync(join(place, file), text);
  execFileSync('go', ['build', '-o', program], { cwd: place, stdio: 'inherit' });
  return program;
}

/** Launched without a pattern, at its input. */
async function launched(product, command) {
  const { sessionId } = await product.call('debug_launch', {
    command,
    projectRoot: product.home.project,
    stdin: 'open',
  });
  return sessionId;
}

async function traced(product, program, { pattern = null, isRemoved = false }, line) {
  const sessionId = await launched(product, program);
  if (pattern !== null) await product.call('debug_trace', { sessionId, add: [pattern] });
  if (isRemoved) await product.call('debug_trace', { sessionId, remove: [pattern] });
  const value = await numberPrinted(product, sessionId, line);
  const { counters } = await product.call('debug_query', { view: 'stats', sessionId });
  if (counters.lost > 0) throw new Error(`${counters.lost} events were lost`);
  return value;
}

/** What a step takes in a program that a command runs. */
function beside(command, args) {
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  const value = Number(/^(\d+\.\d+)$/m.exec(stdout)?.[1]);
  return Number.isNaN(value) ? { why: stderr.trim().split('\n').at(-1) } : { value };
}

/** A probe of the kernel at the entry alone: one at the return would move a return address, which ends programs of Go. */
function uprobed(program) {
  const names = execFileSync('go', ['tool', 'nm', program], { encoding: 'utf8' });
  const address = /^ *([0-9a-f]+) \S main\.step$/m.exec(names)?.[1];
  const offset = Number.parseInt(address, 16) - goBase;
  const probe = `p:strobe_bench/step ${program}:${offset} i=%ax:s64 twice=%bx:s64`;
  const lines = [
    'set -e; mount -t tracefs none /mnt; cd /mnt',
    `echo '${probe}' >> uprobe_events`,
    "trap 'echo 0 > events/strobe_bench/enable; echo -:strobe_bench/step >> uprobe_events' EXIT",
    'echo 1 > events/strobe_bench/enable',
    `${program} ${few}`,
  ];
  return beside('unshare', ['-m', 'sh', '-c', lines.join('\n')]);
}

/** Hooks a crowd that looks at the clock without pause: `tookMs` until all are hooked, `stoppedMs` the longest gap. */
async function crowded(product, program) {
  const sessionId = await launched(product, program);
  const line = async (after) => {
    await product.call('debug_session', { action: 'input', sessionId, text: 'gap\n' });
    await product.call('debug_session', { action: 'wait', sessionId, for: ['output'] });
    const { lines } = await product.call('debug_query', { view: 'output', sessionId });
    return lines.length > after ? Number(lines.at(-1).text) : await line(after);
  };
  await line(1);
  const first = await product.call('debug_trace', { sessionId, add: ['main.crowd*'] });
  const stoppedMs = await line(2);
  await product.call('debug_trace', { sessionId, remove: ['main.crowd*'] });
  const again = await product.call('debug_trace', { sessionId, add: ['main.crowd*'] });
  if (again.hookedFunctions < crowdSize) throw new Error(again.text);
  await product.call('debug_session', { action: 'stop', sessionId });
  return { first: first.ms, again: again.ms, stoppedMs };
}

async function crowdRows() {
  const program = build('crowd', { 'crowd.go': crowd() });
  const home = openHome();
  try {
    const product = await Product.start(home);
    const all = [];
    for (let round = 0; round < crowdRounds; round++) all.push(await crowded(product, program));
    await product.close();
    const row = (what, values, limit, note) => ({
      what,
      value: median(values),
      unit: 'ms',
      limit,
      note,
    });
    const of = (name) => all.map((one) => one[name]);
    return [
      row(
        `hook ${crowdSize} functions of a program at work`,
        of('again'),
        '≤ 150 ms',
        'once their details are known',
      ),
      row('the same for the first time', of('first')),
      {
        ...row('its longest stop meanwhile', of('stoppedMs'), '≤ 40 ms'),
        note: 'as a goroutine at work sees it, by the clock',
      },
    ];
  } finally {
    home.close();
  }
}

/** Each time by a process of its own: cold, then from disk. */
function symbolRows() {
  const program = buildGoScale();
  const rounds = Array.from({ length: crowdRounds }, (_, round) => {
    const index = join(folder, `index${round}`);
    const read = (...patterns) =>
      JSON.parse(
        execFileSync(
          process.execPath,
          [join(root, 'bench/support/readSymbols.mjs'), program, index, ...patterns],
          { encoding: 'utf8' },
        ),
      );
    return { cold: read(), warm: read('scale/part7.*') };
  });
  const { functions } = rounds[0].cold;
  const name = `${(statSync(program).size / 1e6).toFixed(0)} MB program of Go`;
  const row = (what, of, limit, note = '') => ({
    what: `${name}: ${what}`,
    value: median(rounds.map(of)),
    unit: 'ms',
    limit,
    note,
  });
  return [
    row(
      'symbols, cold',
      ({ cold }) => cold.openMs,
      '≤ 1,500',
      `${functions.toLocaleString('en')} functions, ${crowdRounds} rounds`,
    ),
    row('from disk', ({ warm }) => warm.openMs, '≤ 100'),
    row('find a package', ({ warm }) => warm.found[0].ms, '≤ 100'),
  ];
}

async function callRows() {
  const program = build('steps');
  const hook = { pattern: 'main.step' };
  const ways = {
    none: [{}, bursts],
    call: [hook, bursts],
    off: [{ ...hook, isRemoved: true }, bursts],
    paced: [hook, paced],
  };
  const { none, above } = await stepRows(ways, (product, way) => traced(product, program, ...way));
  const other = (what, { value, why }, note) =>
    value === undefined
      ? { what, value: null, note: why }
      : { what, value: (value - none.value) / 1000, unit: 'µs', note };
  record('go', 'Go, traced from outside', [
    none,
    {
      what: 'a call with two arguments and its result',
      value: above('call'),
      unit: 'ns',
      limit: '≤ 45 ns',
      note: 'above that; bursts of 20,000',
    },
    {
      what: 'the same while its reader works beside',
      value: above('paced'),
      unit: 'ns',
      note: 'bursts of 2,000, 2 ms apart',
    },
    {
      what: 'a call whose hook was removed',
      value: above('off'),
      unit: 'ns',
      limit: '≤ 3 ns',
      note: 'above that; its code is as it was',
    },
    other(
      'a call under a probe of the kernel (uprobe)',
      uprobed(program),
      'its entry and two arguments; by the clock',
    ),
    other(
      'a call under dlv trace',
      beside(delve, ['trace', '--exec', program, 'main.step', '--', ...few.split(' ')]),
      'by the clock',
    ),
    ...(await crowdRows()),
  ]);
}

try {
  if (process.argv[2] === 'symbols')
    record(
      'go@symbols',
      'Symbols of a large program of Go',
      symbolRows(),
      'bench/go.bench.mjs symbols',
    );
  else await callRows();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
