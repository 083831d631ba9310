import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { partOf } from '../support/parts.ts';
import { until } from '../support/processes.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { testHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const burst = 100;

test('[session.stalls] a daemon that is stopped while a hundred programs are executed loses neither them nor its session', async () => {
  const home = testHome();
  const client = await startClient(home);
  const go = join(home.path, 'go');
  const program = buildTarget('e2e/execBurst.c');
  const { sessionId } = await launch(client, home, program, {
    args: [String(burst), go, '/bin/true'],
    patterns: ['work'],
    onClientExit: 'stop',
  });
  await outputSeen(client, sessionId, 'ready');
  const daemon = partOf(home, 'daemon');
  process.kill(daemon, 'SIGSTOP');
  try {
    writeFileSync(go, '');
    await until('all have begun', () => begun() >= burst);
  } finally {
    process.kill(daemon, 'SIGCONT');
  }
  expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 5 });
  const lines = await linesOf(client, sessionId);
  expect(lines.map((line) => line.text)).toEqual(['ready', `right ${burst}`]);
  await client.close();
});

/** How many programs of the burst there are, by their longest argument. */
function begun(): number {
  return readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').startsWith('/bin/true\0aaa');
    } catch {
      return false; // It is gone.
    }
  }).length;
}
