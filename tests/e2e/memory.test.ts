import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callsOf, expectReconciled, linesOf } from '../support/calls.ts';
import { TestMemoryGroup } from '../support/memoryGroup.ts';
import { itNeeds } from '../support/needs.ts';
import { openFiles, until } from '../support/processes.ts';
import { at, numberAt, textAt } from '../support/read.ts';
import { Running } from '../support/running.ts';
import { launch, outputSeen, ringsLeft, runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const leaf = buildTarget('e2e/leaf.c', ['-g']);
const reader = buildTarget('e2e/reader.c', ['-g']);
const evenlyHot = buildTarget('e2e/evenlyHot.c', ['-O1', '-pthread']);
const locks = buildTarget('e2e/locks.c', ['-g']);
/** Everything that is built for tests lies below it. */
const projectRoot = dirname(dirname(leaf));

/** Of a process's writable memory that others can see, megabytes. */
function sharedMegabytes(pid: number): number {
  const line = /^([0-9a-f]+)-([0-9a-f]+) .w.s /gm;
  let bytes = 0;
  for (const [, from, to] of readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(line))
    bytes += Number(BigInt(`0x${to}`) - BigInt(`0x${from}`));
  return bytes / 2 ** 20;
}

/** Files that a process has open in the folder of a session's rings. */
function openBelow(pid: number, sessionId: string): string[] {
  return openFiles(pid).filter((path) => path.startsWith('/dev/shm/') && path.includes(sessionId));
}

describe('memory', () => {
  const { home, client } = withClient();

  test('[memory.rings] shared memory of programs that have ended is given back while their session goes on', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    const { sessionId } = await launch(client, home, 'sh', {
      args: ['-c', `for n in ${numbers.join(' ')}; do ${leaf} $n; done; echo all; read line`],
      stdin: 'open',
      projectRoot,
      patterns: ['leafWork'],
    });
    await outputSeen(client, sessionId, 'all');
    // The shell, which no pattern means, has no ring.
    await expect
      .poll(() => ringsLeft(sessionId).toSorted(), { timeout: 20_000 })
      .toEqual(['exceptions', 'family']);
    const open = home.processes().flatMap((line) => openBelow(Number.parseInt(line), sessionId));
    expect(new Set(open.map((path) => basename(path)))).toEqual(new Set(['exceptions', 'family']));
    const calls = await callsOf(client, sessionId);
    expect(calls.map((call) => Number(call.arguments['number']))).toEqual(numbers);
    await client.ok('debug_session', { action: 'input', sessionId, text: 'end\n' });
  });

  test('[memory.used] what rings may need is reserved; only what they use can be reached', async () => {
    const { sessionId, structured } = await launch(client, home, reader, {
      patterns: ['answer'],
      stdin: 'open',
    });
    await client.ok('debug_session', { action: 'input', sessionId, text: 'line\n' });
    await outputSeen(client, sessionId, 'got [line]');
    expect(sharedMegabytes(numberAt(structured, 'pid'))).toBeLessThan(32);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test.each(['all', 'future', 'raw', 'child', 'limited', 'none'])(
    '[memory.locked] a program that locks its memory locks what it would untraced: %s',
    async (way) => {
      const plain = await runProgram({ env: home.env, cwd: home.project }, [locks, way]);
      const { sessionId, exit } = await runToEnd(client, home, locks, {
        args: [way],
        patterns: ['work'],
      });
      expect(exit).toEqual({ kind: 'exited', code: plain.code });
      const lines = await linesOf(client, sessionId, { stream: 'stdout' });
      expect(lines.map((line) => `${line.text}\n`).join('')).toBe(plain.stdout.toString());
      expect(await callsOf(client, sessionId)).toHaveLength(way === 'child' ? 30 : 20);
    },
  );

  itNeeds(
    'root',
    '[memory.locked] a program that keeps all its memory locked is attached to, and takes a bounded part of it',
    async () => {
      await using program = await Running.start(locks, ['hold'], 'hold: ok');
      const attached = await client.ok('debug_launch', { pid: program.pid, patterns: ['work'] });
      const sessionId = textAt(attached.structured, 'sessionId');
      program.write('1\n');
      await until('it called', () => program.stdout.includes('called 2'));
      expect(await callsOf(client, sessionId)).toHaveLength(1);
      const status = readFileSync(`/proc/${program.pid}/status`, 'utf8');
      expect(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024).toBeLessThan(400);
      await client.ok('debug_session', { action: 'detach', sessionId });
      program.write('1\n');
      await until('it calls on', () => /called 2\n.*called 2\n/s.test(program.stdout));
    },
  );

  itNeeds(
    'memoryGroups',
    '[memory.group] rings of a program in a memory cgroup stay within what it leaves',
    async () => {
      await using group = new TestMemoryGroup(256);
      const [command, ...args] = group.command(evenlyHot, ['even', '2000', '3000000', '2']);
      const { sessionId, exit, text } = await runToEnd(client, home, command, {
        args,
        projectRoot,
        patterns: ['crowd_*'],
      });
      expect(exit, text).toEqual({ kind: 'exited', code: 0 });
      const [first] = await linesOf(client, sessionId, { stream: 'stdout' });
      expect(first?.text).toBe('calls 6000000');
      expect(group.kills).toBe(0);
      const answer = await client.ok('debug_query', { view: 'stats', sessionId });
      const counters = at(answer.structured, 'counters');
      expectReconciled(counters);
      expect(numberAt(counters, 'seen')).toBe(12_000_000);
    },
  );

  itNeeds(
    'memoryGroups',
    '[memory.group] a program whose memory cgroup leaves too little runs untraced, and the answer says why',
    async () => {
      await using group = new TestMemoryGroup(48);
      const [command, ...args] = group.command(leaf, ['7']);
      const { sessionId, exit } = await runToEnd(client, home, command, {
        args,
        projectRoot,
        patterns: ['leafWork'],
      });
      expect(exit).toEqual({ kind: 'exited', code: 7 });
      expect(group.kills).toBe(0);
      const { text } = await client.ok('debug_session', { action: 'status', sessionId });
      expect(text).toContain(`its memory cgroup ${group.path} allows 48 MB`);
    },
  );
});
