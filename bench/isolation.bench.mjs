/* What a session that floods costs another one: its questions, alone and beside a flood. */
import { spawn } from 'node:child_process';
import { buildProgram } from './support/build.mjs';
import { median, quantile } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = 40;
const quiet = buildProgram('ticker', ['tests/targets/e2e/ticker.cpp']);
const flood = buildProgram('flood', ['tests/targets/e2e/flood.c']);

const questions = {
  status: ['debug_session', { action: 'status' }],
  stats: ['debug_query', { view: 'stats' }],
  tree: ['debug_query', { view: 'tree' }],
  output: ['debug_query', { view: 'output', tail: 20 }],
};

async function measure(product, sessionId) {
  const times = Object.fromEntries(Object.keys(questions).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, [tool, request]] of Object.entries(questions)) {
      const { ms } = await product.call(tool, { ...request, sessionId });
      times[name].push(ms);
    }
  }
  return times;
}

/** Measures beside a program that floods for as long as it is measured. */
async function beside(product, sessionId, request) {
  const noisy = await product.call('debug_launch', {
    projectRoot: product.home.project,
    ...request,
  });
  try {
    return await measure(product, sessionId);
  } finally {
    await product.call('debug_session', {
      action: 'stop',
      sessionId: noisy.sessionId,
      graceMs: 0,
    });
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
  const alone = await measure(product, sessionId);
  const floods = {
    'an output flood': await beside(product, sessionId, { command: '/usr/bin/yes' }),
    'a call flood': await beside(product, sessionId, {
      command: flood,
      args: ['4000000000'],
      patterns: [{ pattern: 'mix', sampling: 'off' }],
    }),
  };
  // The flood's thread and the one that stores it: what two busy processors cost without us.
  const busy = [1, 2].map(() => spawn(flood, ['4000000000'], { stdio: 'ignore' }));
  try {
    floods['two busy programs that are not ours'] = await measure(product, sessionId);
  } finally {
    for (const program of busy) program.kill('SIGKILL');
  }
  await product.call('debug_session', { action: 'stop', sessionId });
  await product.close();
  const rows = Object.keys(questions).flatMap((name) => {
    const before = median(alone[name]);
    return [
      { what: `${name}, alone`, value: before, unit: 'ms', limit: '', note: note(alone[name]) },
      ...Object.entries(floods).map(([kind, times]) => ({
        what: `${name}, beside ${kind}`,
        value: median(times[name]),
        unit: 'ms',
        limit: kind.endsWith('flood') ? '≤ 2 × alone' : '',
        note: `${(median(times[name]) / before).toFixed(1)} × · ${note(times[name])}`,
      })),
    ];
  });
  record('isolation', 'Answers of one session beside another that floods', rows);
} finally {
  home.close();
}

function note(times) {
  return `p90 ${quantile(times, 0.9).toFixed(1)} ms, ${times.length} times`;
}
