import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { captureOp } from '../../src/protocol/record.ts';
import { runOnArm64Kernel } from './support/arm64Kernel.ts';
import { armTableOf, engineForArm64, preloadForArm64 } from './support/emulated.ts';
import { type Capture, op } from '../../tests/support/engineProgram.ts';
import { itNeeds } from '../../tests/support/needs.ts';
import { engineAsPart, engineSource } from '../../tests/support/storm.ts';
import { buildForArm64, targetSource } from '../../tests/support/targets.ts';

const first: Capture = { ops: [op(captureOp.integer, 0)] };
const copied: Capture = { ...first, stackBytes: 256 };
const fixed = ['-O2', '-mbranch-protection=standard', '-no-pie', '-pthread'];

/** Functions that take no stack arguments, with and without a copy of the stack. */
const plain = {
  ...Object.fromEntries(
    ['make_big', 'pair', 'recurse', 'tail_even', 'tail_odd', 'empty'].map((name) => [name, first]),
  ),
  ...Object.fromEntries(
    ['scale', 'halve', 'many', 'mixed', 'by_value', 'variadic', 'name_of', 'wide', 'identity'].map(
      (name) => [name, copied],
    ),
  ),
  ...Object.fromEntries(['jumps', 'jump_home', 'tick', 'sum'].map((name) => [name, first])),
};
const thrown = Object.fromEntries(
  ['_Z7throweri', '_Z7guardedi', '_Z8rethrowsi', '_Z9caughtFari', '_Z4deepld', '_Z6workerPv'].map(
    (name, index) => [name, index % 2 ? copied : first],
  ),
);

const seeds = [1, 2, 3, 4];

itNeeds(
  'arm64Kernel',
  '[trace.arm64] on a kernel of its own: stopped by ptrace, programs do as untraced; memory that goes is read without harm',
  async () => {
    const programs = {
      plain: buildForArm64('engine/plain.c', fixed),
      exceptions: buildForArm64('engine/exceptions.cpp', fixed),
    };
    const counting = [
      targetSource('engine/countStops.c'),
      '-Wl,--wrap=stop_by_signal',
      '-Wl,--wrap=stop_by_trace',
    ];
    const files = new Map<string, Buffer>(
      Object.entries({
        '/lib/engine.so': engineForArm64(),
        '/lib/preload.so': preloadForArm64(),
        '/bin/plain': programs.plain,
        '/bin/exceptions': programs.exceptions,
        '/bin/storm': buildForArm64('engine/storm.c', [
          '-static',
          ...counting,
          ...engineAsPart('arm64'),
        ]),
        '/bin/reads': buildForArm64('engine/readsAlone.c', [
          '-pie',
          '-fPIE',
          '-O2',
          '-pthread',
          '-fno-strict-aliasing',
          engineSource('arm64'),
        ]),
      }).map(([name, path]): [string, Buffer] => [name, readFileSync(path)]),
    );
    files.set('/plain.table', armTableOf(programs.plain, plain));
    files.set('/exceptions.table', armTableOf(programs.exceptions, thrown));
    const traced = (name: string) =>
      `LD_PRELOAD=/lib/preload.so ENGINE=/lib/engine.so TABLE=/${name}.table RINGS=/tmp/${name} CODES=/tmp/codes /bin/${name}`;
    const [plainRun, plainTraced, thrownRun, thrownTraced, reads, ...storms] =
      await runOnArm64Kernel(files, [
        '/bin/plain',
        traced('plain'),
        '/bin/exceptions',
        traced('exceptions'),
        '/bin/reads',
        ...seeds.map((seed) => `/bin/storm /tmp/rings${seed} ${seed}`),
      ]);
    expect(plainRun).toMatchObject({ status: 3 << 8 });
    expect(plainTraced).toEqual(plainRun);
    expect(thrownRun).toMatchObject({ status: 7 << 8 });
    expect(thrownTraced).toEqual(thrownRun);
    expect(reads).toEqual({ status: 0, output: 'without\n0 0 0 0 0 0\n0 0 0 0 0 0\n' });
    expect(storms.map(({ status }) => status)).toEqual(seeds.map(() => 0));
    for (const { output } of storms) {
      const [, byTrace, bySignal] = /stops (\d+) (\d+)/.exec(output) ?? [];
      expect(Number(byTrace)).toBeGreaterThan(20);
      expect(bySignal).toBe('0');
    }
  },
  600_000,
);
