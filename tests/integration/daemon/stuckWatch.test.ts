import { expect, test } from 'vitest';
import { monotonicMs } from '../../../src/base/clock.ts';
import { startOwned } from '../../../src/base/process.ts';
import { StuckWatch } from '../../../src/daemon/testing/stuckWatch.ts';
import { Tally } from '../../../src/testing/tally.ts';

test('[test.stuck-stacks] a silent run is asked once for its stacks, also while the answer takes longer than a look', async () => {
  await using sleeper = await startOwned({ command: '/bin/cat', args: [] });
  const answers: ((text: string) => void)[] = [];
  const watch = new StuckWatch({
    pid: sleeper.pid,
    tally: new Tally(),
    lastSignMs: monotonicMs() - 60_000,
    known: () => null,
    stacks: () => new Promise<string>((resolve) => void answers.push(resolve)),
  });
  expect(await watch.look()).toEqual([]);
  const looks = [watch.look(), watch.look()];
  for (const [i, answer] of answers.entries()) answer(i === 0 ? 'main.c:7' : 'nothing new');
  const hints = (await Promise.all(looks)).flat();
  expect(hints.map(({ stacks }) => stacks)).toEqual(['main.c:7', 'main.c:7']);
  expect((await watch.look()).map(({ stacks }) => stacks)).toEqual(['main.c:7']);
});
