/* What it costs a program to start others: alone, observed without and with following, and traced; rounds interleaved. */
import { spawnSync } from 'node:child_process';
import { buildProgram } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { client, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = 5;
const count = 500;
const program = buildProgram('spawns', ['bench/targets/spawns.c']);
const command = [program, String(count), '/bin/true'];

const home = openHome();
/** Median time of one start in µs. */
function timed(words) {
  const [first, ...rest] = words;
  const run = spawnSync(first, rest, { env: home.env, cwd: home.project, encoding: 'utf8' });
  const times = run.stdout.trim().split('\n').map(Number);
  if (times.length !== count) throw new Error(`${words.join(' ')}: ${run.stderr}`);
  return median(times);
}

try {
  const strobe = [process.execPath, client, 'run'];
  const ways = {
    alone: command,
    unfollowed: [...strobe, '--children', 'none', '--', ...command],
    followed: [...strobe, '--', ...command],
    asked: [...strobe, '--trace', 'nothing::*', '--', ...command],
  };
  const times = { alone: [], unfollowed: [], followed: [], asked: [] };
  timed(ways.asked);
  for (let round = 0; round < rounds; round++)
    for (const [name, words] of Object.entries(ways)) times[name].push(timed(words));
  const alone = median(times.alone);
  const row = (what, name) => {
    const value = median(times[name]);
    const more = (value - alone).toFixed(0);
    return { what, value, unit: 'µs', note: `${value < alone ? '' : '+'}${more} µs` };
  };
  record('children', 'Children', [
    {
      what: 'vfork, exec and end of /bin/true, alone',
      value: alone,
      unit: 'µs',
      note: `${count} one after the other, median; ${rounds} rounds`,
    },
    row('observed, follow none', 'unfollowed'),
    row('observed, followed', 'followed'),
    row('observed, followed, with patterns', 'asked'),
  ]);
} finally {
  home.close();
}
