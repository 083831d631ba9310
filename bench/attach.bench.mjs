/*
 * Attaching to a busy server of many threads: how long it takes, and what its clients notice. Four
 * clients ask one request after the other on connections of their own; their latencies are told
 * apart by what was going on: nothing, the attach, the trace, the detach.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { buildProgram } from './support/build.mjs';
import { median, quantile } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = 5;
/** Between rounds, as an agent would leave: the next host is ready then. */
const apartMs = 3500;
const quietMs = 1000;
const thinkMs = 1;
const server = buildProgram('server', ['tests/targets/e2e/server.c'], ['-pthread']);

/** Asks again and again; `phase()` names what was going on at the request. */
async function ask(path, phase, latencies, ends) {
  const socket = connect(path);
  await new Promise((resolve) => socket.once('connect', resolve));
  let faults = 0;
  for (let n = 1; !ends.now; n = (n % 999) + 1) {
    const before = phase();
    const began = performance.now();
    socket.write(`${n}\n`);
    const [line] = await new Promise((resolve) =>
      socket.once('data', (chunk) => resolve(chunk.toString().split('\n'))),
    );
    const ms = performance.now() - began;
    // A request that spans a change counts for what it ran into.
    for (const name of new Set([before, phase()])) (latencies[name] ??= []).push(ms);
    if (line !== String((n * (n + 1)) / 2)) faults++;
    await setTimeout(thinkMs);
  }
  socket.end();
  return faults;
}

const folder = mkdtempSync(join(tmpdir(), 'sbench-'));
const home = openHome();
const path = join(folder, 'server.sock');
const child = spawn(server, [path], { stdio: ['ignore', 'pipe', 'pipe'] });
let complaints = '';
child.stderr.on('data', (chunk) => (complaints += chunk));
await new Promise((resolve) => child.stdout.once('data', resolve));
child.stdout.resume();
try {
  const product = await Product.start(home);
  const latencies = {};
  const ends = { now: false };
  let phase = 'quiet';
  const clients = [1, 2, 3, 4].map(() => ask(path, () => phase, latencies, ends));
  const times = { attach: [], attachPlain: [], detach: [] };
  const attach = async (patterns) =>
    product.call('debug_launch', { pid: child.pid, projectRoot: home.project, patterns });
  const first = await attach(['sum_to']);
  await product.call('debug_session', { action: 'detach' });
  for (let round = 0; round < rounds; round++) {
    phase = 'quiet';
    await setTimeout(apartMs);
    phase = 'attach';
    times.attach.push((await attach(['sum_to', 'count_answer'])).ms);
    phase = 'traced';
    await setTimeout(quietMs);
    phase = 'detach';
    times.detach.push((await product.call('debug_session', { action: 'detach' })).ms);
    phase = 'quiet';
    await setTimeout(apartMs);
    times.attachPlain.push((await attach([])).ms);
    await product.call('debug_session', { action: 'detach' });
  }
  ends.now = true;
  const faults = (await Promise.all(clients)).reduce((sum, one) => sum + one, 0);
  await product.close();
  const shown = (name) => {
    const values = latencies[name] ?? [0];
    return {
      what: `a request of the server, ${name}: p50`,
      value: median(values),
      unit: 'ms',
      note: `p99 ${quantile(values, 0.99).toFixed(2)}, worst ${quantile(values, 1).toFixed(1)} ms, ${values.length} requests`,
    };
  };
  record('attach', 'Attach', [
    {
      what: 'answer of debug_launch with a pid, two functions hooked, warm',
      value: median(times.attach),
      unit: 'ms',
      limit: '≤ 300 ms',
      note: `p95 ${quantile(times.attach, 0.95).toFixed(0)} ms, ${rounds} rounds, busy server, seven threads`,
    },
    { what: 'the same without patterns', value: median(times.attachPlain), unit: 'ms' },
    { what: 'answer of debug_session detach', value: median(times.detach), unit: 'ms' },
    { what: 'first attach of a fresh home', value: first.ms, unit: 'ms', note: 'one round' },
    shown('quiet'),
    shown('attach'),
    shown('traced'),
    shown('detach'),
    {
      what: 'wrong answers and interrupted calls of the server',
      value: faults + complaints.split('\n').length - 1,
      unit: '',
      limit: '= 0',
    },
  ]);
} finally {
  child.kill();
  home.close();
  rmSync(folder, { recursive: true, force: true });
}
