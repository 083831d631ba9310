/*
 * Attaching to a Python program that calls all the time, again and again: how long the answer takes, and for how long
 * its calls are held up. `node bench/pythonAttach.bench.mjs 3.14` measures one version.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { median, quantile } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { chosenPythons } from './support/pythons.mjs';
import { record, root } from './support/record.mjs';

const rounds = 6;
/** Between rounds, as an agent would leave: the next host is ready then. */
const apartMs = 3500;
const tracedMs = 500;
const folder = join(root, 'bench', 'targets');
const patterns = [{ pattern: 'busy.wanted', sampling: 'off' }];

const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

/** A program that runs, and when it was held up. */
async function start(python) {
  const child = spawn(python, [join(folder, 'busy.py')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const held = [];
  const lines = createInterface({ input: child.stdout });
  await new Promise((resolve) => lines.once('line', resolve));
  lines.on('line', (line) => {
    const [at, ms] = line.split(' ').map(Number);
    held.push({ at, ms });
  });
  const worst = (from, to) =>
    Math.max(0, ...held.filter(({ at, ms }) => at + ms >= from && at <= to).map(({ ms }) => ms));
  return { child, worst };
}

async function measured(product, python) {
  const { child, worst } = await start(python);
  const times = { attach: [], held: [], quiet: [], detach: [], leaving: [] };
  let calls = 0;
  try {
    for (let round = 0; round <= rounds; round++) {
      const quiet = nowMs();
      await setTimeout(apartMs);
      const began = nowMs();
      const { ms, sessionId } = await product.call('debug_launch', {
        pid: child.pid,
        projectRoot: folder,
        patterns,
      });
      const attached = nowMs();
      await setTimeout(tracedMs);
      const leaving = nowMs();
      const left = await product.call('debug_session', { action: 'detach', sessionId });
      const gone = nowMs();
      await setTimeout(tracedMs);
      const { counters } = await product.call('debug_session', { action: 'status', sessionId });
      calls += counters.seen > 0 ? 1 : 0;
      if (round === 0) continue;
      times.quiet.push(worst(quiet, began));
      times.attach.push(ms);
      times.held.push(worst(began, attached));
      times.detach.push(left.ms);
      times.leaving.push(worst(leaving, gone));
    }
  } finally {
    child.kill();
  }
  return { times, calls };
}

const home = openHome();
try {
  const product = await Product.start(home);
  for (const [version, python] of chosenPythons()) {
    const { times, calls } = await measured(product, python);
    record(`pythonAttach@${version}`, `Attach to Python ${version}`, [
      {
        what: 'answer of debug_launch with a pid, a function traced, warm',
        value: median(times.attach),
        unit: 'ms',
        limit: '≤ 150 ms',
        note: `${rounds} rounds with one process, worst ${quantile(times.attach, 1).toFixed(0)} ms`,
      },
      {
        what: 'longest time its calls were held up by an attach',
        value: median(times.held),
        unit: 'ms',
        ...(Number(version.slice(2)) >= 14 ? { limit: '≤ 15 ms' } : {}),
        note: `worst ${quantile(times.held, 1).toFixed(1)} ms; in 3.5 s without one ${median(times.quiet).toFixed(1)}, worst ${quantile(times.quiet, 1).toFixed(1)} ms`,
      },
      {
        what: 'answer of debug_session detach',
        value: median(times.detach),
        unit: 'ms',
        note: `calls held up for ${median(times.leaving).toFixed(1)}, worst ${quantile(times.leaving, 1).toFixed(1)} ms`,
      },
      { what: 'attaches that recorded calls', value: calls, unit: '', limit: `= ${rounds + 1}` },
    ]);
  }
  await product.close();
} finally {
  home.close();
}
