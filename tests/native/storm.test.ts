import { it } from 'vitest';
import { stormUnder } from '../support/storm.ts';

// Under the thread sanitizer: proof/tests/engine.test.ts.
it('[trace.hazards] eight threads, hooks, policies, watches and triggers in random order, under the sanitizers of addresses and undefined behaviour', async () => {
  await stormUnder(['-fsanitize=address,undefined', '-fno-sanitize-recover=all']);
}, 240_000);
