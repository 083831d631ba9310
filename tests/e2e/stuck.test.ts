import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { goldens } from '../golden.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { packageRoot } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

describe('stuck programs', () => {
  const golden = goldens(join(packageRoot, 'tests', 'e2e'), 'stuck');
  const { home, client } = withClient();

  /** Status once it fits: a thread needs a moment to get stuck. */
  async function stuck(
    way: string,
    fits: RegExp,
    patterns: readonly string[] = [],
  ): Promise<{ text: string; structured: unknown }> {
    const program = buildTarget('crash/stuck.c', ['-O0', '-pthread']);
    const projectRoot = dirname(targetSource('crash/stuck.c'));
    const { sessionId } = await launch(client, home, program, {
      args: [way],
      projectRoot,
      patterns,
      stdin: 'open',
    });
    await outputSeen(client, sessionId, 'begun');
    const answer = await vi.waitFor(
      async () => {
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        expect(status.text).toMatch(fits);
        return status;
      },
      { timeout: 60_000, interval: 100 },
    );
    await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 0 });
    return answer;
  }

  /** Numbers of threads, and how many samples lay where, differ from run to run. */
  async function expectTold(way: string, text: string): Promise<void> {
    const built = dirname(buildTarget('crash/stuck.c', ['-O0', '-pthread']));
    const plain = text
      .replaceAll(built, '<built>')
      .replaceAll(packageRoot, '<root>')
      .replaceAll(/(\bthread |stuck \()\d+/g, '$1<id>')
      .replaceAll(/pipe:\[\d+\]/g, 'pipe:[<id>]')
      .replaceAll(/of CPU, [^:\n]*: (?:meet stuck\.c:\d+ ← )?/g, 'of CPU, <samples>: ')
      .replaceAll(/give_way stuck\.c:\d+/g, 'give_way stuck.c:<line>');
    await golden.expectGolden(way, plain);
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
      await expectTold(way, text);
    });
  }

  test('[crash.stuck] of a traced program the threads are its own, none is ours', async () => {
    const { text, structured } = await stuck('three', /DEADLOCK/, ['take']);
    expect(listAt(at(structured, 'now'), 'threads')).toHaveLength(4);
    expect(text.match(/: take_next stuck\.c:\d+ ← take stuck\.c:\d+/g)).toHaveLength(3);
  });

  test('[crash.stuck] a lost wake-up, a read and a spin say what they wait for and where', async () => {
    const signal = await stuck('signal', /a condition variable.*: await_signal stuck\.c:\d+/);
    expect(at(at(signal.structured, 'now'), 'deadlock')).toBeNull();
    await expectTold('signal', signal.text);
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
      const place = /runs, .* of CPU, .*give_way stuck\.c:\d+ ← hinder stuck\.c:\d+/;
      const { text } = await stuck('polite', new RegExp(`(?:${place.source}[^]*){2}`));
      expect(text.match(new RegExp(place, 'g'))).toHaveLength(2);
      await expectTold('polite', text);
    },
  );
});
