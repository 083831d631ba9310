import { describe, expect, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('a traced program does what it does untraced', () => {
  const { home, client } = withClient();

  test('[trace.unchanged] what replaces it by exec is left alone', async () => {
    for (let round = 0; round < 8; round++) {
      const run = await runToEnd(client, home, buildTarget('e2e/replaced.c'), {
        args: [String(round * 100)],
        patterns: ['prepare'],
      });
      expect(run.exit).toEqual({ kind: 'exited', code: 23 });
      expect((await linesOf(client, run.sessionId)).map((line) => line.text)).toEqual(['replaced']);
      expect(await callsOf(client, run.sessionId)).toHaveLength(1);
    }
  });

  for (const detail of ['-g1', '-g']) {
    test(`[trace.unchanged] stack arguments arrive, with debug information of ${detail}`, async () => {
      const program = buildTarget('e2e/manyArguments.c', [detail]);
      const run = await runToEnd(client, home, program, { patterns: ['nine'] });
      expect(run.exit).toEqual({ kind: 'exited', code: 48 });
      expect((await linesOf(client, run.sessionId)).map((line) => line.text)).toEqual([
        '1 2 3 4 5 6 7 8 9',
      ]);
      expect(await callsOf(client, run.sessionId)).toHaveLength(1);
    });
  }
});
