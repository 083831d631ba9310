/*
 * How many calls a second are recorded live without a loss, and which burst is taken whole: with the settings as they
 * are, alone and beside busy loops. Of several runs the worst counts.
 */
import { spawn } from 'node:child_process';
import { buildProgram } from './support/build.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const program = buildProgram('steady', ['bench/targets/steady.c'], ['-pthread']);
const threads = 2;
const cases = [
  { millions: 1, seconds: 4, busy: 0, runs: 4 },
  { millions: 1, seconds: 4, busy: 1, runs: 3 },
  { millions: 1, seconds: 4, busy: 2, runs: 3 },
  { millions: 4, seconds: 4, busy: 0, runs: 2 },
  { millions: 8, seconds: 2, busy: 0, runs: 2 },
];

/** One session; how much of it was lost (%), how fast the program was, how long indexing took after its end. */
async function run({ millions, seconds }) {
  const home = openHome();
  try {
    const product = await Product.start(home);
    const { sessionId } = await product.launch(
      program,
      [String(threads), String(millions * 1e6), String(seconds)],
      [{ pattern: 'work', sampling: 'off' }],
    );
    await product.waitForExit(sessionId);
    const ended = performance.now();
    let stats;
    do stats = await product.call('debug_query', { view: 'stats', sessionId });
    while (stats.indexedTo !== null);
    const indexedMs = Math.round(performance.now() - ended);
    const output = await product.call('debug_query', { view: 'output', sessionId });
    const [made, took] = /(\d+) (\d+\.\d{3}) \d+/.exec(output.text)?.slice(1).map(Number) ?? [];
    const { seen, lost } = stats.counters;
    if (seen !== made * 2) throw new Error(`${seen} events of ${made} calls`);
    await product.close();
    return { lost: (100 * lost) / seen, reached: made / took / 1e6, indexedMs };
  } finally {
    home.close();
  }
}

const rows = [];
for (const one of cases) {
  const { millions, seconds, busy, runs } = one;
  const loops = Array.from({ length: busy }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    const results = [];
    for (let count = 0; count < runs; count++) results.push(await run(one));
    const beside = busy === 0 ? '' : ` beside ${busy} busy ${busy === 1 ? 'loop' : 'loops'}`;
    rows.push({
      what: `${millions} M calls/s for ${seconds} s${beside}, ${runs} runs: lost at most`,
      value: Math.max(...results.map(({ lost }) => lost)),
      unit: '%',
      limit: '0 %',
      note: `${Math.min(...results.map(({ reached }) => reached)).toFixed(2)} M/s reached at least by ${threads} threads; all indexed ${Math.max(...results.map(({ indexedMs }) => indexedMs))} ms after the end at most`,
    });
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}
record('capture', 'Capture', rows);
