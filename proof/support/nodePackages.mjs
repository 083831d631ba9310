/* Projects from npm with the tests that their packages carry, unpacked and installed once for a proof. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vendoredFolder } from './vendored.mjs';

const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];

/**
 * The folder of a project: the package `name@version` with its own dependencies and what else its tests need.
 * `prepare` changes what was unpacked.
 */
export function nodeProject(name, version, needs, prepare = () => undefined) {
  const folder = join(vendoredFolder('node-suites'), `${name}-${version}`);
  if (existsSync(join(folder, 'node_modules'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['pack', `${name}@${version}`, '--silent'], { cwd: folder, ...quiet });
  const packed = join(folder, `${name}-${version}.tgz`);
  execFileSync('tar', ['xzf', packed, '--strip-components=1'], { cwd: folder, ...quiet });
  rmSync(packed);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const part of ['devDependencies', 'scripts']) delete manifest[part];
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  prepare(folder);
  execFileSync('npm', [...install, '--no-save', ...needs], { cwd: folder, ...quiet });
  return folder;
}
