/* `strobe run` of a short program beside the program alone: start to exit, rounds interleaved. */
import { spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { buildProgram } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { client, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = 9;
/** Between runs, as a person would leave: the next host is ready then. */
const apartMs = 3500;
const program = buildProgram('many', ['bench/targets/many.cpp']);
const home = openHome();

function timed(command, args) {
  const started = performance.now();
  const ended = spawnSync(command, args, {
    cwd: home.project,
    env: home.env,
    encoding: 'utf8',
  });
  if (ended.status !== 0) throw new Error(ended.stderr);
  return { ms: performance.now() - started, report: ended.stderr };
}

const run = (...options) =>
  timed(process.execPath, [client, 'run', ...options, '--', program, '10']);

try {
  run('-t', 'shop::**');
  const times = { plain: [], watched: [], traced: [] };
  for (let round = 0; round < rounds; round++) {
    await setTimeout(apartMs);
    times.plain.push(timed(program, ['10']).ms);
    times.watched.push(run().ms);
    await setTimeout(apartMs);
    const { ms, report } = run('-t', 'shop::**');
    if (!report.includes('lost 0')) throw new Error(report);
    times.traced.push(ms);
  }
  const beside = median(times.plain);
  record('run', 'strobe run', [
    { what: 'the program alone', value: beside, unit: 'ms', note: `${rounds} rounds` },
    { what: 'strobe run above it', value: median(times.watched) - beside, unit: 'ms' },
    {
      what: 'strobe run -t shop::** above it, with its report',
      value: median(times.traced) - beside,
      unit: 'ms',
      limit: '≤ 400 ms',
    },
  ]);
} finally {
  home.close();
}
