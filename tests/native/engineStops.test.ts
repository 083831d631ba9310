import { text } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { startOwned } from '../../src/base/process.ts';
import { EngineProgram } from '../support/engineProgram.ts';
import { engineAsPart } from '../support/storm.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000 });

interface Starved {
  readonly traced: EngineProgram;
  readonly does: (what: string) => Promise<void>;
}

async function started(): Promise<Starved> {
  const program = buildTarget('engine/starved.c', ['-O1', '-pthread']);
  const traced = await EngineProgram.start(program);
  const does = async (what: string): Promise<void> => {
    const said = traced.said();
    traced.write(`${what}\n`);
    expect(await said).toBe('done\n');
  };
  return { traced, does };
}

/** It is hooked, goes on, is let go, and what the function did was right each time. */
async function expectAllRight({ traced, does }: Starved): Promise<void> {
  expect(await traced.arm({ fill: {} })).toEqual({ fill: 'hooked' });
  await does('feed');
  expect(await traced.disarm('fill')).toBe(1);
  const ran = await traced.end('end');
  expect(ran.code).toBe(0);
  expect(ran.output).toMatch(/\n1\n$/);
}

it('[trace.hazards] a thread that gets no processor keeps what it stands in', async () => {
  const program = await started();
  const { traced, does } = program;
  await using _ = traced;
  await does('starve');
  // It may have got a moment of it.
  const { fill } = await traced.arm({ fill: {} });
  expect(['notStopped', 'hooked']).toContain(fill);
  await does('feed');
  expect(await traced.arm({ fill: {} })).toEqual({ fill: 'hooked' });
  await does('feed');
  await does('starve');
  expect(await traced.disarm('fill')).toBe(1);
  const before = traced.rings().threads[0]?.events.length ?? 0;
  await does('feed');
  expect(traced.rings().threads[0]?.events.length).toBeLessThanOrEqual(before + 1);
  await expectAllRight(program);
});

it('[trace.hazards] a thread that waits for a page in the first bytes of a function goes on there', async () => {
  const program = await started();
  const { traced, does } = program;
  await using _ = traced;
  await does('page');
  await expectAllRight(program);
});

it('[trace.hazards] a program that executes another in the middle of a stop lives on', async () => {
  const program = buildTarget('engine/executes.c', engineAsPart());
  await using child = await startOwned({ command: program, args: ['1000'] });
  child.stdin.end();
  const output = await text(child.stdout);
  expect({ ...(await child.ended), output }).toEqual({ code: 0, signal: null, output: 'done\n' });
});
