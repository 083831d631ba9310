import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startClient, type TestClient } from '../support/client.ts';
import { openHome, type TestHome } from '../support/home.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

describe('stuck programs', () => {
  let home: TestHome;
  let client: TestClient;
  beforeAll(async () => {
    home = openHome();
    client = await startClient(home);
  });
  afterAll(async () => {
    await client.close();
    await home.close();
  });

  /** Status once it fits: a thread needs a moment to get stuck. */
  async function stuck(way: string, fits: RegExp): Promise<{ text: string; structured: unknown }> {
    const program = buildTarget('crash/stuck.c', ['-O0', '-pthread']);
    const projectRoot = dirname(targetSource('crash/stuck.c'));
    const { sessionId } = await launch(client, home, program, {
      ...{ args: [way], projectRoot, stdin: 'open' },
    });
    await outputSeen(client, sessionId, 'begun');
    const answer = await vi.waitFor(
      async () => {
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        expect(status.text).toMatch(fits);
        return status;
      },
      { timeout: 20_000, interval: 100 },
    );
    await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 0 });
    return answer;
  }

  for (const [way, threads] of [
    ['two', 2],
    ['three', 3],
  ] as const) {
    test(`[crash.stuck] a deadlock of ${way} is told as its circle, with who holds what`, async () => {
      const { text, structured } = await stuck(way, /DEADLOCK/);
      const circle = listAt(at(structured, 'now'), 'deadlock');
      expect(circle).toHaveLength(threads);
      expect(text.match(/waits for a mutex that thread \d+ holds/g)).toHaveLength(threads);
      expect(text.match(/: take_next stuck\.c:\d+ ← take stuck\.c:\d+/g)).toHaveLength(threads);
    });
  }

  test('[crash.stuck] a lost wake-up, a read and a spin say what they wait for and where', async () => {
    const signal = await stuck('signal', /a condition variable.*: await_signal stuck\.c:\d+/);
    expect(at(at(signal.structured, 'now'), 'deadlock')).toBeNull();
    await stuck('read', /waits for read on fd 0 \(pipe:.*: main stuck\.c:\d+/);
    const spin = await stuck('spin', /runs, .* of CPU/);
    const [thread] = listAt(at(spin.structured, 'now'), 'threads');
    expect(textAt(thread, 'state')).toBe('running');
  });

  itNeeds(
    'perf',
    '[crash.spinning] a thread that spins is told by where its samples lie',
    async () => {
      const { text } = await stuck('spin', /samples? in spin/);
      expect(text).toMatch(
        /thread stuck \(\d+\) runs, .* of CPU, (\d+) of \1 samples? in spin: spin stuck\.c:31 ← main stuck\.c:\d+/,
      );
    },
  );

  itNeeds(
    'perf',
    '[crash.spinning] two threads that hinder each other for ever run, and are told where',
    async () => {
      const { text } = await stuck('polite', /(?:samples? in (?:meet|give_way)[^]*){2}/);
      expect(
        text.match(/runs, .* of CPU, .*give_way stuck\.c:\d+ ← hinder stuck\.c:\d+/g),
      ).toHaveLength(2);
    },
  );
});
