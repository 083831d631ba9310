import { describe, expect, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { runToEnd, type Launched } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('static programs', () => {
  const leaf = buildTarget('e2e/leaf.c', ['-g']);
  const { home, client } = withClient();

  /** Output, status and the traced child of a static program that starts `leaf 5` and ends as it does. */
  async function expectComplete(run: Launched & { readonly exit: unknown }): Promise<void> {
    expect(run.text).toMatch(/STATIC_PROGRAM: [\s\S]*statically linked[\s\S]*Link it dynamically/);
    expect(run.exit).toEqual({ kind: 'exited', code: 5 });
    const lines = await linesOf(client, run.sessionId);
    expect(lines.map(({ text }) => text)).toEqual(['leaf 5']);
    const calls = await callsOf(client, run.sessionId);
    expect(calls.map((call) => call.arguments['number'])).toEqual([5]);
    const status = await client.ok('debug_session', { action: 'status', sessionId: run.sessionId });
    expect(status.text).toMatch(/leaf 5/);
  }

  test('[launch.static] a static C program is not traced and says why; output, status and children are complete', async () => {
    const starts = buildTarget('e2e/starts.c', ['-pthread', '-static'], 'startsStatic');
    const run = await runToEnd(client, home, starts, {
      args: ['fork', leaf, '5'],
      patterns: [{ pattern: 'leafWork', module: 'leaf' }],
    });
    await expectComplete(run);
  });
});
