/*
 * Makes a clone ready to use; every step is skipped when its result is already there:
 *   packages → SQLite module → build → Frida for Python.
 * Install scripts of packages are off (.npmrc), because npm 12 runs none either: the two that
 * matter are run here, by name. Progress goes to standard error. Only Node's own modules are
 * imported at the top, since node_modules may not exist yet.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, '.cache');

class SetupError extends Error {}

function say(text) {
  process.stderr.write(`strobe set-up: ${text}\n`);
}

/** Runs a command; shows its last lines only when it fails. A tick tells that it is still alive. */
function run(command, args, { env = {}, timeoutMs }) {
  return new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const keep = (chunk) => (output = (output + chunk).slice(-8192));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const tick = setInterval(
      () => say(`  … ${Math.round((Date.now() - started) / 1000)} s`),
      10_000,
    );
    child.on('error', (error) => keep(String(error)));
    child.on('close', (code, signal) => {
      clearInterval(tick);
      resolve({ ok: code === 0, output: signal ? `${output}\n(ended by ${signal})` : output });
    });
  });
}

function onPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return statSync(join(folder, name)).isFile();
    } catch {
      return false;
    }
  });
}

function requireToolchain() {
  const wanted = [['gcc', 'cc'], ['g++', 'c++'], ['make']];
  const missing = wanted.filter((names) => !names.some(onPath)).map((names) => names[0]);
  if (missing.length > 0) {
    throw new SetupError(
      `TOOLCHAIN_MISSING: ${missing.join(', ')} not found; the native parts are compiled on this machine.\n` +
        'Next: install a C and C++ compiler (Debian, Ubuntu: apt-get install build-essential; Fedora: dnf install gcc gcc-c++ make).',
    );
  }
  if (!onPath('python3')) {
    throw new SetupError(
      'TOOLCHAIN_MISSING: python3 not found; Frida is used through Python.\n' +
        'Next: install Python 3.8 or newer with pip (Debian, Ubuntu: apt-get install python3 python3-pip).',
    );
  }
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

function packagesAreInstalled() {
  const wanted = readJson(join(root, 'package-lock.json'));
  const present = readJson(join(root, 'node_modules', '.package-lock.json'));
  if (!present) return false;
  return Object.entries(wanted.packages).every(
    ([path, entry]) =>
      path === '' || entry.optional === true || present.packages[path]?.version === entry.version,
  );
}

async function installPackages() {
  if (packagesAreInstalled()) return;
  say('installing npm packages (npm ci)');
  const result = await run('npm', ['ci', '--ignore-scripts'], { timeoutMs: 600_000 });
  if (!result.ok) {
    throw new SetupError(
      `npm ci failed:\n${result.output.trim()}\nNext: check the connection to the npm registry, then run ./strobe again.`,
    );
  }
}

/** Headers of the running Node, so that node-gyp need not fetch them. */
function headersOfNode() {
  const prefix = dirname(dirname(process.execPath));
  const configured = process.env.npm_config_nodedir ?? process.env.NPM_CONFIG_NODEDIR;
  if (configured || !existsSync(join(prefix, 'include', 'node', 'node.h'))) return {};
  return { npm_config_nodedir: prefix };
}

function sqliteLoads() {
  const code = "const D = require('better-sqlite3'); new D(':memory:').prepare('select 1').get();";
  return (
    spawnSync(process.execPath, ['-e', code], { cwd: root, stdio: 'ignore', timeout: 30_000 })
      .status === 0
  );
}

async function buildSqlite() {
  const folder = join(root, 'node_modules', 'better-sqlite3');
  const binary = join(folder, 'build', 'Release', 'better_sqlite3.node');
  const { version } = readJson(join(folder, 'package.json'));
  const name = `better-sqlite3-${version}-${process.platform}-${process.arch}-${process.versions.modules}.node`;
  const kept = join(cache, 'native', name);
  if (!existsSync(binary) && existsSync(kept)) {
    mkdirSync(dirname(binary), { recursive: true });
    copyFileSync(kept, binary);
  }
  if (!sqliteLoads()) {
    say('compiling the SQLite module (about a minute)');
    const result = await run(
      'npm',
      ['rebuild', 'better-sqlite3', '--ignore-scripts=false', '--foreground-scripts'],
      {
        env: { JOBS: 'max', ...headersOfNode() },
        timeoutMs: 900_000,
      },
    );
    if (!result.ok || !sqliteLoads()) {
      throw new SetupError(
        `better-sqlite3 could not be built:\n${result.output.trim()}\n` +
          'Next: check that gcc, g++, make and python3 work and that the headers of this Node can be found (include/node beside bin/node, or a connection to nodejs.org).',
      );
    }
  }
  if (!existsSync(kept) && existsSync(binary)) {
    mkdirSync(dirname(kept), { recursive: true });
    copyFileSync(binary, kept);
  }
}

async function provisionFrida() {
  const entry = join(root, 'dist', 'provision.js');
  if (!existsSync(entry)) return;
  const { provisionFrida: provision } = await import(pathToFileURL(entry).href);
  const home = process.env.STROBE_HOME ?? join(homedir(), '.strobe');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  try {
    await provision({ home, progress: say });
  } catch (error) {
    // The first launch tries again and reports FRIDA_MISSING; everything else works without.
    say(`Frida could not be installed. ${error.text ?? error.message}`);
    if (process.argv.includes('--strict')) throw new SetupError('Frida is needed for this.');
  }
}

/** Two clients may start Strobe at the same time: the second waits until the first is done. */
async function withLock(work) {
  mkdirSync(cache, { recursive: true });
  const lock = join(cache, 'setup.lock');
  const limit = Date.now() + 900_000;
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
      if (!isAlive(owner)) rmSync(lock, { force: true });
      else if (Date.now() > limit)
        throw new SetupError(
          `another set-up (pid ${owner}) does not end.\nNext: end it, then run ./strobe again.`,
        );
      else await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function setUp() {
  const started = new Date();
  // The folder it was called in may have been removed.
  process.chdir(root);
  requireToolchain();
  await installPackages();
  await buildSqlite();
  const { build } = await import('./build.mjs');
  const failure = await build(root).catch((error) => error);
  await provisionFrida();
  if (failure) throw new SetupError(`the build failed:\n${failure.message}`);
  // The stamp carries the time the work began: what is edited meanwhile counts as newer.
  const stamp = join(root, 'dist', 'setup.json');
  writeFileSync(stamp, `${JSON.stringify({ abi: process.versions.modules })}\n`);
  utimesSync(stamp, started, started);
  say(`ready (${((Date.now() - started.getTime()) / 1000).toFixed(1)} s)`);
}

try {
  await withLock(setUp);
} catch (error) {
  process.stderr.write(
    `strobe set-up failed: ${error instanceof SetupError ? error.message : (error.stack ?? error)}\n`,
  );
  process.exitCode = 1;
}
