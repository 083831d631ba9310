import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { packageRoot } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

itNeeds(
  'root',
  "[trace.short-threads] a program's thread that has the number of one of ours that ended is the program's",
  () => {
    // Built targets are kept by their flags: this one changes with the engine.
    const source = readFileSync(join(packageRoot, 'native/engine/ownThreads.c'));
    const version = createHash('sha256').update(source).digest('hex').slice(0, 12);
    const program = buildTarget('engine/ownThreads.c', ['-pthread', `-DSOURCE=0x${version}`]);
    expect(execFileSync(program, { timeout: 50_000 }).toString()).toBe('ours 1\nanother 0\n');
  },
);
