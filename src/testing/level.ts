import { statSync } from 'node:fs';
import { join } from 'node:path';
import { StrobeError } from '../model/errors.ts';
import type { TestLevel } from '../model/tests/testReport.ts';

const homes = ['tests', 'test', 'spec', 'src/test', '__tests__'];

/**
 * The folder a project keeps its tests of a level in, relative to its root. BAD_PARAMETER when
 * there is none: a level that is not told apart must not be honoured by chance.
 */
export function levelFolder(projectRoot: string, level: TestLevel): string {
  const found = homes
    .map((home) => `${home}/${level}`)
    .find((path) => statSync(join(projectRoot, path), { throwIfNoEntry: false })?.isDirectory());
  if (found !== undefined) return found;
  throw new StrobeError(
    'BAD_PARAMETER',
    `The project does not tell ${level} tests apart: there is no folder such as tests/${level}.`,
    'Leave level out, or give file.',
  );
}

/** For frameworks that know no levels. */
export function refuseLevel(
  request: { readonly level: TestLevel | null },
  framework: string,
): void {
  if (request.level === null) return;
  throw new StrobeError(
    'BAD_PARAMETER',
    `${framework} does not tell ${request.level} tests apart.`,
    'Leave level out, or give file or test.',
  );
}
