/*
 * Nanoseconds per call of a small function with two arguments and a result: untraced, under
 * observation without a hook, traced by us, and by Frida's stock listeners for comparison. The
 * target measures itself; its first lines are measured as its last ones are.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const rounds = 7;
const program = buildProgram('pair', ['bench/targets/pair.c']);

function linesOf(text) {
  const values = text.trim().split('\n').map(Number);
  if (values.length !== rounds || values.some(Number.isNaN))
    throw new Error(`unexpected output: ${text}`);
  return values;
}

function plain() {
  return linesOf(spawnSync(program, [rounds, 20_000_000].map(String), { encoding: 'utf8' }).stdout);
}

async function observed(product, patterns, calls) {
  const launched = await product.launch(program, [rounds, calls].map(String), patterns);
  await product.waitForExit(launched.sessionId);
  const { lines } = await product.call('debug_query', {
    view: 'output',
    sessionId: launched.sessionId,
    stream: 'stdout',
  });
  const { counters } = await product.call('debug_query', {
    view: 'stats',
    sessionId: launched.sessionId,
  });
  return { values: linesOf(lines.map((line) => line.text).join('\n')), counters };
}

/** Frida's own listeners through its Python package; null with the reason when it is not there. */
function stock(kind, calls) {
  const script = join(root, 'bench', 'support', 'stockFrida.py');
  const runtime = join(root, '.cache', 'home', 'runtime');
  if (!existsSync(runtime)) return { values: null, why: 'Frida is not provisioned in .cache/home' };
  const ended = spawnSync(
    'python3',
    [script, runtime, program, kind, String(rounds), String(calls)],
    {
      encoding: 'utf8',
      timeout: 120_000,
    },
  );
  if (ended.status !== 0)
    return { values: null, why: ended.stderr.trim().split('\n').at(-1) ?? 'failed' };
  return { values: linesOf(ended.stdout), why: null };
}

/** uftrace's dynamic tracing of the same program, with what `capture` asks for. */
function uftrace(capture, calls) {
  const folder = mkdtempSync(join(tmpdir(), 'uftrace-'));
  try {
    const ended = spawnSync(
      'uftrace',
      [
        'record',
        '-P',
        'mix',
        ...capture,
        '--no-libcall',
        '-d',
        folder,
        program,
        `${rounds}`,
        `${calls}`,
      ],
      { encoding: 'utf8', timeout: 120_000 },
    );
    if (ended.error) return { values: null, why: 'not installed here' };
    return { values: linesOf(ended.stdout), why: null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const home = openHome();
try {
  const product = await Product.start(home);
  const untraced = plain();
  const watched = await observed(product, [], 20_000_000);
  const quiet = await observed(product, ['mix'], 300_000);
  const flood = await observed(product, ['mix'], 3_000_000);
  await product.close();
  const module = stock('cmodule', 1_000_000);
  const listener = stock('javascript', 100_000);
  const bare = uftrace([], 300_000);
  const full = uftrace(['-A', 'mix@arg1/u32,arg2/u32', '-R', 'mix@retval/u32'], 300_000);
  const base = median(untraced);
  const lost = ({ counters }) => `${counters.lost} of ${counters.seen} events lost`;
  const times = (value) =>
    `×${((value - base) / (median(quiet.values) - base)).toFixed(1)} of ours`;
  const stockRow = (what, { values, why }) =>
    values === null
      ? { what, value: null, note: why }
      : { what, value: median(values) - base, unit: 'ns', note: times(median(values)) };
  record('callPair', 'Call pair: two integer arguments and a result', [
    {
      what: 'untraced call',
      value: base,
      unit: 'ns',
      note: `median of ${rounds} rounds in one process`,
    },
    { what: 'launched by Strobe, not hooked', value: median(watched.values), unit: 'ns' },
    {
      what: 'traced, above untraced',
      value: median(quiet.values) - base,
      unit: 'ns',
      limit: '≤ 60 ns',
      note: `2.1 M calls; ${lost(quiet)}`,
    },
    {
      what: 'traced without pause, above untraced',
      value: median(flood.values) - base,
      unit: 'ns',
      note: `21 M calls; ${lost(flood)}`,
    },
    stockRow('Frida CModule listener with enter and leave, nothing recorded', module),
    stockRow('Frida JavaScript listener that reads both arguments and the result', listener),
    stockRow('uftrace -P, enter and return only', bare),
    stockRow('uftrace -P with -A and -R: both arguments and the result', full),
  ]);
} finally {
  home.close();
}
