import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { pause } from '../../src/base/deadline.ts';
import { startClient } from '../../tests/support/client.ts';
import { openHome } from '../../tests/support/home.ts';
import { at, numberAt } from '../../tests/support/read.ts';
import { launch } from '../../tests/support/runs.ts';
import { linesOf } from '../../tests/support/calls.ts';
import { buildTarget } from '../../tests/support/targets.ts';

vi.setConfig({ testTimeout: 1_800_000 });

/** Memory that files of a folder take. */
function megabytesIn(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    try {
      bytes += statSync(join(folder, name)).blocks * 512;
    } catch {
      // It was given back meanwhile.
    }
  }
  return bytes / 2 ** 20;
}

test('[memory.rings] three thousand short programs, one after the other in a session, keep shared memory below 64 MB', async () => {
  const count = 3000;
  const leaf = buildTarget('e2e/leaf.c', ['-g']);
  const home = openHome();
  const client = await startClient(home);
  try {
    const { sessionId } = await launch(client, home, 'sh', {
      args: [
        '-c',
        `i=0; while [ $i -lt ${count} ]; do ${leaf} 1 > /dev/null; i=$((i+1)); done; echo all`,
      ],
      projectRoot: dirname(dirname(leaf)),
      patterns: ['leafWork'],
    });
    const folder = `/dev/shm/strobe-${process.getuid?.() ?? 0}/${sessionId}`;
    let most = 0;
    let isOver = false;
    while (!isOver) {
      most = Math.max(most, megabytesIn(folder));
      await pause(200);
      isOver = (await linesOf(client, sessionId)).some(({ text }) => text === 'all');
    }
    expect(most).toBeLessThan(64);
    const answer = await client.ok('debug_query', { view: 'stats', sessionId });
    const counters = at(answer.structured, 'counters');
    expect(counters).toMatchObject({ lost: 0 });
    expect(numberAt(counters, 'seen')).toBe(2 * count);
  } finally {
    await client.close();
    await home.close();
  }
});
