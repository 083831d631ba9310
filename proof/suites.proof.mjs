/*
 * Whole projects that are not ours, from the registries, with every function of the program traced:
 * their scripts and test suites must end and print as they do untraced.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { differences } from './support/compare.mjs';
import { recordRows } from './support/record.mjs';
import { figuresIn, runLimited, runTraced } from './support/runs.mjs';

const folder = join(root, '.cache', 'suites');
const targets = join(root, 'proof', 'targets');
const crates = {
  'lua-src': '547.0.0',
  'zstd-sys': '2.0.13',
  smallvec: '1.13.2',
  semver: '1.0.23',
};

/** The sources of the crates, once. */
function vendor() {
  const vendored = join(folder, 'vendor');
  if (existsSync(vendored)) return vendored;
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src', 'lib.rs'), '');
  const wanted = Object.entries(crates).map(([name, version]) => `${name} = "=${version}"`);
  const head =
    '[package]\nname = "suites"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\nexclude = ["vendor"]\n[dependencies]\n';
  writeFileSync(join(folder, 'Cargo.toml'), `${head}${wanted.join('\n')}\n`);
  execFileSync('cargo', ['vendor', vendored], { cwd: folder, stdio: 'ignore' });
  return vendored;
}

function compile(name, sources, flags) {
  const program = join(folder, name);
  if (existsSync(program)) return program;
  const args = ['-g', '-O1', '-w', ...sources, ...flags, '-lm', '-lpthread', '-ldl', '-o', program];
  execFileSync('gcc', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return program;
}

const sourcesIn = (path) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.c'))
    .map((name) => join(path, name));

function sqlite() {
  const from = join(root, 'node_modules/better-sqlite3/deps/sqlite3');
  const sources = [join(targets, 'sqlRunner.c'), join(from, 'sqlite3.c')];
  return { program: compile('sqlite', sources, [`-I${from}`]), args: [join(targets, 'suite.sql')] };
}

function lua() {
  const from = join(vendor(), 'lua-src', 'lua-5.4.7');
  const sources = [join(targets, 'luaRunner.c'), ...sourcesIn(from)];
  const program = compile('lua', sources, [`-I${from}`, '-DLUA_USE_LINUX']);
  return { program, args: [join(targets, 'suite.lua')] };
}

function zstd() {
  const from = join(vendor(), 'zstd-sys', 'zstd', 'lib');
  const parts = ['common', 'compress', 'decompress', 'dictBuilder'];
  const sources = parts.flatMap((part) => sourcesIn(join(from, part)));
  const flags = [`-I${from}`, '-DZSTD_DISABLE_ASM'];
  const program = compile('zstd', [join(targets, 'zstdRunner.c'), ...sources], flags);
  return { program, args: [join(from, 'zstd.h')] };
}

/** A crate's own tests as one program: as `cargo test` builds it. */
function crate(name, ...which) {
  const from = join(vendor(), name);
  const env = { ...process.env, CARGO_TARGET_DIR: join(folder, 'target') };
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
async function refusals(product, command, args) {
  const projectRoot = product.home.project;
  const launched = await product.call('debug_launch', {
    command,
    args,
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
    const { program, args } = make();
    const env = { ...process.env, STROBE_HOME: home.path };
    const how = { command: program, args, trace: ['**'], cwd: home.project, env };
    const plain = told(await runLimited(program, args, how));
    const traced = await runTraced(home, how);
    const found = differences(plain, told(traced));
    const figures = figuresIn(traced.report);
    const reasons = await refusals(product, program, args);
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
