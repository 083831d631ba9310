/*
 * Test suites of others, run as they are and traced with @usercode: the same results. Packages come from PyPI, as their
 * makers publish them, into .cache/pythonSuites. Arguments choose: `node proof/pythonSuites.proof.mjs click 3.12`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';

const limitMs = 15 * 60_000;
const cache = join(root, '.cache', 'pythonSuites');
const suites = {
  attrs: { version: '26.1.0', needs: ['hypothesis', 'cloudpickle', 'pympler'] },
  click: { version: '8.5.1', needs: [] },
  'more-itertools': { version: '11.2.1', needs: [] },
  jinja2: { version: '3.1.6', needs: ['trio', 'markupsafe'] },
  packaging: { version: '26.3', needs: ['pretend', 'hypothesis'], only: 'not property' },
};
const minors = ['3.9', '3.11', '3.12', '3.13', '3.14'];

function pyenv(minor) {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const version = readdirSync(versions).find((name) => name.startsWith(`${minor}.`));
  return version ? join(versions, version, 'bin', `python${minor}`) : '';
}

function interpreter(minor) {
  const fetched = join(root, '.cache', 'pythons', minor, 'usr', 'bin', `python${minor}`);
  return existsSync(fetched) ? fetched : pyenv(minor);
}

/** One pip serves all versions: an option names the version. */
function pip(words) {
  const quiet = ['--quiet', '--disable-pip-version-check'];
  const ended = spawnSync(pyenv('3.12'), ['-m', 'pip', ...words, ...quiet], { encoding: 'utf8' });
  return ended.status === 0 ? null : ended.stderr.trim().split('\n').at(-1);
}

/** The folder of a package's sources. */
function sourcesOf(name) {
  const folder = join(cache, 'sources');
  const stem = `${name.replaceAll('-', '_')}-${suites[name].version}`;
  if (!existsSync(join(folder, stem))) {
    mkdirSync(folder, { recursive: true });
    const wanted = `${name}==${suites[name].version}`;
    const why = pip(['download', '--no-deps', '--no-binary', ':all:', '-d', folder, wanted]);
    if (why !== null) throw new Error(why);
    execFileSync('tar', ['-xzf', join(folder, `${stem}.tar.gz`), '-C', folder]);
  }
  return join(folder, stem);
}

/** What a suite needs for a version, itself for its metadata; a sentence where that cannot be had. */
function packagesFor(name, minor) {
  const folder = join(cache, `packages-${minor}-${name}`);
  if (existsSync(folder)) return { folder, why: null };
  const target = ['--target', folder, '--python-version', minor, '--only-binary', ':all:'];
  const wanted = ['pytest', `${name}==${suites[name].version}`, ...suites[name].needs];
  const why = pip(['install', ...target, ...wanted]);
  if (why !== null) rmSync(folder, { recursive: true, force: true });
  return { folder, why };
}

/** `2434 passed, 24 skipped`, without how long it took. */
function verdictIn(text) {
  const line = text.split('\n').findLast((one) => /\d+ (?:passed|failed|error)/.test(one)) ?? '';
  return line
    .replaceAll('=', '')
    .replace(/ in [\d.]+s.*$/, '')
    .replace(/,? \d+ warnings?/, '')
    .trim();
}

async function traced(product, launch) {
  const began = performance.now();
  const { sessionId } = await product.call('debug_launch', { ...launch, patterns: ['@usercode'] });
  await product.waitForExit(sessionId);
  const ms = performance.now() - began;
  const { lines } = await product.call('debug_query', { view: 'output', sessionId, tail: 20 });
  const { counters } = await product.call('debug_session', { action: 'status', sessionId });
  return { ms, verdict: verdictIn(lines.map(({ text }) => text).join('\n')), counters };
}

const chosen = process.argv.slice(2);
const isChosen = (name, all) => !chosen.some((one) => all.includes(one)) || chosen.includes(name);
const rows = [];
const home = openHome();
try {
  const product = await Product.start(home);
  for (const name of Object.keys(suites).filter((one) => isChosen(one, Object.keys(suites)))) {
    const projectRoot = join(home.project, name);
    cpSync(sourcesOf(name), projectRoot, { recursive: true });
    for (const minor of minors.filter((one) => isChosen(one, minors))) {
      const command = interpreter(minor);
      const { folder, why } = packagesFor(name, minor);
      if (command === '' || why !== null) {
        console.log(`${name} ${minor}: not run: ${why ?? 'no interpreter'}`);
        rows.push({ suite: name, python: minor, same: 'not run', plain: why ?? 'no interpreter' });
        continue;
      }
      const only = suites[name].only === undefined ? [] : ['-k', suites[name].only];
      const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...only, 'tests'];
      const path = [join(projectRoot, 'src'), projectRoot, folder].join(':');
      const env = { PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1', PYTHONHASHSEED: '1' };
      const began = performance.now();
      const plain = spawnSync(command, args, {
        cwd: projectRoot,
        env: { ...home.env, ...env },
        encoding: 'utf8',
        timeout: limitMs,
        maxBuffer: 1 << 28,
      });
      const plainMs = performance.now() - began;
      if (verdictIn(plain.stdout) === '') {
        const last = `${plain.stdout}${plain.stderr}`.trim().split('\n').at(-1);
        console.log(`${name} ${minor}: not run: ${last}`);
        rows.push({ suite: name, python: minor, same: 'not run', plain: last });
        continue;
      }
      const own = await traced(product, { command, args, cwd: projectRoot, projectRoot, env });
      const row = {
        suite: name,
        python: minor,
        same: verdictIn(plain.stdout) === own.verdict ? 'yes' : 'NO',
        plain: verdictIn(plain.stdout),
        traced: own.verdict,
        events: own.counters?.seen ?? '?',
        lost: own.counters?.lost ?? '?',
        seconds: `${(plainMs / 1000).toFixed(1)} → ${(own.ms / 1000).toFixed(1)}`,
      };
      rows.push(row);
      console.log(
        `${row.same.padEnd(4)} ${name} ${minor}: ${row.plain} | ${row.traced} | ${row.seconds} s, ${row.events} events`,
      );
    }
  }
  await product.close();
} finally {
  home.close();
}
const run = rows.filter(({ same }) => same !== 'not run');
const same = run.filter(({ same: is }) => is === 'yes').length;
const verdict = `${same} of ${run.length} suites have the same results traced with @usercode; ${rows.length - run.length} cannot run`;
console.log(verdict);
if (chosen.length === 0) recordRows('pythonSuites', verdict, rows);
if (same < run.length) process.exitCode = 1;
