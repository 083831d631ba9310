import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { linesOf } from '../support/calls.ts';
import { testAsEach, type Opened } from '../support/eachUser.ts';
import { changedCode, footprint } from '../support/processImage.ts';
import { until } from '../support/processes.ts';
import { runToEnd } from '../support/runs.ts';
import { Running } from '../support/running.ts';
import { runProgram } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

const leaf = buildTarget('e2e/leaf.c', ['-g']);
/** Everything that is built for tests lies below it, so that it counts as the project's own. */
const projectRoot = dirname(dirname(leaf));

/**
 * Runs a command untraced and traced: it does the same. Answers what the launch and the status say, which may have to
 * be asked again until it has the reason: a short program ends before it is known.
 */
async function alike(
  { home, client }: Opened,
  command: readonly string[],
  patterns: readonly string[],
  reason = /(?:)/,
): Promise<string> {
  const [program = '', ...args] = command;
  const place = { env: home.env, cwd: home.project };
  const plain = await runProgram(place, [...home.prefix, ...command]);
  const run = await runToEnd(client, home, program, {
    args,
    cwd: home.project,
    projectRoot,
    patterns,
  });
  expect(run.exit).toEqual({ kind: 'exited', code: plain.code });
  const lines = await linesOf(client, run.sessionId, { stream: 'stdout' });
  expect(lines.map((line) => `${line.text}\n`).join('')).toBe(plain.stdout.toString());
  const { sessionId } = run;
  return await vi.waitFor(
    async () => {
      const status = await client.ok('debug_session', { action: 'status', sessionId });
      const told = `${run.text}\n${status.text}`;
      expect(told).toMatch(reason);
      return told;
    },
    { timeout: 20_000 },
  );
}

describe('entering', () => {
  const kills = buildTarget('enter/kills.c');
  const filtered = buildTarget('enter/filtered.c');
  const talker = buildTarget('engine/talker.c', ['-pthread']);

  testAsEach(
    '[enter.killed] programs that are killed while tracing enters them end at once',
    async (opened) => {
      await alike(opened, [kills, '25', '40', '5'], ['worked']);
    },
  );

  const limits = {
    '-n 8': /its limit of open files is 8 and \d+ are open/,
    '-n 28': /its limit of open files is 28/,
    '-n 40': /its limit of open files is 40/,
    '-s 48': /its stack limit is 48 KB/,
    '-d 3000': /its data limit is 3000 KB/,
    '-d 90000': /its data limit is 87 MB/,
    '-v 55000': /its address space is limited to 53 MB/,
    '-f 4': /its limit of the size of files is too low/,
    '-v 200000': /its address space is limited to 195 MB/,
  };
  testAsEach(
    '[enter.conditions] programs with limits that are too low run as they would alone, and the answer says why they are untraced',
    async (user) => {
      for (const [limit, reason] of Object.entries(limits)) {
        const limited = `sh -c "ulimit ${limit}; exec ${leaf} 3"`;
        await alike(user, ['sh', '-c', `${limited}; true`], ['leafWork'], reason);
        // A traced program that limits its address space does so without what is ours in it.
        if (limit.startsWith('-v')) continue;
        const script = `ulimit ${limit}; exec ${leaf} 4`;
        await alike(user, ['sh', '-c', script], ['leafWork'], reason);
      }
    },
  );

  for (const calls of [
    ['56', '435'], // clone, clone3
    ['101', '310'], // ptrace, process_vm_readv
  ])
    testAsEach(
      `[enter.conditions] a program under a seccomp filter (${calls.join(', ')}) runs as it would alone`,
      async (opened) => {
        const text = await alike(opened, [filtered, ...calls, '--', leaf, '3'], ['leafWork']);
        expect(text).toMatch(/it has a seccomp filter of its own/);
      },
    );

  testAsEach(
    '[enter.conditions] a process whose seccomp filter ends it is not attached to, and lives on',
    async ({ home, client }) => {
      const [command, ...words] = [...home.prefix, filtered, 'kill'];
      await using program = await Running.start(command ?? '', words, 'ready');
      const before = footprint(program.pid);
      const patterns = ['answered'];
      const refused = await client.refused('debug_launch', { pid: program.pid, patterns });
      expect(refused.text).toMatch(/^INSTRUMENTATION_FAILED: .*seccomp filter[\s\S]*\nNext: /);
      expect(footprint(program.pid)).toEqual(before);
      expect(changedCode(program.pid)).toEqual([]);
      program.write('\n');
      await until('it answers', () => program.stdout.includes('answered'));
    },
  );

  const lowered = {
    'open files': ['--nofile=10:10', /its limit of open files is 10 and \d+ are open/],
    stack: ['--stack=16384:16384', /its stack limit is 16 KB/],
    data: ['--data=4000000:4000000', /its data limit is 3906 KB and \d+ KB are used/],
    'address space': ['--as=50000000:50000000', /its address space is limited to 47 MB and/],
  } as const;
  for (const [what, [option, reason]] of Object.entries(lowered))
    testAsEach(
      `[enter.conditions] a process that limited its ${what} is not attached to, the answer says why, and it lives on`,
      async ({ home, client }) => {
        const [command, ...words] = [...home.prefix, talker];
        await using program = await Running.start(command ?? '', words, 'ready');
        const lower = [...home.prefix, 'prlimit', '--pid', String(program.pid), option];
        execFileSync(lower[0] ?? '', lower.slice(1));
        const before = footprint(program.pid);
        const refused = await client.refused('debug_launch', { pid: program.pid });
        expect(refused.text).toMatch(/^INSTRUMENTATION_FAILED: Process \d+ cannot be traced: /);
        expect(refused.text).toMatch(reason);
        expect(footprint(program.pid)).toEqual(before);
        program.write('print\n');
        await until('it answers', () => program.stdout.includes('printed'));
      },
    );

  testAsEach(
    '[enter.conditions] a program whose loader is not that of glibc runs as it would alone',
    async (opened) => {
      const loader = buildTarget('enter/ownLoader.c', ['-shared', '-nostdlib', '-Wl,-e,start']);
      const own = ['-nostdlib', '-pie', `-Wl,--dynamic-linker=${loader}`];
      const bare = buildTarget('enter/bare.c', own, 'bareOwn');
      const text = await alike(opened, [bare], ['said']);
      expect(text).toMatch(/its C library is not glibc \(its loader is .*ownLoader\)/);
      await alike(opened, [bare], []);
      expect(await alike(opened, ['sh', '-c', `${bare}; true`], ['said'])).toMatch(
        /untraced: its C library is not glibc/,
      );
    },
  );

  testAsEach(
    '[enter.conditions] a program without a C library runs as it would alone',
    async (opened) => {
      const bare = buildTarget('enter/bare.c', ['-nostdlib', '-pie'], 'bareGlibc');
      await alike(opened, [bare], ['said']);
      await alike(opened, ['sh', '-c', `${bare}; true`], ['said']);
    },
  );
});
