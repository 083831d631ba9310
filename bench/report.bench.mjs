/* `strobe report`: how large its page is, how long it takes to write, and its first paint in a browser. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browser, openPage } from './support/browser.mjs';
import { buildProgram } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { client, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = 5;
const program = buildProgram('served', ['bench/targets/served.cpp'], ['-fno-inline']);
const home = openHome();

function strobe(...args) {
  const started = performance.now();
  const ended = spawnSync(process.execPath, [client, ...args], {
    cwd: home.project,
    env: home.env,
    encoding: 'utf8',
  });
  if (ended.status !== 0) throw new Error(ended.stderr);
  return { ms: performance.now() - started, text: ended.stdout };
}

const all = JSON.stringify({ pattern: 'shop::*', sampling: 'off' });

/** A report of as many calls, from two threads. */
function report(calls) {
  const waits = ['--wait-for', 'exit', '--wait-ms', '50000'];
  const launch = ['launch', '--trace', all, ...waits, '--json', '--', program, String(calls)];
  const { sessionId } = JSON.parse(strobe(...launch).text);
  const path = join(home.project, `${calls}.html`);
  const { ms } = strobe('report', sessionId, '--out', path);
  return { path, ms, bytes: statSync(path).size };
}

const firstPaint =
  "new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntriesByName('first-contentful-paint')[0].startTime)).observe({ type: 'paint', buffered: true }))";

/** From the start of the navigation to the first paint, ms. */
async function paint(path) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const page = await openPage(pathToFileURL(path).href);
    try {
      times.push(await page.evaluate(firstPaint));
    } finally {
      page.close();
    }
  }
  return median(times);
}

try {
  const small = report(100_000);
  const large = report(1_000_000);
  const paints = browser() === null ? null : [await paint(small.path), await paint(large.path)];
  const note = paints === null ? 'no browser' : `${rounds} rounds`;
  record('report', 'strobe report', [
    { what: 'written, 100,000 calls', value: small.ms, unit: 'ms' },
    { what: 'written, 1,000,000 calls', value: large.ms, unit: 'ms' },
    { what: 'size, 1,000,000 calls', value: large.bytes / 1e6, unit: 'MB', limit: '≤ 2 MB' },
    {
      what: 'first paint, 100,000 calls',
      value: paints?.[0] ?? null,
      unit: 'ms',
      limit: '≤ 1,000 ms',
      note,
    },
    { what: 'first paint, 1,000,000 calls', value: paints?.[1] ?? null, unit: 'ms', note },
  ]);
} finally {
  home.close();
}
