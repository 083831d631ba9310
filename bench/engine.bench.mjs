/*
 * What the hook engine costs: nanoseconds per call of a small function, untraced, traced by us, by
 * uftrace and by Frida's stock listeners; and what it takes to arm and remove many hooks. The target
 * measures its own processor time. Every way runs in each round, in one order and in the other by turns.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const rounds = Number(process.env.ROUNDS ?? 6);
const inner = 3;
const program = buildProgram('pair', ['bench/targets/pair.cpp']);
const crowds = [
  [10_000, buildProgram('crowd', ['bench/targets/crowd.c'])],
  [50_000, buildProgram('crowdOfMany', ['bench/targets/crowdOfMany.c'])],
];

function linesOf(text) {
  const values = text.trim().split('\n').map(Number);
  if (values.length !== inner || values.some(Number.isNaN))
    throw new Error(`unexpected output: ${text}`);
  return values;
}

function pairArguments(calls, what, threads, ...more) {
  return [inner, calls, what, threads, ...more].map(String);
}

function untraced(what, threads, calls = 20_000_000) {
  const { stdout } = spawnSync(program, pairArguments(calls, what, threads), { encoding: 'utf8' });
  return linesOf(stdout);
}

async function outputOf(product, sessionId) {
  await product.waitForExit(sessionId);
  const { lines } = await product.call('debug_query', {
    view: 'output',
    sessionId,
    stream: 'stdout',
  });
  return linesOf(lines.map((line) => line.text).join('\n'));
}

const losses = { lost: 0, seen: 0 };

async function traced(product, patterns, what, threads, calls, ...more) {
  const args = pairArguments(calls, what, threads, ...more);
  const { sessionId } = await product.launch(program, args, patterns);
  const values = await outputOf(product, sessionId);
  const { counters } = await product.call('debug_query', { view: 'stats', sessionId });
  losses.lost += counters.lost;
  losses.seen += counters.seen;
  return values;
}

/** A forked child keeps the jumps of its parent when their hooks are removed: they are off. */
async function off(product) {
  const launched = await product.call('debug_launch', {
    command: program,
    args: pairArguments(20_000_000, 'mix', 1, 'hold'),
    projectRoot: product.home.project,
    patterns: ['mix'],
    stdin: 'open',
  });
  const { sessionId } = launched;
  await product.call('debug_trace', { sessionId, clear: true });
  await product.call('debug_session', { action: 'input', sessionId, text: 'go\n', eof: true });
  return outputOf(product, sessionId);
}

/** Frida's own listeners through its Python package; throws the reason when it is not there. */
function stock(kind, calls) {
  const script = join(root, 'bench', 'support', 'stockFrida.py');
  const runtime = join(root, '.cache', 'home', 'runtime');
  if (!existsSync(runtime)) throw new Error('Frida is not provisioned in .cache/home');
  const args = [script, runtime, kind, program, ...pairArguments(calls, 'mix', 1)];
  const ended = spawnSync('python3', args, { encoding: 'utf8', timeout: 120_000 });
  if (ended.status !== 0) throw new Error(ended.stderr.trim().split('\n').at(-1) ?? 'failed');
  return linesOf(ended.stdout);
}

