/* Sources of others from the crates registry, fetched and compiled once for a proof. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../bench/support/record.mjs';

/** Where a proof keeps what it fetched and built. */
export const vendoredFolder = (proof) => join(root, '.cache', proof);

/** The folder with a folder for each of the crates, by name and exact version. */
export function vendor(proof, crates) {
  const folder = vendoredFolder(proof);
  const vendored = join(folder, 'vendor');
  if (Object.keys(crates).every((name) => existsSync(join(vendored, name)))) return vendored;
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src', 'lib.rs'), '');
  const wanted = Object.entries(crates).map(([name, version]) => `${name} = "=${version}"`);
  const head = `[package]\nname = "${proof}"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\nexclude = ["vendor"]\n[dependencies]\n`;
  writeFileSync(join(folder, 'Cargo.toml'), `${head}${wanted.join('\n')}\n`);
  execFileSync('cargo', ['vendor', vendored], { cwd: folder, stdio: 'ignore' });
  return vendored;
}

/** Compiles with debug information; answers the program. */
export function compile(proof, name, sources, flags, compiler = 'gcc') {
  const program = join(vendoredFolder(proof), name);
  if (existsSync(program)) return program;
  mkdirSync(vendoredFolder(proof), { recursive: true });
  const args = ['-g', '-O1', '-w', ...sources, ...flags, '-lm', '-lpthread', '-ldl', '-o', program];
  execFileSync(compiler, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return program;
}

export const sourcesIn = (path) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.c'))
    .map((name) => join(path, name));
