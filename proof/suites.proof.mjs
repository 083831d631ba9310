/*
 * Whole projects that are not ours, from the registries, with every function of the program traced:
 * their scripts and test suites must end and print as they do untraced.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { differences } from './support/compare.mjs';
import { recordRows } from './support/record.mjs';
import { figuresIn, runLimited, runTraced } from './support/runs.mjs';
import { compile, sourcesIn, vendor, vendoredFolder } from './support/vendored.mjs';

const targets = join(root, 'proof', 'targets');
const crates = {
  'lua-src': '547.0.0',
  'zstd-sys': '2.0.13',
  smallvec: '1.13.2',
  semver: '1.0.23',
  'leveldb-sys': '2.0.9',
  ripgrep: '14.1.1',
};

const sources = () => vendor('suites', crates);
const build = (name, files, flags) => compile('suites', name, files, flags);

function sqlite() {
  const from = join(root, 'node_modules/better-sqlite3/deps/sqlite3');
  const files = [join(targets, 'sqlRunner.c'), join(from, 'sqlite3.c')];
  return { program: build('sqlite', files, [`-I${from}`]), args: [join(targets, 'suite.sql')] };
}

function lua() {
  const from = join(sources(), 'lua-src', 'lua-5.4.7');
  const files = [join(targets, 'luaRunner.c'), ...sourcesIn(from)];
  const program = build('lua', files, [`-I${from}`, '-DLUA_USE_LINUX']);
  return { program, args: [join(targets, 'suite.lua')] };
}

function zstd() {
  const from = join(sources(), 'zstd-sys', 'zstd', 'lib');
  const parts = ['common', 'compress', 'decompress', 'dictBuilder'];
  const files = parts.flatMap((part) => sourcesIn(join(from, part)));
  const flags = [`-I${from}`, '-DZSTD_DISABLE_ASM'];
  const program = build('zstd', [join(targets, 'zstdRunner.c'), ...files], flags);
  return { program, args: [join(from, 'zstd.h')] };
}

/** Google's suite of a C++ library, without its benchmarks, whose main it has. */
function snappy() {
  const from = join(sources(), 'leveldb-sys', 'deps', 'snappy-1.1.7');
  const configured = join(vendoredFolder('suites'), 'snappy-configured');
  execFileSync('cmake', ['-S', from, '-B', configured], { stdio: 'ignore' });
  const parts = ['', '-c', '-sinksource', '-stubs-internal', '-test', '_unittest'];
  const files = parts.map((part) => join(from, `snappy${part}.cc`));
  const defines = ['-DHAVE_CONFIG_H', '-DHAVE_GTEST', '-Dmain=benchmarks'];
  const libraries = ['-lgtest', '-lgtest_main', '-lz'];
  const flags = [...defines, `-I${configured}`, `-I${from}`, ...libraries];
  const program = compile('suites', 'snappy', files, flags, 'g++');
  return { program, args: ['--gtest_print_time=0'], variables: { srcdir: from } };
}

/** A crate's own tests as one program: as `cargo test` builds it. */
function crate(name, ...which) {
  const from = join(sources(), name);
  const env = { ...process.env, CARGO_TARGET_DIR: join(vendoredFolder('suites'), 'target') };
  const args = ['test', '--no-run', '--message-format=json', ...which];
  rmSync(join(from, 'Cargo.lock'), { force: true });
  const manifest = join(from, 'Cargo.toml');
  const built = spawnSync('cargo', [...args, '--manifest-path', manifest], {
    cwd: from,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const programs = built.stdout
    .split('\n')
    .filter((line) => line.includes('"executable":"'))
    .map((line) => JSON.parse(line).executable);
  if (programs.length === 0) throw new Error(built.stderr.trim().split('\n').at(-1));
  return { program: programs.at(-1), args: ['--test-threads=1'] };
}

const suites = {
  'SQLite 3, SQL script': sqlite,
  'Lua 5.4, script': lua,
  'zstd 1.5, round trips': zstd,
  'smallvec, its unit tests': () => crate('smallvec', '--lib'),
  'semver, its tests': () => crate('semver', '--test', 'test_version_req'),
  'snappy 1.1, its GoogleTest suite': snappy,
  'ripgrep 14.1, its unit tests': () => crate('ripgrep', '--bin', 'rg'),
};

/** What a test runner says of time. */
const steady = (bytes) =>
  Buffer.from(bytes.toString('latin1').replaceAll(/finished in [\d.]+s/g, 'finished'), 'latin1');
const told = (ran) => ({
  ...ran,
  stdout: steady(ran.stdout),
  stderr: steady(ran.stderr),
  files: new Map(),
});

/** How many functions are refused for which reason, as far as an answer has room for them. */
async function refusals(product, command, args, env) {
  const projectRoot = product.home.project;
  const launched = await product.call('debug_launch', {
    command,
    args,
    env,
    projectRoot,
    patterns: ['**'],
  });
  const counts = new Map();
  for (const { reason } of launched.hooks.refusals)
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  await product.waitForExit(launched.sessionId);
  const rest = launched.hooks.omittedRefusals ?? 0;
  const shown = [...counts].map(([reason, count]) => `${count} × ${reason}`);
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join('; ');
}

const wanted = process.argv.slice(2);
const rows = [];
const home = openHome();
try {
  const product = await Product.start(home);
  for (const [name, make] of Object.entries(suites)) {
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
    const { program, args, variables = {} } = make();
    const env = { ...process.env, ...variables, STROBE_HOME: home.path };
    const how = { command: program, args, trace: ['**'], cwd: home.project, env };
    const plain = told(await runLimited(program, args, how));
    const traced = await runTraced(home, how);
    const found = differences(plain, told(traced));
    const figures = figuresIn(traced.report);
    const reasons = await refusals(product, program, args, variables);
    const [, sampled = '0'] = /sampled ([\d,]+)/.exec(traced.report) ?? [];
    rows.push({
      suite: name,
      outcome: found.length === 0 ? `equal (${plain.end})` : 'DIFFERENT',
      hooked: figures.hooked.toLocaleString('en'),
      refused: `${figures.refused}${figures.refused > 0 ? `: ${reasons}` : ''}`,
      'events seen': figures.seen.toLocaleString('en'),
      stored: figures.stored.toLocaleString('en'),
      sampled,
      lost: figures.lost.toLocaleString('en'),
      time: `×${(traced.ms / plain.ms).toFixed(1)} (${plain.ms.toFixed(0)} → ${traced.ms.toFixed(0)} ms)`,
      note: found.join('; '),
    });
    console.log(JSON.stringify(rows.at(-1)));
  }
  await product.close();
} finally {
  home.close();
}
const equal = rows.filter(({ outcome }) => outcome.startsWith('equal')).length;
recordRows(
  'suites',
  `${equal} of ${rows.length} equal, every function of the program traced`,
  rows,
);
if (equal < rows.length) process.exitCode = 1;
