import { join } from 'node:path';
import { installPaths } from '../../../src/base/installPaths.ts';
import { packageRoot } from '../../support/strobe.ts';

/** Where the tests of this clone keep their Frida. */
export const surroundings = {
  home: join(packageRoot, '.cache', 'home'),
  python: 'python3',
  paths: installPaths(),
} as const;
