import { it } from 'vitest';
import { armWhileEightRun } from '../../tests/support/armWhileEightRun.ts';
import { expectMovedAlike } from '../../tests/support/movedCode.ts';
import { stormUnder } from '../../tests/support/storm.ts';

it('[trace.hazards] eight threads, hooks, policies, watches and triggers in random order, under the thread sanitizer', async () => {
  await stormUnder(['-fsanitize=thread', '-Wno-tsan']);
});

it('arms and disarms functions that eight threads are running, 1,000 times', async () => {
  await armWhileEightRun(1_000);
});

it('[trace.hazards] a million random functions do with moved first instructions what they do as they are', () => {
  expectMovedAlike(1_000_000);
});
