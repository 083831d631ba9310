/*
 * What a session that floods costs another one: its questions, beside a flood and while the flood is
 * stopped, by turns, so that whatever else the machine does weighs on both alike. One and two busy
 * programs that are not ours say what the processors they take cost by themselves.
 */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { buildProgram } from './support/build.mjs';
import { median, quantile } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const windows = 5;
const roundsInWindow = 4;
/** What a change of the disturbance leaves to do is over by then. */
const settleMs = 300;
const endless = '4000000000000';
const quiet = buildProgram('ticker', ['tests/targets/e2e/ticker.cpp']);
const flood = buildProgram('flood', ['tests/targets/e2e/flood.c']);

const questions = {
  status: ['debug_session', { action: 'status' }],
  stats: ['debug_query', { view: 'stats' }],
  tree: ['debug_query', { view: 'tree' }],
  output: ['debug_query', { view: 'output', tail: 20 }],
};

function noTimes() {
  return Object.fromEntries(Object.keys(questions).map((name) => [name, []]));
}

async function ask(product, sessionId, times) {
  await pause(settleMs);
  for (let round = 0; round < roundsInWindow; round++) {
    for (const [name, [tool, request]] of Object.entries(questions)) {
      const { ms } = await product.call(tool, { ...request, sessionId });
      times[name].push(ms);
    }
  }
}

/** Times while the processes are stopped, and while they run. */
async function byTurns(product, sessionId, pids) {
  const [alone, beside] = [noTimes(), noTimes()];
  const signal = (name) => pids.forEach((pid) => process.kill(pid, name));
  for (let window = 0; window < windows; window++) {
    signal('SIGSTOP');
    await ask(product, sessionId, alone);
    signal('SIGCONT');
    await ask(product, sessionId, beside);
  }
  return { alone, beside };
}

async function besideSession(product, sessionId, request) {
  const noisy = await product.call('debug_launch', {
    projectRoot: product.home.project,
    ...request,
  });
  try {
    const times = await byTurns(product, sessionId, [noisy.pid]);
    const { counters } = await product.call('debug_query', {
      view: 'stats',
      sessionId: noisy.sessionId,
    });
    return { ...times, counters };
  } finally {
    await product.call('debug_session', {
      action: 'stop',
      sessionId: noisy.sessionId,
      graceMs: 0,
    });
  }
}

async function besidePrograms(product, sessionId, count) {
  const busy = Array.from({ length: count }, () => spawn(flood, [endless], { stdio: 'ignore' }));
  try {
    return await byTurns(
      product,
      sessionId,
      busy.map(({ pid }) => pid),
    );
  } finally {
    for (const program of busy) program.kill('SIGKILL');
  }
}

const home = openHome();
try {
  const product = await Product.start(home);
  const { sessionId } = await product.launch(quiet, [], ['clockwork::**']);
  await product.call('debug_session', {
    action: 'wait',
    sessionId,
    for: ['output'],
    match: 'round 40',
  });
  await ask(product, sessionId, noTimes());
  const one = await besidePrograms(product, sessionId, 1);
  const two = await besidePrograms(product, sessionId, 2);
  const calls = await besideSession(product, sessionId, {
    command: flood,
    args: [endless],
    patterns: ['mix'],
  });
  // Its log is read on while it is stopped: what it is compared with are the others' quiet turns.
  const output = await besideSession(product, sessionId, { command: '/usr/bin/yes' });
  await product.call('debug_session', { action: 'stop', sessionId });
  await product.close();

  const alone = noTimes();
  for (const name of Object.keys(questions))
    alone[name].push(...one.alone[name], ...two.alone[name], ...calls.alone[name]);
  const rows = Object.keys(questions).flatMap((name) => [
    {
      what: `${name}, alone`,
      value: median(alone[name]),
      unit: 'ms',
      limit: '',
      note: spread(alone[name]),
    },
    besideRow(name, 'one busy program that is not ours', one.alone, one.beside),
    besideRow(name, 'two busy programs that are not ours', two.alone, two.beside),
    besideRow(name, 'a call flood', calls.alone, calls.beside, '≤ 2 × alone'),
    besideRow(name, 'an output flood', alone, output.beside, '≤ 2 × alone'),
  ]);
  const { seen, stored, lost, sampled } = calls.counters;
  rows.push({
    what: 'events of the call flood that were stored',
    value: (100 * stored) / seen,
    unit: '%',
    limit: '',
    note: `${seen} seen, ${lost} lost, ${sampled ?? 0} counted only`,
  });
  record('isolation', 'Answers of one session beside another that floods', rows);
} finally {
  home.close();
}

function besideRow(name, kind, alone, beside, limit = '') {
  const times = median(beside[name]) / median(alone[name]);
  return {
    what: `${name}, beside ${kind}`,
    value: median(beside[name]),
    unit: 'ms',
    limit,
    note: `${times.toFixed(1)} × of ${median(alone[name]).toFixed(1)} ms between its turns · ${spread(beside[name])}`,
  };
}

function spread(times) {
  return `p90 ${quantile(times, 0.9).toFixed(1)} ms, ${times.length} times`;
}
