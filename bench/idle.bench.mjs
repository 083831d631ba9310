/*
 * What Strobe costs while nothing happens: processor time over an idle minute and resident memory
 * of each of its processes, alone, with a client, with a quiet traced session and after a busy one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { buildProgram } from './support/build.mjs';
import { Product, client, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const minuteMs = 60_000;
/** What a start leaves to do (compiling, collecting garbage) is over by then. */
const settleMs = 10_000;
/** What is kept ready for the next launch has gone by then. */
const restedMs = 95_000;
const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK']).toString());

/** Processes of the home, by what they are. */
function processesOf(home) {
  const found = {};
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0');
      if (!environment.includes(`STROBE_HOME=${home.path}`)) continue;
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1');
      const kind = /daemon\.js/.test(command)
        ? 'daemon'
        : /sidecar/.test(command)
          ? 'host'
          : /dist\/supervisor/.test(command)
            ? 'supervisor'
            : /client\.js/.test(command)
              ? 'proxy'
              : 'target';
      (found[kind] ??= []).push(Number(name));
    } catch {
      // It has ended, or is another user's.
    }
  }
  return found;
}

function cpuSeconds(pids = []) {
  return pids.reduce((sum, pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }, 0);
}

function megabytes(pids = []) {
  return pids.reduce((sum, pid) => {
    const [, kib = '0'] =
      /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return sum + (Number(kib) * 1024) / 1e6;
  }, 0);
}

/** Rows of one idle minute. */
async function idleMinute(home, when, waitMs, limits = {}) {
  await pause(waitMs);
  const kinds = processesOf(home);
  const watched = Object.keys(kinds).filter((kind) => kind !== 'target');
  const before = Object.fromEntries(watched.map((kind) => [kind, cpuSeconds(kinds[kind])]));
  await pause(minuteMs);
  return watched.toSorted().flatMap((kind) => [
    {
      what: `${kind}, ${when}: processor per idle minute`,
      value: (cpuSeconds(kinds[kind]) - before[kind]) * 1000,
      unit: 'ms',
      limit: kind === 'daemon' ? '0 %: ≤ 60 ms (0.1 %)' : '',
      note: `ticks of ${1000 / ticksPerSecond} ms`,
    },
    {
      what: `${kind}, ${when}: memory`,
      value: megabytes(kinds[kind]),
      unit: 'MB',
      limit: limits[kind] ?? '',
      note: kinds[kind].length > 1 ? `${kinds[kind].length} processes` : '',
    },
  ]);
}

const home = openHome();
try {
  spawnSync(process.execPath, [client, 'daemon', 'start'], { env: home.env, cwd: home.project });
  const rows = await idleMinute(home, 'alone', restedMs, { daemon: '≤ 120 MB' });
  const product = await Product.start(home);
  await product.call('debug_session', { action: 'list' });
  rows.push(...(await idleMinute(home, 'with a client', settleMs)));
  const quiet = await product.launch('/bin/sleep', ['600'], ['main']);
  rows.push(...(await idleMinute(home, 'with a quiet session', settleMs)));
  await product.call('debug_session', { action: 'stop', sessionId: quiet.sessionId });
  const busy = await product.launch(
    buildProgram('pair', ['bench/targets/pair.cpp']),
    ['3', '1000000'],
    ['mix'],
  );
  await product.waitForExit(busy.sessionId);
  await product.call('debug_query', { sessionId: busy.sessionId, view: 'tree' });
  await product.close();
  rows.push(...(await idleMinute(home, 'after 3 million calls', restedMs)));
  record('idle', 'Cost of doing nothing', rows);
} finally {
  home.close();
}
