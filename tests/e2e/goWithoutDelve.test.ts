import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { statFields } from '../../src/base/proc.ts';
import { callsOf } from '../support/calls.ts';
import { suiteFolder } from '../support/folder.ts';
import { itNeeds } from '../support/needs.ts';
import { killDaemon } from '../support/parts.ts';
import { processesWith, until } from '../support/processes.ts';
import { placeOf, stopProgram } from '../support/stopProgram.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, lineMarked } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const source = 'e2e/orders.go';
const add = lineMarked(source, 'add');

describe('stops in programs of Go, without Delve', () => {
  const { home, client } = withClient({ STROBE_ADAPTERS_DELVE: '/none/dlv' });

  itNeeds('go', '[stop.go] a thread stops, and the answer says what is missing', async () => {
    const { place, say, go } = await stopProgram(
      client,
      home,
      buildTarget(source, ['-gcflags', 'all=-N -l']),
    );
    const placed = await place({ file: 'orders.go', line: add });
    expect(placed.text).toContain('go install github.com/go-delve/delve/cmd/dlv@latest');
    await say('1');
    expect(placeOf((await go('wait')).stop)).toBe(`orders.go:${add}`);
  });
});

describe('stops in programs of Go, by a Delve that does not start', () => {
  const folder = suiteFolder();
  const starts = join(folder, 'starts');
  const command = join(folder, 'dlv');
  writeFileSync(command, `#!/bin/sh\necho started >> ${starts}\nexit 1\n`, { mode: 0o755 });
  const { home, client } = withClient({ STROBE_ADAPTERS_DELVE: command });

  itNeeds('go', '[stop.go] it is started once, and the program is traced as before', async () => {
    const program = buildTarget(source, ['-gcflags', 'all=-N -l']);
    const { sessionId, say, end } = await stopProgram(client, home, program);
    await client.ok('debug_trace', { sessionId, add: ['main.price'] });
    const places = [{ file: 'orders.go', line: add }];
    const refused = await client.call('debug_breakpoint', { sessionId, add: places });
    expect(refused.text).toContain('did not start: it ended with 1');
    await vi.waitFor(async () => {
      const { text } = await client.ok('debug_breakpoint', { sessionId });
      expect(text).toMatch(/b1 orders\.go:\d+ failed: Delve .* did not start/);
    });
    await say('1');
    expect(await end()).toMatchObject({ kind: 'exited' });
    expect((await callsOf(client, sessionId)).length).toBeGreaterThan(0);
    expect(readFileSync(starts, 'utf8')).toBe('started\n');
  });
});

describe('stops in programs of Go, by a Delve that never connects', () => {
  const command = join(suiteFolder(), 'dlv');
  writeFileSync(command, '#!/bin/sh\nexec cat\n', { mode: 0o755 });
  const { home, client } = withClient({ STROBE_ADAPTERS_DELVE: command });

  itNeeds(
    'go',
    '[stop.start] a daemon that is killed before Delve came leaves none standing',
    async () => {
      const program = buildTarget(source, ['-gcflags', 'all=-N -l']);
      const breakpoints = [{ file: 'orders.go', line: add }];
      const asked = { command: program, projectRoot: home.project, breakpoints, stdin: 'open' };
      const launched = client.call('debug_launch', asked);
      const stateOf = (pid: number): string | undefined => statFields(pid)?.[0];
      const target = (): number =>
        processesWith(`STROBE_HOME=${home.path}`).find((one) => one.command === program)?.pid ?? 0;
      await until('it stands', () => stateOf(target()) === 'T');
      const pid = target();
      await killDaemon(home);
      await until('it runs', () => stateOf(pid) === 'S');
      await launched;
      process.kill(pid);
      await client.ok('debug_session', { action: 'list' });
    },
  );
});
