import { it } from 'vitest';
import { armWhileEightRun } from '../../tests/support/armWhileEightRun.ts';
import { expectMovedAlike } from '../../tests/support/movedCode.ts';
import { stormUnder } from '../../tests/support/storm.ts';

it.each([
  [
    'the sanitizers of addresses and undefined behaviour',
    '-fsanitize=address,undefined',
    '-fno-sanitize-recover=all',
  ],
  ['the thread sanitizer', '-fsanitize=thread', '-Wno-tsan'],
])(
  '[trace.hazards] eight threads, hooks, policies, watches and triggers in random order, under %s',
  async (_name, ...sanitizer) => {
    await stormUnder(sanitizer, 3);
  },
);

it('arms and disarms functions that eight threads are running, 1,000 times', async () => {
  await armWhileEightRun(1_000);
});

it('[trace.hazards] a million random functions do with moved first instructions what they do as they are', () => {
  expectMovedAlike(1_000_000);
});
