/*
 * What reading the symbols adds to a launch: cold (fresh home), from disk (daemon restarted), warm; and what a large
 * program costs. `node bench/symbolIndex.bench.mjs large` does the second only, `huge` a program of 1 GB.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildLedger, buildProgram, buildSqlite, debugBytes } from './support/build.mjs';
import { median } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record, root } from './support/record.mjs';
import { buildScale } from './support/scale.mjs';

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
    await launchMs(product, buildProgram('pair', ['bench/targets/pair.cpp']), ['main']);
    const cold = await launchMs(product, program, ['main']);
    const warm = await launchMs(product, program, ['main']);
    home.stopDaemon();
    await launchMs(product, buildProgram('pair', ['bench/targets/pair.cpp']), ['main']);
    const disk = await launchMs(product, program, ['main']);
    await product.close();
    return { cold, warm, disk };
  } finally {
    home.close();
  }
}

function infoBytes(program) {
  const sections = execFileSync('readelf', ['-SW', program], { encoding: 'utf8' });
  const [, size] = /\.debug_info\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)/.exec(sections);
  return Number.parseInt(size, 16);
}

const patterns = [
  '*sum*',
  '**::Row*::sum',
  '**::f*d',
  'tag00?::run',
  '*::push_back',
  'std::**',
  '*',
];

/** From the beginning of reading a large program cold in a launch to the first matches of the symbol table that are told. */
async function firstMatchesMs(program) {
  const home = openHome();
  try {
    const product = await Product.start(home);
    await launchMs(product, buildProgram('pair', ['bench/targets/pair.cpp']), ['main']);
    const told = [];
    product.onProgress = (message) => told.push({ message, at: performance.now() });
    await launchMs(product, program, ['*sum*', 'main']);
    await product.close();
    const atOf = (words) => told.find(({ message }) => message.includes(words)).at;
    return atOf('in the symbol table so far') - atOf('attaching and reading symbols');
  } finally {
    home.close();
  }
}

/** A large program read cold, then from disk by another process, and searched. */
async function readLarge(copies) {
  const program = buildScale(copies);
  const folder = mkdtempSync(join(tmpdir(), 'sbench-symbols-'));
  const read = (...wanted) =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [join(root, 'bench', 'support', 'readSymbols.mjs'), program, folder, ...wanted],
        { encoding: 'utf8' },
      ),
    );
  try {
    const first = [];
    for (let round = 0; round < rounds; round++) first.push(await firstMatchesMs(program));
    const cold = read();
    const warm = read(...patterns);
    const name = `${(statSync(program).size / 1e6).toFixed(0)} MB program`;
    const info = `${(infoBytes(program) / 1e6).toFixed(0)} MB of .debug_info, ${cold.functions.toLocaleString('en')} functions`;
    const processor = (ms) => `${ms.toFixed(0)} ms of processor time`;
    return [
      {
        what: `${name}: cold`,
        value: cold.openMs,
        unit: 'ms',
        limit: '≤ 1,500 (130 MB)',
        note: `${info}; first matches included; ${processor(cold.openCpuMs)}`,
      },
      {
        what: `${name}: memory, cold`,
        value: cold.megabytes,
        unit: 'MB',
        limit: '≤ 300 (130 MB)',
        note: 'peak of the process, above that of Node',
      },
      {
        what: `${name}: first matches, cold, in a launch`,
        value: median(first),
        unit: 'ms',
        limit: '≤ 300',
        note: `${rounds} fresh homes, ${first
          .map((ms) => ms.toFixed(0))
          .toSorted((a, b) => a - b)
          .join(', ')}`,
      },
      {
        what: `${name}: from disk`,
        value: warm.openMs,
        unit: 'ms',
        limit: '≤ 50',
        note: processor(warm.openCpuMs),
      },
      ...warm.found.map(({ pattern, ms, cpuMs }) => ({
        what: `${name}: find ${pattern.replaceAll('*', '\\*')}`,
        value: ms,
        unit: 'ms',
        limit: '≤ 100 (150,000 names)',
        note: processor(cpuMs),
      })),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function launches() {
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
  return rows;
}

const wanted = process.argv[2];
if (wanted === undefined) record('symbolIndex', 'Symbol index', await launches());
if (wanted === undefined || wanted === 'large')
  record(
    'symbolIndex@large',
    'Symbol index of a large program',
    await readLarge(50),
    'bench/symbolIndex.bench.mjs large',
  );
if (wanted === 'huge')
  record(
    'symbolIndex@huge',
    'Symbol index of a program of 1 GB',
    await readLarge(160),
    'bench/symbolIndex.bench.mjs huge',
  );
