import { spawnSync } from 'node:child_process';
import { describe, expect, vi } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

describe('programs of Go that profile themselves', () => {
  const { home, client } = withClient();

  for (const flags of [[], ['-ldflags=-linkmode=external'], ['-buildmode=pie']])
    itNeeds(
      'go',
      `[go.profiled] a CPU profile is taken while all functions are traced: output and status are those of the untraced run ${flags.join(' ')}`,
      async () => {
        const program = buildTarget('e2e/profiled.go', flags);
        const untraced = spawnSync(program, { encoding: 'utf8' });
        expect(untraced.status).toBe(4);
        const { sessionId, exit } = await runToEnd(client, home, program, { patterns: ['main.*'] });
        expect(exit).toEqual({ kind: 'exited', code: 4 });
        const said = (await linesOf(client, sessionId)).map(({ text }) => text);
        expect(`${said.join('\n')}\n`).toBe(untraced.stdout);
        const [first] = await callsOf(client, sessionId, {
          function: { equals: 'main.round' },
          limit: 1,
        });
        expect(first?.arguments).toMatchObject({ count: 20_000 });
      },
    );
});
