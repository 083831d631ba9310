import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pause } from '../../src/base/deadline.ts';
import { startClient } from '../../tests/support/client.ts';
import { linesOf } from '../../tests/support/calls.ts';
import { openHome } from '../../tests/support/home.ts';
import { partOf } from '../../tests/support/parts.ts';
import { at, listAt, textAt } from '../../tests/support/read.ts';
import { exitOf, launch, outputSeen } from '../../tests/support/runs.ts';
import { buildTarget } from '../../tests/support/targets.ts';

const burst = 24;
const program = buildTarget('e2e/execBurst.c');
const leaf = buildTarget('e2e/leaf.c', ['-g']);

test.each([0.1, 0.3, 0.9, 2, 4, 8, 11, 20, 30])(
  '[session.stalls] a daemon that is stopped for %d s beside a burst of programs that are traced',
  { timeout: 240_000 },
  async (seconds) => {
    const home = openHome();
    onTestFinished(async () => home.close());
    const client = await startClient(home);
    const go = join(home.path, 'go');
    const { sessionId } = await launch(client, home, program, {
      args: [String(burst), go, leaf],
      projectRoot: dirname(dirname(leaf)),
      patterns: ['leafWork'],
      onClientExit: 'stop',
    });
    await outputSeen(client, sessionId, 'ready');
    const daemon = partOf(home, 'daemon');
    process.kill(daemon, 'SIGSTOP');
    try {
      writeFileSync(go, '');
      await pause(seconds * 1000);
    } finally {
      process.kill(daemon, 'SIGCONT');
    }
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 5 });
    const lines = (await linesOf(client, sessionId)).map((line) => line.text);
    expect(lines.filter((line) => line === 'leaf 0')).toHaveLength(burst);
    expect(lines.at(-1)).toBe(`right ${burst}`);
    const { structured } = await client.ok('debug_session', { action: 'status', sessionId });
    const children = listAt(structured, 'processes', 'shown').filter((one) =>
      textAt(one, 'command').includes('/leaf '),
    );
    expect(children.length).toBeGreaterThan(0);
    // Traced, or it says why not.
    for (const one of children)
      if (at(one, 'hooked') === null) expect(textAt(one, 'untraced')).not.toBe('');
    await client.close();
  },
);
