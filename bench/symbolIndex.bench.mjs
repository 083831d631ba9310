/* What reading the symbols adds to a launch: cold (fresh home), from disk (daemon restarted), warm. */
import { basename } from 'node:path';
import { buildLedger, buildProgram, buildSqlite, debugBytes } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = 5;

async function launchMs(product, program, patterns) {
  const launched = await product.launch(program, ['0.01'], patterns);
  await product.waitForExit(launched.sessionId);
  return launched.ms;
}

/** Launch times with the program's main traced: first time, after a daemon restart, and again. */
async function oneRound(program) {
  const home = openHome();
  try {
    const product = await Product.start(home);
    // Another program first: the daemon and the worker are up, nothing of ours is known.
    await launchMs(product, buildProgram('pair', ['bench/targets/pair.c']), ['main']);
    const cold = await launchMs(product, program, ['main']);
    const warm = await launchMs(product, program, ['main']);
    home.stopDaemon();
    await launchMs(product, buildProgram('pair', ['bench/targets/pair.c']), ['main']);
    const disk = await launchMs(product, program, ['main']);
    await product.close();
    return { cold, warm, disk };
  } finally {
    home.close();
  }
}

const rows = [];
for (const program of [
  buildLedger(),
  buildProgram('shapes', ['tests/targets/e2e/shapes.rs']),
  buildSqlite(),
]) {
  const megabytes = debugBytes(program) / 1e6;
  const all = [];
  for (let round = 0; round < rounds; round++) all.push(await oneRound(program));
  const [cold, warm, disk] = ['cold', 'warm', 'disk'].map((key) =>
    median(all.map((one) => one[key])),
  );
  const name = basename(program);
  rows.push(
    { what: `${name}: debug information`, value: megabytes, unit: 'MB' },
    { what: `${name}: launch, cold`, value: cold, unit: 'ms', note: `${rounds} fresh homes` },
    { what: `${name}: launch, after a daemon restart`, value: disk, unit: 'ms' },
    { what: `${name}: launch, warm`, value: warm, unit: 'ms' },
    {
      what: `${name}: reading symbols, cold`,
      value: (cold - warm) / megabytes,
      unit: 'ms/MB',
      note: 'cold minus warm',
    },
  );
}
record('symbolIndex', 'Symbol index', rows);
