/* The interpreters of a bench or proof: those of pyenv, and of scripts/pythons.mjs. */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root } from './record.mjs';

/** Path of CPython of a version like `3.12`, or null. */
export function pythonOf(version) {
  const fetched = join(root, '.cache', 'pythons', version, 'usr', 'bin', `python${version}`);
  if (existsSync(fetched)) return fetched;
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const full = existsSync(versions)
    ? readdirSync(versions).find((name) => name.startsWith(`${version}.`))
    : undefined;
  return full === undefined ? null : join(versions, full, 'bin', `python${version}`);
}

/** Versions that the arguments name, else all, each with its path. */
export function chosenPythons() {
  const named = process.argv.slice(2).filter((word) => /^3\.\d+$/.test(word));
  const versions = named.length > 0 ? named : ['3.9', '3.11', '3.12', '3.13', '3.14'];
  return versions.flatMap((version) => {
    const path = pythonOf(version);
    return path === null ? [] : [[version, path]];
  });
}
