/*
 * Test suites of others, run as they are and traced with @usercode: the same results. Packages come from PyPI, as their
 * makers publish them, into .cache/pythonSuites. Arguments choose: `node proof/pythonSuites.proof.mjs click 3.12`; rows
 * of the day that are not made anew stay.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { pythonOf } from '../bench/support/pythons.mjs';
import { root } from '../bench/support/record.mjs';
import { installed, pip } from './support/pythonPackages.mjs';
import { recordRows, recordedRows } from './support/record.mjs';

const limitMs = 15 * 60_000;
const cache = join(root, '.cache', 'pythonSuites');
const suites = {
  attrs: { version: '26.1.0', needs: ['hypothesis', 'cloudpickle', 'pympler'] },
  click: { version: '8.5.1', older: { 3.9: '8.1.8' }, needs: [] },
  'more-itertools': { version: '11.2.1', older: { 3.9: '10.8.0' }, needs: [] },
  jinja2: { version: '3.1.6', needs: ['trio', 'markupsafe'] },
  packaging: {
    version: '26.3',
    needs: ['pretend', 'hypothesis', 'tomli_w', 'tomli'],
    only: 'not property',
  },
};
const minors = ['3.9', '3.11', '3.12', '3.13', '3.14'];

/** The folder of a package's sources. */
function sourcesOf(name, version) {
  const folder = join(cache, 'sources');
  const stem = `${name.replaceAll('-', '_')}-${version}`;
  if (!existsSync(join(folder, stem))) {
    mkdirSync(folder, { recursive: true });
    const wanted = `${name}==${version}`;
    const why = pip(['download', '--no-deps', '--no-binary', ':all:', '-d', folder, wanted]);
    if (why !== null) throw new Error(why);
    execFileSync('tar', ['-xzf', join(folder, `${stem}.tar.gz`), '-C', folder]);
  }
  return join(folder, stem);
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
  const text = lines.map((line) => line.text).join('\n');
  return { ms, verdict: verdictIn(text), text, counters };
}

const chosen = process.argv.slice(2);
const isChosen = (name, all) => !chosen.some((one) => all.includes(one)) || chosen.includes(name);
const rows = [];
const home = openHome();
try {
  const product = await Product.start(home);
  for (const name of Object.keys(suites).filter((one) => isChosen(one, Object.keys(suites)))) {
    for (const minor of minors.filter((one) => isChosen(one, minors))) {
      const command = pythonOf(minor);
      const version = suites[name].older?.[minor] ?? suites[name].version;
      const projectRoot = join(home.project, `${name}-${version}`);
      cpSync(sourcesOf(name, version), projectRoot, { recursive: true });
      // Itself for its metadata.
      const packages = ['pytest', `${name}==${version}`, ...suites[name].needs];
      const folder = join(cache, `packages-${minor}-${name}`);
      const why = installed(folder, packages, minor);
      if (command === null || why !== null) {
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
        version,
        same: verdictIn(plain.stdout) === own.verdict ? 'yes' : 'NO',
        plain: verdictIn(plain.stdout),
        traced: own.verdict,
        events: own.counters?.seen ?? '?',
        lost: own.counters?.lost ?? '?',
        seconds: `${(plainMs / 1000).toFixed(1)} → ${(own.ms / 1000).toFixed(1)}`,
      };
      rows.push(row);
      if (row.same === 'NO') console.log(own.text);
      console.log(
        `${row.same.padEnd(4)} ${name} ${minor}: ${row.plain} | ${row.traced} | ${row.seconds} s, ${row.events} events`,
      );
    }
  }
  await product.close();
} finally {
  home.close();
}
const keyOf = ({ suite, python }) => `${suite} ${python}`;
const all = new Map([...recordedRows('pythonSuites'), ...rows].map((row) => [keyOf(row), row]));
const table = Object.keys(suites).flatMap((suite) =>
  minors.flatMap((python) => all.get(keyOf({ suite, python })) ?? []),
);
const run = table.filter(({ same }) => same !== 'not run');
const same = run.filter(({ same: is }) => is === 'yes').length;
const verdict = `${same} of ${run.length} suites have the same results traced with @usercode; ${table.length - run.length} cannot run`;
console.log(verdict);
recordRows('pythonSuites', verdict, table);
if (rows.some(({ same: is }) => is === 'NO')) process.exitCode = 1;
