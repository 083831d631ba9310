import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './strobe.ts';

/** A Node of this machine. */
export interface Node {
  readonly major: number;
  readonly path: string;
}

/** Those of scripts/nodes.mjs; `npm test` runs two of them, `STROBE_ALL_NODES=1` all. */
export const nodes: readonly Node[] = (
  process.env['STROBE_ALL_NODES'] === '1' ? [20, 22, 24, 26] : [20, 24]
).flatMap((major) => {
  const path = join(packageRoot, '.cache/nodes/node_modules', `node${major}`, 'bin/node');
  return existsSync(path) ? [{ major, path }] : [];
});
