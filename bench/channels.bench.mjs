/*
 * What channel net costs: nanoseconds of the hook of a function that carries 256 bytes, all of them captured; a message
 * over a pair of sockets, sent and received, traced and untraced; and how long 10,000 requests take to be found.
 */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { buildProgram } from './support/build.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const burst = 5000;
const requests = 10_000;
const library = buildProgram(
  'libssl.so',
  ['bench/targets/channelsLibrary.c'],
  ['-shared', '-fPIC', '-g0'],
);
const program = buildProgram(
  'channels',
  ['bench/targets/channels.c'],
  [library, `-Wl,-rpath,${dirname(library)}`],
);

function untraced(what) {
  return Number(spawnSync(program, [what, String(burst)], { encoding: 'utf8' }).stdout);
}

async function traced(product, what) {
  const patterns = [{ pattern: '@net', sampling: 'off' }];
  const { sessionId } = await product.launch(program, [what, String(burst)], patterns);
  await product.waitForExit(sessionId);
  const { lines } = await product.call('debug_query', { view: 'output', sessionId });
  const { counters } = await product.call('debug_query', { view: 'stats', sessionId });
  return { each: Number(lines[0].text), lost: counters.lost };
}

/** Least nanoseconds of `what`, untraced and traced by turns, and what was lost. */
async function sideBySide(product, what) {
  const [alone, recorded] = [[], []];
  let lost = 0;
  for (let round = 0; round < rounds; round++) {
    alone.push(untraced(what));
    const one = await traced(product, what);
    recorded.push(one.each);
    lost += one.lost;
  }
  return { alone: Math.min(...alone), recorded: Math.min(...recorded), lost };
}

async function asked(product, request) {
  const began = performance.now();
  const page = await product.call('debug_channel', { action: 'query', channel: 'net', ...request });
  return { ms: performance.now() - began, page };
}

const home = openHome();
const rows = [];
try {
  const product = await Product.start(home);
  for (const [way, where] of [
    ['hook', 'variables or the heap'],
    ['mapped', 'memory that was mapped'],
  ]) {
    const hook = await sideBySide(product, way);
    rows.push({
      what: `hook of a call that carries 256 bytes of ${where}, all captured`,
      value: hook.recorded - hook.alone,
      unit: 'ns',
      limit: '≤ 150',
      note: `call untraced ${hook.alone.toFixed(1)} ns; ${hook.lost} events lost`,
    });
  }
  const message = await sideBySide(product, 'socket');
  rows.push({
    what: '256 bytes sent and received over a socket, traced against untraced',
    value: message.recorded / message.alone,
    unit: '×',
    limit: '≤ 1.1',
    note: `${message.alone.toFixed(0)} ns untraced, ${message.recorded.toFixed(0)} ns traced; ${message.lost} events lost`,
  });
  const patterns = [{ pattern: '@net', sampling: 'off' }];
  const args = ['requests', String(requests)];
  const { sessionId } = await product.launch(program, args, patterns);
  await product.waitForExit(sessionId);
  let stats;
  do stats = await product.call('debug_query', { view: 'stats', sessionId });
  while (stats.indexedTo !== null);
  const first = await asked(product, { sessionId });
  const next = await asked(product, { sessionId, cursor: first.page.cursor });
  const last = await asked(product, { sessionId, text: `/shelf/${requests - 1}` });
  const found = last.page.events.length;
  rows.push(
    {
      what: `first page of ${requests} requests, as an MCP client waits for it`,
      value: first.ms,
      unit: 'ms',
      limit: '≤ 1000',
      note: `next page ${next.ms.toFixed(0)} ms; ${first.page.totalCount} events, ${stats.counters.lost} lost`,
    },
    {
      what: `the last of ${requests} requests by its path`,
      value: last.ms,
      unit: 'ms',
      limit: '≤ 1000',
      note: `${found} events found`,
    },
  );
  await product.close();
} finally {
  home.close();
}
record('channels', 'Channels', rows);
