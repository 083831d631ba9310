/* A short program started plainly, under observation, and traced: start to exit, rounds interleaved. */
import { spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { buildProgram } from './support/build.mjs';
import { median, quantile } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = 9;
/** Between launches, as a person or an agent would leave: the next host is ready then. */
const apartMs = 3500;
const args = ['10'];
const program = buildProgram('many', ['bench/targets/many.cpp']);

function plain() {
  const started = performance.now();
  spawnSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  return performance.now() - started;
}

async function observed(product, patterns) {
  const started = performance.now();
  const launched = await product.launch(program, args, patterns);
  await product.waitForExit(launched.sessionId);
  return { whole: performance.now() - started, answer: launched.ms };
}

const home = openHome();
try {
  const product = await Product.start(home);
  const first = await observed(product, ['shop::**']);
  const times = { plain: [], watched: [], traced: [], answer: [], hurried: [] };
  for (let round = 0; round < rounds; round++) {
    times.plain.push(plain());
    times.watched.push((await observed(product, [])).whole);
    await setTimeout(apartMs);
    const traced = await observed(product, ['shop::**']);
    times.traced.push(traced.whole);
    times.answer.push(traced.answer);
    times.hurried.push((await observed(product, ['shop::**'])).whole);
  }
  await product.close();
  const beside = median(times.plain);
  record('launch', 'Launch', [
    {
      what: 'plain run (spawn to exit)',
      value: beside,
      unit: 'ms',
      note: `C++ with two threads, ${rounds} rounds`,
    },
    {
      what: 'observed, no patterns',
      value: median(times.watched),
      unit: 'ms',
      note: `+${(median(times.watched) - beside).toFixed(0)} ms`,
    },
    {
      what: 'traced (shop::**), warm',
      value: median(times.traced),
      unit: 'ms',
      note: `p95 ${quantile(times.traced, 0.95).toFixed(0)} ms`,
    },
    {
      what: 'armed above plain, warm',
      value: median(times.traced) - beside,
      unit: 'ms',
      limit: '≤ 300 ms',
    },
    {
      what: 'traced, right after another launch',
      value: median(times.hurried),
      unit: 'ms',
      note: 'no host was ready yet',
    },
    { what: 'answer of debug_launch, traced, warm', value: median(times.answer), unit: 'ms' },
    {
      what: 'traced, first launch of a fresh home',
      value: first.whole,
      unit: 'ms',
      note: 'starts the daemon, reads the symbols; one round',
    },
  ]);
} finally {
  home.close();
}
