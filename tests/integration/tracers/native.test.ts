import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe } from 'vitest';
import { memoryOf } from '../../../src/base/proc.ts';
import { parseMapping } from '../../../src/model/endings/snapshot.ts';
import { buildTarget, targetSource } from '../../support/targets.ts';
import { tracerConformance } from './conformance.ts';

const program = buildTarget('tracers/conform.cpp', ['-O1', '-pthread']);

describe('native [runtimes.conformance]', () => {
  tracerConformance({
    capabilities: {
      returns: true,
      exceptions: 'full',
      suspensions: false,
      late: 'all',
      crashes: true,
    },
    program: () => ({ command: program, args: [] }),
    isWhole: true,
    projectRoot: dirname(targetSource('tracers/conform.cpp')),
    fingerprint: codeOf,
  });
});

/** The program's own code as it is in memory. */
function codeOf(pid: number): string {
  const hash = createHash('sha256');
  for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
    const row = parseMapping(line);
    if (!row || row.path !== program || !row.protection.includes('x')) continue;
    hash.update(memoryOf(pid, row.start, Number(row.end - row.start)));
  }
  return hash.digest('hex');
}
