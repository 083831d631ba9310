/*
 * Suites of JavaScript and TypeScript projects that are not ours, with every function of the project traced and its
 * values recorded: functions are hooked and called, and each test ends as it does untraced, on each Node. Arguments
 * select suites by part of the name, and versions of Node; what was recorded of others on that day stays.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { nodeProject } from './support/nodePackages.mjs';
import { recordRows, recordedRows } from './support/record.mjs';
import { runLimited, runTraced } from './support/runs.mjs';

const LIMIT_MS = 600_000;
const versions = [20, 24, 26];
const nodeOf = (version) => join(root, `.cache/nodes/node_modules/node${version}/bin/node`);

/** Node 20 takes no patterns of files. */
const nodeTest = (folder, left = /^$/) => ({
  args: ['--test', '--test-reporter=tap', '--test-concurrency=2', ...testsBelow(folder, left)],
  results: ({ stdout }) => tapResults(stdout.toString()),
});

/** Vitest writes what it did into a file. */
const vitest = (folder, ...words) => {
  const out = join(folder, 'results.json');
  return {
    args: [
      join(folder, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=json',
      `--outputFile=${out}`,
      ...words,
    ],
    results: () => jsonResults(readFileSync(out, 'utf8')),
  };
};

const jest = (folder) => {
  const out = join(folder, 'results.json');
  return {
    args: [
      join(folder, 'node_modules/jest/bin/jest.js'),
      '--json',
      `--outputFile=${out}`,
      '--no-cache',
      '--config',
      'jest.config.json',
    ],
    results: () => jsonResults(readFileSync(out, 'utf8')),
  };
};

const suites = {
  avvio: () => {
    const folder = nodeProject('avvio', '9.3.1', []);
    // What it gives 10 ms never ends where they are too few.
    return { folder, ...nodeTest(folder, /plugin-timeout/) };
  },
  'find-my-way': () => {
    const folder = nodeProject('find-my-way', '9.10.1', ['rfdc@1.4.1', 'proxyquire@2.1.3']);
    return { folder, ...nodeTest(folder) };
  },
  fastify: () => {
    const needs = [
      'ajv@8',
      'ajv-errors@3',
      'ajv-formats@3',
      'ajv-i18n@4',
      'ajv-merge-patch@5',
      'fast-json-body@1',
      'fastify-plugin@6',
      'fluent-json-schema@6',
      'h2url@0.2',
      'http-errors@2',
      'joi@18',
      'JSONStream@1',
      'node-forge@1',
      'proxyquire@2',
      'split2@4',
      'undici@7',
      'vary@1',
      'yup@1',
    ];
    const folder = nodeProject('fastify', '5.12.8', needs);
    return { folder, ...nodeTest(folder) };
  },
  zod: () => {
    const folder = nodeProject('zod', '4.6.7', ['vitest@4.1.12'], zodConfig);
    return { folder, ...vitest(folder) };
  },
  'no-case': () => {
    const folder = nodeProject('no-case', '3.0.4', ['jest@30.5.2'], jestConfig);
    return { folder, ...jest(folder) };
  },
};

/** Tests that need packages of their own are left out; the others import the sources. */
function zodConfig(folder) {
  const config = `import { defineConfig } from 'vitest/config';
export default defineConfig({
  resolve: { alias: [{ find: /^zod$/, replacement: '${folder}/src/index.ts' }, { find: /^zod\\/(.*)$/, replacement: '${folder}/src/$1' }] },
  test: { include: ['src/**/*.test.ts'], exclude: ['**/{file,redos,to-json-schema}*.test.ts'], pool: 'threads', typecheck: { enabled: false } },
});
`;
  writeFileSync(join(folder, 'vitest.config.mjs'), config);
}

/** The tests of the package are compiled. */
function jestConfig(folder) {
  writeFileSync(
    join(folder, 'jest.config.json'),
    JSON.stringify({ testMatch: ['**/dist/*.spec.js'] }),
  );
}

function testsBelow(folder, left) {
  return readdirSync(join(folder, 'test'), { recursive: true })
    .filter((path) => path.endsWith('.test.js') && !left.test(path))
    .map((path) => join('test', path))
    .toSorted();
}

/** One line a test, without how long it took. */
function tapResults(text) {
  return text
    .split('\n')
    .filter((line) => /^\s*(?:ok|not ok) \d/.test(line))
    .map((line) => line.replace(/(ok) \d+/, '$1'))
    .toSorted((a, b) => a.localeCompare(b));
}

function jsonResults(text) {
  return JSON.parse(text)
    .testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, status }) => `${name} ${fullName} ${status}`),
    )
    .toSorted((a, b) => a.localeCompare(b));
}

