/*
 * A session of real calls written to a file in each format: time, size, what the daemon's memory grows to, and
 * whether the file holds each call. A million calls, or `node bench/export.bench.mjs --calls 10000000`.
 */
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildProgram } from './support/build.mjs';
import { countOf, flameGraphCalls, foldedTime, perfettoSlices } from './support/exportReaders.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const { values: options } = parseArgs({
  options: { calls: { type: 'string', default: '1000000' } },
});
const wanted = Number(options.calls);
if (!(wanted >= 1000)) throw new Error('--calls wants a number of at least 1000');
const isLarge = wanted >= 5_000_000;
/** What a customer of `many` makes in calls, both threads together. */
const callsPerCustomer = 39.15;
const program = buildProgram('many', ['bench/targets/many.cpp']);

/** What tells how many calls are in a file; null: it tells their time. */
const formats = {
  jsonl: countOf('"eventType":"call"'),
  csv: countOf('\ncall,'),
  chrome: countOf('"ph":"X"'),
  perfetto: perfettoSlices,
  speedscope: countOf('"type":"O"'),
  folded: null,
  flamegraph: flameGraphCalls,
  otlp: countOf('"spanId":'),
};

/** The processes of the daemon of a home. */
function daemonOf(home) {
  const isDaemon = (pid) => {
    try {
      return (
        readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`STROBE_HOME=${home.path}\0`) &&
        readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('daemon.js')
      );
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').find((name) => /^\d+$/.test(name) && isDaemon(name));
}

/** Memory of a process that is no file's: what it maps of the store is the kernel's to take back. */
const ownMegabytes = (pid) =>
  Number(/RssAnon:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** Processor time of a process in ms. */
function used(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Waits until a process does next to nothing: what a daemon leaves for later is none of an export's. */
async function rest(pid) {
  for (;;) {
    const before = used(pid);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    if (used(pid) - before < 50) return;
  }
}

const home = openHome({
  STROBE_RING_BYTES_PER_THREAD: String(2 ** 30),
  STROBE_RING_SLOTS: '4',
});
try {
  const product = await Product.start(home);
  const { sessionId } = await product.launch(
    program,
    [String(Math.round(wanted / callsPerCustomer)), isLarge ? '25' : '0'],
    [{ pattern: 'shop::**', sampling: 'off' }],
  );
  await product.waitForExit(sessionId);
  let stats;
  do stats = await product.call('debug_query', { view: 'stats', sessionId });
  while (stats.indexedTo !== null);
  const selfNs = stats.rows.reduce((sum, row) => sum + row.selfNs, 0);
  const pid = daemonOf(home);
  await rest(pid);
  const rows = [];
  for (const [format, callsIn] of Object.entries(formats)) {
    const before = ownMegabytes(pid);
    let most = before;
    const look = setInterval(() => (most = Math.max(most, ownMegabytes(pid))), 100);
    const usedBefore = used(pid);
    const began = performance.now();
    let answer;
    do {
      const question = { action: 'export', sessionId, format, path: `out.${format}` };
      answer = await product.call('debug_session', question);
    } while (!answer.done);
    const seconds = (performance.now() - began) / 1000;
    clearInterval(look);
    const path = join(home.project, `out.${format}`);
    const found = callsIn ? await callsIn(path) : foldedTime(path);
    const expected = callsIn ? answer.calls : selfNs;
    const held = callsIn ? 'each call is in the file' : 'their whole time is in the file';
    rmSync(path);
    rows.push({
      what: `${format}, a million calls`,
      value: (seconds * 1e6) / answer.calls,
      unit: 's',
      note: [
        `${answer.calls.toLocaleString('en')} calls in ${seconds.toFixed(1)} s`,
        `${((used(pid) - usedBefore) / 1000).toFixed(1)} s of a processor`,
        `${(answer.bytes / 1e6).toFixed(0)} MB`,
        `daemon ${before.toFixed(0)} MB, at most ${most.toFixed(0)} MB`,
        found === expected ? held : `${found} FOUND OF ${expected}`,
      ].join('; '),
    });
    console.log(rows.at(-1).what, rows.at(-1).note);
  }
  const millions = Math.round(wanted / 1e6);
  record(
    isLarge ? `export@${wanted}` : 'export',
    `Exports of ${millions <= 1 ? 'a million' : `${millions} million`} calls`,
    rows,
    isLarge ? `node bench/export.bench.mjs --calls ${wanted}` : undefined,
  );
  await product.close();
} finally {
  home.close();
}