/** uftrace's dynamic tracing of the same program, with what `capture` asks for. */
function uftrace(capture, calls) {
  const folder = mkdtempSync(join(tmpdir(), 'uftrace-'));
  try {
    const how = ['record', '-P', 'mix', ...capture, '--no-libcall', '-d', folder];
    const args = [...how, program, ...pairArguments(calls, 'mix', 1)];
    const ended = spawnSync('uftrace', args, { encoding: 'utf8', timeout: 120_000 });
    if (ended.error) throw new Error('not installed here');
    return linesOf(ended.stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function kilobytes(pid) {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Rss:\s+(\d+)/m.exec(rollup)?.[1]);
}

/** Arms every function of a program that waits for its input, and removes the hooks again. */
async function crowd(product, path) {
  const launched = await product.call('debug_launch', {
    command: path,
    args: ['1'],
    projectRoot: product.home.project,
    patterns: ['main'],
    stdin: 'open',
  });
  const { sessionId, pid } = launched;
  const before = kilobytes(pid);
  const armed = await product.call('debug_trace', { sessionId, add: ['crowd_*'] });
  const bytes = ((kilobytes(pid) - before) * 1024) / armed.hookedFunctions;
  const removed = await product.call('debug_trace', { sessionId, remove: ['crowd_*'] });
  await product.call('debug_session', { action: 'input', sessionId, text: 'go\n', eof: true });
  await product.waitForExit(sessionId);
  return { armMs: armed.ms, removeMs: removed.ms, bytes, hooked: armed.hookedFunctions };
}

const exact = [{ pattern: 'mix', sampling: 'off' }];
const exactText = [{ pattern: 'text', sampling: 'off' }];
const exactString = [{ pattern: 'string', sampling: 'off' }];
const exactObject = [{ pattern: 'object', sampling: 'off' }];
const registers = ['-A', 'mix@arg1/u32,arg2/u32', '-R', 'mix@retval/u32'];
const ways = {
  plain: () => untraced('mix', 1),
  plainTwo: () => untraced('mix', 2),
  plainText: () => untraced('text', 1),
  plainString: () => untraced('string', 1),
  plainObject: () => untraced('object', 1),
  watched: (product) => traced(product, [], 'mix', 1, 20_000_000),
  ours: (product) => traced(product, exact, 'mix', 1, 100_000, 'paced'),
  oursTwo: (product) => traced(product, exact, 'mix', 2, 100_000, 'paced'),
  oursBeside: (product) => traced(product, exact, 'mix', 2, 100_000, 'beside'),
  oursSlow: (product) => traced(product, exact, 'mix', 1, 100_000, 'slow'),
  oursText: (product) => traced(product, exactText, 'text', 1, 100_000, 'slow'),
  oursTextPaced: (product) => traced(product, exactText, 'text', 1, 100_000, 'paced'),
  oursString: (product) => traced(product, exactString, 'string', 1, 100_000, 'slow'),
  oursShort: (product) => traced(product, exactString, 'short', 1, 100_000, 'slow'),
  oursObject: (product) => traced(product, exactObject, 'object', 1, 100_000, 'slow'),
  burst: (product) => traced(product, exact, 'mix', 1, 100_000),
  flood: (product) => traced(product, exact, 'mix', 1, 3_000_000),
  hot: (product) => traced(product, ['mix'], 'mix', 1, 10_000_000),
  off: (product) => off(product),
  module: () => stock('cmodule', 1_000_000),
  listener: () => stock('javascript', 100_000),
  bare: () => uftrace([], 300_000),
  full: () => uftrace(registers, 300_000),
};

const values = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
const reasons = {};
const crowdRows = [];
const home = openHome();
try {
  const product = await Product.start(home);
  for (let round = 0; round < rounds; round++) {
    const order = Object.entries(ways);
    for (const [name, run] of round % 2 === 0 ? order : order.toReversed()) {
      if (reasons[name] !== undefined) continue;
      try {
        values[name].push(...(await run(product)));
      } catch (error) {
        reasons[name] = error.message;
      }
    }
  }
  for (const [count, path] of crowds) {
    const all = [];
    // The first reads the symbols.
    await crowd(product, path);
    for (let round = 0; round < 3; round++) all.push(await crowd(product, path));
    const of = (key) => median(all.map((one) => one[key]));
    const limits = count === 10_000 ? ['≤ 700 ms', '≤ 300 ms', '≤ 3,072 bytes'] : [];
    const name = count.toLocaleString('en');
    const note = `${of('hooked').toLocaleString('en')} hooked; the whole request`;
    crowdRows.push(
      { what: `arming ${name} functions`, value: of('armMs'), unit: 'ms', limit: limits[0], note },
      { what: `removing them`, value: of('removeMs'), unit: 'ms', limit: limits[1] },
      {
        what: `memory of the target for each`,
        value: of('bytes'),
        unit: 'bytes',
        limit: limits[2],
      },
    );
  }
  await product.close();
} finally {
  home.close();
}

const of = (name) => (reasons[name] === undefined ? median(values[name]) : null);
const above = (name, base = 'plain') => (of(name) === null ? null : of(name) - of(base));
const pair = above('ours');
const aboveIntegers = (name, base) =>
  of(name) === null || of('oursSlow') === null ? null : above(name, base) - above('oursSlow');
const row = (what, name, value, limit, note) => ({
  what,
  value,
  ...(value === null ? {} : { unit: 'ns' }),
  ...(limit ? { limit } : {}),
  note: reasons[name] ?? note,
});
const against = (what, name, atLeast) => {
  const value = above(name);
  const note = value === null ? '' : `×${(value / pair).toFixed(1)} of ours`;
  return row(what, name, value, atLeast ? `≥ ×${atLeast} of ours` : '', note);
};
const scale = (one, two) => (of(two) === null ? '' : `×${(of(two) / of(one)).toFixed(2)}`);
/** Else what lies neither on the stack nor among constants is read with one system call an event (docs/adr/0021-reads.md). */
const hasTransactions = / rtm /.test(readFileSync('/proc/cpuinfo', 'utf8'));
const asking = hasTransactions
  ? ''
  : '; the processor has no transactions, so the kernel is asked whether a fault is blocked';
record('engine', 'Hook engine: two integer arguments and a result', [
  row('untraced call', 'plain', of('plain'), '', `${rounds} rounds of ${inner}`),
  row('launched by Strobe, not hooked', 'watched', of('watched')),
  row(
    'traced, above untraced',
    'ours',
    pair,
    'about 30 ns',
    `at a pace its reader keeps up with, 1 M calls a second; ${losses.lost} of ${losses.seen} events lost in all rows`,
  ),
  row(
    'traced in a burst of 0.3 M calls, above untraced',
    'burst',
    above('burst'),
    '',
    'into memory that is new to it: all are kept',
  ),
  row('traced without pause, above untraced', 'flood', above('flood'), '', '3.1 M calls a round'),
  row('traced while sampled as a hot function, above untraced', 'hot', above('hot')),
  row(
    'a 40-byte C string argument, above two integers',
    'oursText',
    aboveIntegers('oursText', 'plainText'),
    '≤ 30 ns',
    'both at 0.25 M calls a second, which the reader keeps up with',
  ),
  row(
    'the same at 1 M calls a second',
    'oursTextPaced',
    of('oursTextPaced') === null ? null : above('oursTextPaced', 'plainText') - above('ours'),
    '',
    'its reader falls behind now and then: into memory that is new to the ring, too',
  ),
  row(
    'a std::string of 40 bytes by reference, above two integers',
    'oursString',
    aboveIntegers('oursString', 'plainString'),
    '≤ 60 ns',
    `on the heap, at the same pace${asking}`,
  ),
  row(
    'a std::string of 11 bytes by reference, above two integers',
    'oursShort',
    aboveIntegers('oursShort', 'plainString'),
    '≤ 60 ns',
    `within its object, at the same pace${asking}`,
  ),
  row(
    'a structure of three numbers behind a pointer, above two integers',
    'oursObject',
    aboveIntegers('oursObject', 'plainObject'),
    '≤ 60 ns',
    'at the same pace',
  ),
  row(
    'two threads untraced, one call',
    'plainTwo',
    of('plainTwo'),
    '',
    `${scale('plain', 'plainTwo')} of one thread`,
  ),
  row(
    'two threads in the traced function, one call',
    'oursTwo',
    of('oursTwo'),
    'no slower than plain arithmetic',
    `${scale('ours', 'oursTwo')} of one thread, ${scale('oursBeside', 'oursTwo')} of one beside arithmetic; 1 M calls a second of both`,
  ),
  row(
    'one thread in it, another in plain arithmetic, one call',
    'oursBeside',
    of('oursBeside'),
    '',
    `${scale('ours', 'oursBeside')} of one thread; 1 M calls a second`,
  ),
  row(
    'armed but off, above untraced',
    'off',
    above('off'),
    '≤ 1 ns',
    'a forked child whose hooks were removed',
  ),
  against('Frida CModule listener with enter and leave, nothing recorded', 'module'),
  against('Frida JavaScript listener that reads both arguments and the result', 'listener', 25),
  against('uftrace -P, enter and return only', 'bare'),
  against('uftrace -P with -A and -R: both arguments and the result', 'full', 4),
  ...crowdRows,
]);
