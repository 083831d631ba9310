import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { changedCode, footprint } from '../support/processImage.ts';
import { until } from '../support/processes.ts';
import { numberAt, textAt } from '../support/read.ts';
import { Running } from '../support/running.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 300_000 });

/** More than there is room for blocks near a program. */
const attaches = 12;
/** Of the memory map, by a block and its files. */
const linesOfBlock = 8;

describe('one attach after another, from outside', () => {
  const { client } = withClient();

  /** Attaches, records calls until there are some and `sign` was said, and lets go. */
  async function recordSome(
    running: Running,
    patterns: readonly string[],
    sign = '',
  ): Promise<void> {
    const { pid } = running;
    const { structured } = await client.ok('debug_launch', { pid, patterns });
    const sessionId = textAt(structured, 'sessionId');
    const stored = async (): Promise<number> => {
      const stats = await client.ok('debug_query', { view: 'stats', sessionId });
      return numberAt(stats.structured, 'counters', 'stored');
    };
    await vi.waitFor(async () => expect(await stored()).toBeGreaterThan(100), {
      timeout: 30_000,
    });
    await until(`it says ${sign}`, () => running.stdout.includes(sign));
    await client.ok('debug_session', { action: 'detach', sessionId });
    expect(changedCode(pid)).toEqual([]);
  }

  /** The program's memory has no more parts than after the first, but where a thread was thought to be in the block. */
  async function attachAgainAndAgain(running: Running, called: readonly string[]): Promise<void> {
    await recordSome(running, called);
    const { maps } = footprint(running.pid);
    for (let attach = 1; attach < attaches; attach++) await recordSome(running, called);
    expect(footprint(running.pid).maps).toBeLessThan(maps + 3 * linesOfBlock);
  }

  itNeeds(
    'go',
    '[attach.outside-again] a program of Go is attached to as often as one likes',
    async () => {
      await using running = await Running.start(buildTarget('e2e/attachedOften.go'), [], 'works');
      await attachAgainAndAgain(running, ['main.mixed', 'main.deep']);
      running.endInput();
      await running.ended();
      expect(running.stdout).toBe('works\nwrong: 0 worked: true\n');
    },
  );

  test('[attach.outside-again] a static program of C++ is attached to as often as one likes', async () => {
    const program = buildTarget('e2e/attachedOften.cpp', ['-O0', '-static']);
    await using running = await Running.start(program, [], 'works');
    await attachAgainAndAgain(running, ['mixed', 'stepped']);
    running.endInput();
    await running.ended();
    expect(running.stdout).toBe('works\nwrong: 0 worked: 1\n');
  });

  test('[attach.outside-again] a thread continues in code of an earlier attach after later ones', async () => {
    const program = buildTarget('e2e/heldInHandler.cpp', ['-O0', '-static']);
    await using running = await Running.start(program, [], 'works');
    await recordSome(running, ['stepped'], 'held');
    // Other code would be in the place of that which the thread comes back to.
    for (let attach = 0; attach < 3; attach++) await recordSome(running, ['check']);
    running.write('x');
    await recordSome(running, ['check']);
    running.endInput();
    await running.ended();
    expect(running.stdout).toBe('works\nheld\nwrong: 0 went on: 1\n');
  });
});
