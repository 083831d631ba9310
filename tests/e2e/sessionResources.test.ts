import { describe, expect, test, vi } from 'vitest';
import { at, listAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

describe('resources of sessions', () => {
  const { home, client } = withClient();

  test('[mcp.sessions] sessions are listed, the newest first, with the crashes; exports are read by a template', async () => {
    const traced = { args: ['10', '12'], patterns: ['orders::*'] };
    const older = await runToEnd(client, home, buildTarget('e2e/orders.cpp'), traced);
    const newer = await runToEnd(client, home, '/bin/sh', { args: ['-c', 'kill -SEGV $$'] });
    const listed = (await client.resources()).map(({ uri }) => uri);
    expect(listed).toEqual([
      'strobe://sql',
      `strobe://session/${newer.sessionId}/status`,
      `strobe://session/${newer.sessionId}/crash`,
      `strobe://session/${older.sessionId}/status`,
    ]);
    expect(await client.readResource(listed[2] ?? '')).toContain('SIGSEGV');
    const address = `strobe://session/${older.sessionId}/export`;
    const speedscope: unknown = JSON.parse(await client.readResource(`${address}/speedscope`));
    expect(textAt(speedscope, '$schema')).toContain('speedscope');
    expect(listAt(at(speedscope, 'shared'), 'frames').length).toBeGreaterThan(0);
    await expect(client.readResource(`${address}/pdf`)).rejects.toThrow(/no resource/);
  });
});
