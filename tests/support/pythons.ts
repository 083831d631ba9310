import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './strobe.ts';

/** Where pyenv keeps its versions. */
const folder = join(
  process.env['PYENV_ROOT'] ?? join(process.env['HOME'] ?? '/root', '.pyenv'),
  'versions',
);

/** An interpreter of this machine. */
export interface Python {
  /** `3.12`, with ` (system)` for that of the distribution. */
  readonly name: string;
  readonly minor: number;
  readonly path: string;
  readonly isSystem: boolean;
}

/** CPython 3.9 and newer: of pyenv, with a shared library, that of the distribution, and those of scripts/pythons.mjs. */
export const pythons: readonly Python[] = [...ofPyenv(), ...ofSystem(), ...fetched()];

function fetched(): Python[] {
  return [14, 15].flatMap((minor) => {
    const path = join(
      packageRoot,
      '.cache',
      'pythons',
      `3.${minor}`,
      'usr',
      'bin',
      `python3.${minor}`,
    );
    return existsSync(path) ? [{ name: `3.${minor}`, minor, path, isSystem: false }] : [];
  });
}

function ofPyenv(): Python[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((version) => {
      const minor = Number(/^3\.(\d+)\./.exec(version)?.[1] ?? 0);
      const path = join(folder, version, 'bin', `python3.${minor}`);
      return minor >= 9 && existsSync(path)
        ? [{ name: `3.${minor}`, minor, path, isSystem: false }]
        : [];
    })
    .toSorted((a, b) => a.minor - b.minor);
}

function ofSystem(): Python[] {
  const path = '/usr/bin/python3';
  if (!existsSync(path)) return [];
  const minor = Number(/python3\.(\d+)$/.exec(realpathSync(path))?.[1] ?? 0);
  return minor >= 9 ? [{ name: `3.${minor} (system)`, minor, path, isSystem: true }] : [];
}
