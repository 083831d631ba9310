/*
 * Makes a clone ready to use; every step is skipped when its result is already there:
 *   packages → build → Frida for Python.
 * Install scripts of packages are off (.npmrc), because npm 12 runs none either, and none is needed. Progress goes
 * to standard error. Only Node's own modules are imported at the top, since node_modules may not exist yet.
 */
import { spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  const wanted = [
    ['gcc', 'cc'],
    ['g++', 'c++'],
  ];
  const missing = wanted.filter((names) => !names.some(onPath)).map((names) => names[0]);
  if (missing.length > 0) {
    throw new SetupError(
      `TOOLCHAIN_MISSING: ${missing.join(', ')} not found; the native parts are compiled on this machine.\n` +
        'Next: install a C and C++ compiler (Debian, Ubuntu: apt-get install build-essential; Fedora: dnf install gcc gcc-c++).',
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

/** Frida's failure is none of the set-up: the first launch tries again and reports FRIDA_MISSING. */
async function provisionFrida() {
  const program = join(root, 'dist', 'provisionMain.js');
  if (process.argv.includes('--without-frida') || !existsSync(program)) return;
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.on('data', (chunk) => say(chunk.toString().trim()));
  const status = await new Promise((resolve) => child.on('close', resolve));
  if (status !== 0 && process.argv.includes('--strict'))
    throw new SetupError('Frida is needed for this.');
}

/** Two clients may start Strobe at the same time: the second waits until the first is done. */
async function withLock(work) {
  mkdirSync(cache, { recursive: true });
  const lock = join(cache, 'setup.lock');
  const limit = Date.now() + 900_000;
  let waitsFor = 0;
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
      else {
        if (owner !== waitsFor) say(`waiting for another set-up (pid ${owner})`);
        waitsFor = owner;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
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
  say('building');
  const { build } = await import('./build.mjs');
  const failure = await build(root, say).catch((error) => error);
  await provisionFrida();
  if (failure) throw new SetupError(`the build failed:\n${failure.message}`);
  // The stamp carries the time the work began: what is edited meanwhile counts as newer.
  const stamp = join(root, 'dist', 'setup.json');
  writeFileSync(stamp, '{}\n');
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
