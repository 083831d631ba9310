/* A run of one of the programs calls.* in bench/targets, traced. */
import { join } from 'node:path';
import { root } from './record.mjs';

/** Its session once it has ended, and how long that took. */
export async function launchedCalls(product, command, args) {
  const began = performance.now();
  const { sessionId } = await product.call('debug_launch', {
    command,
    args,
    projectRoot: join(root, 'bench', 'targets'),
    patterns: [{ pattern: 'calls.wanted', sampling: 'off' }],
  });
  await product.waitForExit(sessionId);
  return { sessionId, ms: performance.now() - began };
}
