import { describe, expect, vi } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { testAsEach, type Opened } from '../support/eachUser.ts';
import { changedCode } from '../support/processImage.ts';
import { until } from '../support/processes.ts';
import { runToEnd } from '../support/runs.ts';
import { Running } from '../support/running.ts';
import { runProgram } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const program = buildTarget('shapes/namespaces.c', ['-pthread']);
const leaf = buildTarget('e2e/leaf.c', ['-g']);

/** Runs a command untraced and traced: it does the same. Answers the calls that were recorded, and the status. */
async function alike(
  { home, client }: Opened,
  command: readonly string[],
): Promise<{ readonly calls: readonly string[]; readonly status: string }> {
  const [first = '', ...args] = command;
  const place = { env: home.env, cwd: home.project };
  const plain = await runProgram(place, [...home.prefix, ...command]);
  const { sessionId, exit } = await runToEnd(client, home, first, {
    args,
    cwd: home.project,
    projectRoot: '/tmp',
    patterns: ['work', 'leafWork'],
  });
  expect(exit).toEqual({ kind: 'exited', code: plain.code });
  const lines = await linesOf(client, sessionId, { stream: 'stdout' });
  expect(lines.map((line) => `${line.text}\n`).join('')).toBe(plain.stdout.toString());
  const calls = await callsOf(client, sessionId);
  const status = await client.ok('debug_session', { action: 'status', sessionId });
  return {
    calls: calls.map((call) => `${call.function} ${String(Object.values(call.arguments)[0])}`),
    status: status.text,
  };
}

describe('a traced program and namespaces', () => {
  for (const how of ['user', 'all', 'call'])
    testAsEach(
      `[enter.namespaces] may make what a process with one thread alone may: tracing leaves it before, and says so (${how})`,
      async (as) => {
        const { calls, status } = await alike(as, [program, how, leaf, '3']);
        expect(status).toMatch(/Tracing left process \d+: it makes or enters a namespace/);
        expect(calls[0]).toBe('work 1');
        expect(calls).toContain('leafWork 3');
      },
    );

  for (const how of ['mounts', 'threads'])
    testAsEach(
      `[enter.namespaces] is traced on where the kernel answers the same with threads of ours (${how})`,
      async (as) => {
        const { calls, status } = await alike(as, [program, how]);
        expect(status).not.toContain('Tracing left');
        expect(calls).toEqual(['work 1', 'work 2', 'work 3']);
      },
    );

  for (const how of ['wrong', 'own'])
    testAsEach(`[enter.namespaces] sees the errors of an untraced one (${how})`, async (as) => {
      const { calls } = await alike(as, [program, how]);
      expect(calls[0]).toBe('work 1');
    });

  testAsEach('[enter.namespaces] unshare(1) and what it executes run as untraced', async (as) => {
    const { calls } = await alike(as, ['unshare', '-r', leaf, '3']);
    expect(calls).toEqual(['leafWork 3']);
  });

  testAsEach(
    '[enter.namespaces] a process that was attached to may do so, too, and has its code back',
    async ({ home, client }) => {
      const [command, ...words] = [...home.prefix, program, 'waits'];
      const start = async (): Promise<Running> => Running.start(command ?? '', words, 'ready');
      await using running = await start();
      await client.ok('debug_launch', { pid: running.pid, patterns: ['work'] });
      running.write('\n');
      expect(await running.ended()).toEqual({ code: 7, signal: null });
      expect(running.stdout).toBe('ready\nwaits: done\nsum 10, child 5\n');
      await using other = await start();
      await client.ok('debug_launch', { pid: other.pid, patterns: ['work'] });
      await client.ok('debug_session', { action: 'detach' });
      await until('we left', () => changedCode(other.pid).length === 0);
    },
  );
});
