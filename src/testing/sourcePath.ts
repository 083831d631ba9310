import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';

const mostLevels = 4;

/**
 * The absolute path of a file that a compiler or framework named: relative to the project, to a
 * folder above it (a workspace) or to one of `further`. As it was told when no such file exists.
 */
export function sourcePath(told: string, root: string, further: readonly string[] = []): string {
  if (isAbsolute(told)) return normalize(told);
  let folder = root;
  for (let level = 0; level < mostLevels; level += 1) {
    if (existsSync(join(folder, told))) return join(folder, told);
    if (dirname(folder) === folder) break;
    folder = dirname(folder);
  }
  const other = further.find((one) => existsSync(join(one, told)));
  return other === undefined ? normalize(told) : join(other, told);
}
