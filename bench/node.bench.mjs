/*
 * What a call of a JavaScript function costs, beside two readings of the clock, a wrapper as one writes it by hand and a
 * logpoint of the inspector: a pair with two arguments and a result, a
 * call of a function that was rewritten and is off, how long a program takes that is launched traced, and how long it is
 * until functions of a running program are traced. Ratios are of one round each, rounds interleaved; versions of Node
 * that scripts/nodes.mjs fetched; `node bench/node.bench.mjs 24` measures one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { launchedCalls } from './support/launchedCalls.mjs';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';

const rounds = 5;
/** Between launches, as an agent would leave: the next host is ready then. */
const apartMs = 3500;
const armedFunctions = 1000;
const calls = join(root, 'bench', 'targets', 'calls.cjs');
const named = process.argv.slice(2).map(Number);
const versions = named.length > 0 ? named : [20, 22, 24, 26];

function figuresOf(text) {
  const [wanted, other, clock, burst, wrapper, logpoint] = text.split(' ').map(Number);
  return { wanted, other, clock, burst, wrapper, logpoint };
}

function plainMs(node) {
  const began = performance.now();
  execFileSync(node, ['-e', '0']);
  return performance.now() - began;
}

/** A program that stays, with functions to be armed while it runs. */
function stayingProgram(folder) {
  const path = join(folder, 'crowd.cjs');
  const functions = Array.from(
    { length: armedFunctions },
    (_, at) => `function f${at}(left, right) { return left + right + ${at}; }`,
  );
  const round = functions.map((_, at) => `f${at}(1, 2);`).join(' ');
  writeFileSync(
    path,
    `${functions.join('\n')}\nfunction first() { ${round} }\nsetInterval(first, 100);\n`,
  );
  return path;
}

async function armed(product, command, program) {
  const { sessionId } = await product.call('debug_launch', {
    command,
    args: [program],
    projectRoot: product.home.project,
    patterns: ['crowd.first'],
  });
  await product.call('debug_session', { action: 'wait', sessionId, for: ['event'] });
  const { ms, hookedFunctions } = await product.call('debug_trace', {
    sessionId,
    add: ['crowd.f*'],
  });
  if (hookedFunctions <= armedFunctions) throw new Error(`${hookedFunctions} are armed`);
  const removed = await product.call('debug_trace', { sessionId, remove: ['crowd.f*'] });
  await product.call('debug_session', { action: 'stop', sessionId });
  return { armMs: ms, removeMs: removed.ms };
}

const rows = [];
const home = openHome();
try {
  const product = await Product.start(home);
  const staying = stayingProgram(home.project);
  for (const version of versions) {
    const fetched = join(root, '.cache', 'nodes', 'node_modules', `node${version}`, 'bin', 'node');
    if (!existsSync(fetched)) continue;
    const seen = {
      pair: [],
      ratio: [],
      off: [],
      burst: [],
      launch: [],
      wrapper: [],
      logpoint: [],
      arm: [],
      remove: [],
    };
    await launchedCalls(product, fetched, ['-e', '0']);
    for (let round = 0; round < rounds; round++) {
      const plain = figuresOf(execFileSync(fetched, [calls, 'beside'], { encoding: 'utf8' }));
      const { sessionId } = await launchedCalls(product, fetched, [calls]);
      const { lines } = await product.call('debug_query', { view: 'output', sessionId });
      const own = figuresOf(lines.at(-1)?.text ?? '');
      seen.pair.push(own.wanted - plain.wanted);
      seen.ratio.push((own.wanted - plain.wanted) / plain.clock);
      seen.off.push(own.other - plain.other);
      seen.burst.push(own.burst - plain.burst);
      seen.wrapper.push((plain.wrapper - plain.wanted) / plain.clock);
      seen.logpoint.push((plain.logpoint - plain.wanted) / plain.clock);
      const { armMs, removeMs } = await armed(product, fetched, staying);
      seen.arm.push(armMs);
      seen.remove.push(removeMs);
      await setTimeout(apartMs);
      const { ms } = await launchedCalls(product, fetched, ['-e', '0']);
      seen.launch.push(ms - plainMs(fetched));
    }
    rows.push(
      {
        what: `Node ${version}: pair with two arguments and result / two performance.now()`,
        value: median(seen.ratio),
        unit: '×',
        limit: '≤ 0.8',
        note: `${median(seen.pair).toFixed(0)} ns above plain, ${median(seen.burst).toFixed(0)} in 500,000 calls at once, which no reader keeps up with; a wrapper by hand ${median(seen.wrapper).toFixed(1)} ×, a logpoint of the inspector ${median(seen.logpoint).toFixed(0)} ×`,
      },
      {
        what: `Node ${version}: rewritten and off, above plain`,
        value: median(seen.off),
        unit: 'ns',
        limit: '≤ 2 ns',
      },
      {
        what: `Node ${version}: launched traced, above plain`,
        value: median(seen.launch),
        unit: 'ms',
        limit: '≤ 200 ms',
        note: 'launch to exit of `-e 0`, a host being ready',
      },
      {
        what: `Node ${version}: arming ${armedFunctions} functions of a running program`,
        value: median(seen.arm),
        unit: 'ms',
        limit: '≤ 150 ms',
        note: `the whole request; removing them ${median(seen.remove).toFixed(0)} ms`,
      },
    );
  }
  await product.close();
  record(named.length > 0 ? `node@${named.join()}` : 'node', 'JavaScript', rows);
} finally {
  home.close();
}
