import { describe, expect } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { testAsEach, type Opened } from '../support/eachUser.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

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
        expect(calls).toEqual(['work 1']);
        expect(status).toContain('untraced: it is in a user namespace that maps no users');
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
});
