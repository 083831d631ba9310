import { spawnSync } from 'node:child_process';
import { describe, expect, test, vi } from 'vitest';
import { callsOf, expectReconciled, linesOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at } from '../support/read.ts';
import { until } from '../support/processes.ts';
import { runToEnd } from '../support/runs.ts';
import { Running } from '../support/running.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, buildWithMusl } from '../support/targets.ts';

const withoutReads = /set a seccomp filter at \+\d+\.\d+s that forbids process_vm_readv/;
const untracedThreads = /threads whose first traced call comes later are not recorded/;

describe('programs that are traced from outside and filter their system calls', () => {
  const { home, client } = withClient();

  interface Traced {
    /** The status of the session, with its notes. */
    readonly status: string;
    /** What each call was passed. */
    readonly texts: readonly unknown[];
    readonly lost: unknown;
  }

  /** It does and prints what it does untraced. */
  const ran = async (
    program: string,
    args: readonly string[],
    options: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly sessionId: string; readonly status: string }> => {
    const { sessionId, exit } = await runToEnd(client, home, program, { args, ...options });
    const untraced = spawnSync(program, args, { encoding: 'utf8' });
    expect(exit).toEqual({ kind: 'exited', code: 13 });
    expect(untraced.status).toBe(13);
    const lines = await linesOf(client, sessionId);
    expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
    const { text: status } = await client.ok('debug_session', { action: 'status', sessionId });
    return { sessionId, status };
  };

  const traced = async (...run: Parameters<typeof ran>): Promise<Traced> => {
    const { sessionId, status } = await ran(...run);
    const calls = await callsOf(client, sessionId);
    const { structured } = await client.ok('debug_query', { sessionId, view: 'stats' });
    const counters = at(structured, 'counters');
    expectReconciled(counters);
    const texts = calls.map((call) => call.arguments['text']);
    return { status, texts, lost: at(counters, 'byCause') };
  };

  const unreadable = (texts: readonly unknown[]): number =>
    texts.filter((text) => /unreadable/.test(JSON.stringify(text))).length;

  const measure = { patterns: [{ pattern: 'measure', sampling: 'off' }] };

  const expectStatic = async (program: string): Promise<void> => {
    for (const args of [
      ['prctl', 'kill', 'thread'],
      ['syscall', 'trap', 'thread'],
      ['syscall', 'errno', 'thread'],
    ]) {
      const { status, texts, lost } = await traced(program, args, measure);
      expect(status).toMatch(withoutReads);
      expect(status).toMatch(untracedThreads);
      // Those before the filter have their value, those behind it do not, those of the new thread are counted.
      expect([texts.length, unreadable(texts)]).toEqual([2000, 1000]);
      expect(lost).toEqual({ forbidden: 2000 });
    }
    const allowed = await traced(program, ['all', 'kill', 'thread'], measure);
    expect(allowed.status).not.toMatch(/seccomp/);
    expect([allowed.texts.length, unreadable(allowed.texts)]).toEqual([3000, 0]);
    // Another thread records meanwhile, at any of its steps.
    for (let round = 0; round < 10; round++) {
      const { status } = await ran(program, ['sync', 'kill', 'thread'], measure);
      expect(status).toMatch(withoutReads);
    }
  };

  test('[static.sandbox] a static program that forbids itself what recording asks of the system: output and status are its own, and the answer says what is lost', async () =>
    expectStatic(buildTarget('e2e/filters.c', ['-O0', '-static'])));

  itNeeds('musl', '[static.sandbox] the same with musl', async () =>
    expectStatic(buildWithMusl('e2e/filters.c')),
  );

  test('[static.sandbox] it does so where all its functions are traced, prctl and syscall included', async () => {
    const program = buildTarget('e2e/filters.c', ['-O2', '-static-pie']);
    for (const how of ['prctl', 'syscall', 'sync']) {
      const { status } = await ran(program, [how, 'kill', 'thread'], { patterns: ['*'] });
      expect(status).toMatch(withoutReads);
    }
  });

  test('[static.sandbox] a program that is attached to with its filter set is not changed, with the reason', async () => {
    await using running = await Running.start(
      buildTarget('e2e/filtered.c', ['-O0', '-static']),
      [],
      'ready',
    );
    const { text } = await client.call('debug_launch', { pid: running.pid, patterns: ['work'] });
    expect(text).toMatch(/it has a seccomp filter of its own/);
    running.write('\n');
    expect(await running.ended()).toEqual({ code: 3, signal: null });
  });

  test('[static.sandbox] a program that sets its filter after the attach, and is detached from then', async () => {
    const program = buildTarget('e2e/filters.c', ['-O0', '-static']);
    await using running = await Running.start(program, ['sync', 'kill', 'thread', 'wait'], 'ready');
    const attached = await client.ok('debug_launch', { pid: running.pid, ...measure });
    const sessionId = String(at(attached.structured, 'sessionId'));
    running.write('\n');
    await until('it works on', () => running.stdout.includes('filter 0'));
    await vi.waitFor(async () => {
      const { text } = await client.ok('debug_session', { action: 'status', sessionId });
      expect(text).toMatch(withoutReads);
    });
    await client.ok('debug_session', { action: 'detach', sessionId });
    running.write('\n');
    expect(await running.ended()).toEqual({ code: 13, signal: null });
  });

  test('[static.sandbox] in the strict mode nothing is recorded', async () => {
    const program = buildTarget('e2e/filters.c', ['-O0', '-static']);
    const { status, texts } = await traced(program, ['strict', 'kill'], {
      ...measure,
      follow: 'none',
    });
    expect(status).toMatch(/entered the strict mode of seccomp at \+\d+\.\d+s/);
    expect(texts).toHaveLength(1000);
  });

  itNeeds(
    'go',
    '[go.sandbox] a program of Go does so by any of its system calls, also on threads that begin then',
    async () => {
      const program = buildTarget('e2e/filters.go');
      const patterns = [{ pattern: 'main.measure', sampling: 'off' }];
      for (const how of ['raw', 'raw6', 'call'])
        for (const does of ['kill', 'errno']) {
          const { status, texts, lost } = await traced(program, [how, does], { patterns });
          expect(status).toMatch(withoutReads);
          expect([texts.length, unreadable(texts)]).toEqual([6000, 5000]);
          expect(lost).toEqual({});
        }
      const allowed = await traced(program, ['raw', 'allow'], { patterns });
      expect(allowed.status).not.toMatch(/seccomp/);
      expect([allowed.texts.length, unreadable(allowed.texts)]).toEqual([6000, 0]);
      // Each thread sets it by itself: of the second it cannot be read any more what it forbids.
      const every = await traced(program, ['every', 'kill'], { patterns });
      expect(every.status).toMatch(withoutReads);
      expect(every.status).toMatch(untracedThreads);
    },
  );
});
