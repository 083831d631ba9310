import { it } from 'vitest';
import { stormUnder } from '../support/storm.ts';

// More of them, and the thread sanitizer, are in proof/tests/engine.test.ts.
it('[trace.hazards] eight threads, hooks, policies, watches and triggers in random order, under the sanitizers of addresses and undefined behaviour', async () => {
  await stormUnder(['-fsanitize=address,undefined', '-fno-sanitize-recover=all'], 1);
}, 240_000);
