import { expect } from 'vitest';
import { captureOp } from '../../src/protocol/record.ts';
import { EngineProgram, op } from './engineProgram.ts';
import { buildTarget } from './targets.ts';

/** Arms and disarms functions that eight threads are running; fails unless each is hooked each time. */
export async function armWhileEightRun(times: number): Promise<void> {
  const integers = (...indexes: number[]) => indexes.map((index) => op(captureOp.integer, index));
  await using traced = await EngineProgram.start(
    buildTarget('engine/hot.c', ['-O2', '-pthread', '-DTHREADS=8']),
  );
  const wanted = {
    add: { ops: integers(0, 1) },
    choose: { ops: integers(0) },
    crosses: { stackBytes: 256 },
  };
  for (let cycle = 0; cycle < times; cycle++) {
    expect(await traced.arm(wanted)).toEqual({
      add: 'hooked',
      choose: 'hooked',
      crosses: 'hooked',
    });
    expect(await traced.disarm('add', 'choose', 'crosses')).toBe(3);
  }
  expect(await traced.end('stop')).toMatchObject({ code: 0, output: 'ready\n1\n' });
  expect(traced.rings().threads).toHaveLength(8);
}