async function compared(name, version, suite, home) {
  const { folder, args, results } = suite;
  const env = { ...process.env, STROBE_HOME: home.path, NO_COLOR: '1' };
  const how = { command: nodeOf(version), args, cwd: folder, env, limit: LIMIT_MS };
  const plain = await runLimited(how.command, args, how);
  const expected = results(plain);
  rmSync(join(folder, 'results.json'), { force: true });
  const traced = await runTraced(home, { ...how, trace: ['@usercode'], projectRoot: folder });
  const seen = resultsOf(results, traced);
  const missing = expected.filter((line) => !seen.includes(line));
  const isEqual =
    missing.length === 0 && seen.length === expected.length && plain.end === traced.end;
  const { figures } = traced;
  const reconciles = figures.seen === figures.stored + figures.lost + figures.sampled;
  const isTraced = figures.hooked > 0 && figures.seen > 0;
  const outcome = () => {
    if (plain.end.startsWith('hung') || expected.length === 0)
      return `NOTHING TO COMPARE: ${plain.end} without Strobe`;
    if (!isTraced) return 'NOTHING TRACED';
    if (isEqual) return `equal (${plain.end})`;
    return `DIFFERENT: ${plain.end} → ${traced.end}, ${missing.length} of ${expected.length} differ`;
  };
  return {
    suite: name,
    node: version,
    tests: expected.length,
    outcome: outcome(),
    hooked: figures.hooked.toLocaleString('en'),
    'events seen': figures.seen.toLocaleString('en'),
    stored: figures.stored.toLocaleString('en'),
    lost: figures.lost.toLocaleString('en'),
    sampled: figures.sampled.toLocaleString('en'),
    reconciles: reconciles ? 'yes' : 'NO',
    time: `×${(traced.ms / plain.ms).toFixed(1)} (${plain.ms.toFixed(0)} → ${traced.ms.toFixed(0)} ms)`,
    note: missing
      .slice(0, 3)
      .map((line) => line.trim())
      .join('; '),
  };
}

function resultsOf(results, ran) {
  try {
    return results(ran);
  } catch {
    return [];
  }
}

const words = process.argv.slice(2);
const wanted = words.filter((word) => !/^\d+$/.test(word));
const chosen = versions.filter(
  (version) => wanted.length === words.length || words.includes(`${version}`),
);
mkdirSync(join(root, '.cache/node-suites'), { recursive: true });
const rows = [];
for (const [name, make] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
  const suite = make();
  for (const version of chosen) {
    const home = openHome();
    try {
      rows.push(await compared(name, version, suite, home));
    } finally {
      home.close();
    }
    console.log(JSON.stringify(rows.at(-1)));
  }
}
const keyOf = ({ suite, node }) => `${suite} ${node}`;
const again = new Set(rows.map(keyOf));
const all = [...recordedRows('nodeSuites').filter((row) => !again.has(keyOf(row))), ...rows];
const isGood = ({ outcome, reconciles }) => outcome.startsWith('equal') && reconciles === 'yes';
recordRows(
  'nodeSuites',
  `${all.filter(isGood).length} of ${all.length} equal, every function of the project traced with its values`,
  all,
);
if (!rows.every(isGood)) process.exitCode = 1;
