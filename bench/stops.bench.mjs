/*
 * What a stop takes: milliseconds of whole requests of a client, medians. Setting a breakpoint, from a hit to the answer,
 * a step with the context that its answer shows, a pause; beside the step, stack and variables of other debuggers.
 * `node bench/stops.bench.mjs Python` measures one language.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildProgram } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { openHome, Product } from './support/product.mjs';
import { record, root } from './support/record.mjs';
import { dapStep, inspectorStep } from './support/stopPeers.mjs';

const rounds = Number(process.env.ROUNDS ?? 15);
const delve = join(root, '.cache', 'delve', 'dlv');
const gdb = join(root, '.cache', 'adapters', 'bin', 'gdb');
const python = join(root, '.cache', 'pythonPeers', '3.12', 'bin', 'python');
const target = (name) => join(root, 'bench', 'targets', name);

function goProgram() {
  const built = join(root, '.cache', 'bench', 'roundsOfGo');
  execFileSync('go', ['build', '-gcflags', 'all=-N -l', '-o', built, target('rounds.go')]);
  return built;
}

function cProgram() {
  return buildProgram('rounds', ['bench/targets/rounds.c'], ['-O0']);
}

function lineOf(path, mark) {
  const lines = readFileSync(path, 'utf8').split('\n');
  return 1 + lines.findIndex((text) => text.includes(mark));
}

/** `limit`: of a step, ms. `peers`: other debuggers by name, where they are. */
const languages = {
  native: {
    source: target('rounds.c'),
    limit: 15,
    command: () => [cProgram()],
    peers: (program) => ({
      gdb: dapOf([gdb, '-nx', '-q', '--interpreter=dap'], { program }),
      'lldb-dap': dapOf([join(root, '.cache/lldb/bin/lldb-dap')], { program }),
    }),
  },
  Python: {
    source: target('rounds.py'),
    limit: 5,
    command: () => [python, target('rounds.py')],
    peers: () => ({
      debugpy: dapOf([python, '-m', 'debugpy.adapter'], {
        program: target('rounds.py'),
        python,
        console: 'internalConsole',
      }),
    }),
  },
  Node: {
    source: target('rounds.cjs'),
    limit: 10,
    command: () => [process.execPath, target('rounds.cjs')],
    peers: () => ({
      'its inspector': async ({ path, line }) => inspectorStep(path, line, 4 * rounds),
    }),
  },
  Go: {
    source: target('rounds.go'),
    limit: 30,
    command: () => [goProgram()],
    peers: (program) => ({
      Delve: dapOf([delve, 'dap', '--listen=127.0.0.1:0'], { mode: 'exec', program }, true),
    }),
  },
};

/** Null: it is not on this machine. */
function dapOf(command, launch, listens = false) {
  if (!existsSync(command[0])) return null;
  return async (place) => dapStep({ command, launch, listens }, place, 4 * rounds);
}

async function measure(product, [command, ...args], path) {
  const { sessionId } = await product.launch(command, args);
  const go = async (action, more = {}) =>
    product.call('debug_continue', { sessionId, action, timeoutMs: 10_000, ...more });
  const set = async (change) => product.call('debug_breakpoint', { sessionId, ...change });
  const place = (mark) => ({ add: [{ file: basename(path), line: lineOf(path, mark) }] });
  // The debugger is there, and its debug information is read.
  await set(place('never'));
  const took = { set: [], hit: [], step: [], pause: [] };
  for (let round = -1; round < rounds; round++) {
    const placed = await set(place('here'));
    const { id } = placed.breakpoints.at(-1);
    const one = { set: [placed.ms], hit: [(await go('wait')).ms], step: [] };
    for (let step = 0; step < 4; step++) one.step.push((await go('over')).ms);
    // The program comes there within two milliseconds.
    one.hit.push((await go('continue')).ms);
    await set({ remove: [id] });
    await go('continue', { timeoutMs: 0 });
    await pause(50);
    one.pause = [(await go('pause')).ms];
    await go('continue', { timeoutMs: 0 });
    // The first round is the one that warms up.
    if (round >= 0) for (const [name, all] of Object.entries(one)) took[name].push(...all);
  }
  await product.call('debug_session', { action: 'stop', sessionId });
  return Object.fromEntries(Object.entries(took).map(([name, all]) => [name, median(all)]));
}

const named = process.argv.slice(2);
const rows = [];
const home = openHome({ STROBE_ADAPTERS_DELVE: delve });
try {
  const product = await Product.start(home);
  for (const [name, { source: path, limit, command, peers }] of Object.entries(languages)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const line = lineOf(path, 'here');
    const words = command();
    const { set, hit, step, pause: paused } = await measure(product, words, path);
    const row = (what, value, wanted) => ({
      what: `${name}: ${what}`,
      value,
      unit: 'ms',
      limit: wanted,
    });
    rows.push(
      row('a step with its context', step, `≤ ${limit} ms`),
      row('a breakpoint is set', set, '≤ 100 ms'),
      row('to a hit, and its answer', hit, '≤ 30 ms'),
      row('a pause', paused, '≤ 20 ms'),
    );
    for (const [peer, run] of Object.entries(peers(words[0]))) {
      const value = run === null ? null : await run({ path, line });
      const note = run === null ? 'not on this machine' : 'its client alone';
      rows.push({ ...row(`by ${peer}, a step with stack and variables`, value), note });
    }
  }
  await product.close();
} finally {
  home.close();
}
record(
  named.length > 0 ? `stops@${named.join()}` : 'stops',
  `Stops: whole requests, medians of ${rounds} rounds`,
  rows,
);
