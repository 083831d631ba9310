import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { callsOf, expectReconciled, linesOf } from '../support/calls.ts';
import { startClient, type TestClient } from '../support/client.ts';
import { openHome, type TestHome } from '../support/home.ts';
import { at, numberAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** What each program is built with, and what of it is traced. */
const programs = {
  jumps: { source: 'hazards/jumps.c', flags: [], patterns: ['*'] },
  threads: { source: 'hazards/threads.c', flags: ['-pthread'], patterns: ['*'] },
  signals: { source: 'hazards/signals.c', flags: ['-pthread'], patterns: ['*'] },
  values: { source: 'hazards/values.c', flags: [], patterns: ['*'] },
  callers: { source: 'hazards/callers.c', flags: ['-rdynamic', '-ldl'], patterns: ['*'] },
  faults: { source: 'hazards/faults.c', flags: [], patterns: ['reads', 'traps', 'later'] },
  tiny: { source: 'hazards/tiny.c', flags: [targetSource('hazards/tiny.S')], patterns: ['*'] },
  coroutines: {
    source: 'hazards/coroutines.cpp',
    flags: ['-std=c++20'],
    patterns: ['routines::**', 'main'],
  },
} as const;
type Program = keyof typeof programs;

describe('programs that do what is hard to trace', () => {
  let home: TestHome;
  let client: TestClient;
  beforeAll(async () => {
    home = openHome();
    client = await startClient(home);
  });
  afterAll(async () => {
    await client.close();
    await home.close();
  });

  /** Both runs say and return the same; answers what the traced one says of itself. */
  async function alike(
    program: Program,
    flags: readonly string[] = [],
    args: readonly string[] = [],
  ): Promise<{ events: number; hooked: number; verdicts: string }> {
    const { source, flags: own, patterns } = programs[program];
    const path = buildTarget(source, [...own, ...flags]);
    const plain = await runProgram({ env: home.env, cwd: home.project }, [path, ...args]);
    const traced = await runToEnd(client, home, path, { args, patterns });
    const lines = await linesOf(client, traced.sessionId);
    const written = (stream: string) =>
      lines.filter((line) => line.stream === stream).map((line) => withoutPid(line.text));
    expect(plain.signal).toBeNull();
    expect(written('stdout').join('\n')).toBe(plain.stdout.toString().trimEnd());
    expect(written('stderr').join('\n')).toBe(withoutPid(plain.stderr).trimEnd());
    expect(traced.exit).toEqual({ kind: 'exited', code: plain.code });
    const answer = await client.ok('debug_query', { view: 'stats', sessionId: traced.sessionId });
    const counters = at(answer.structured, 'counters');
    expectReconciled(counters);
    return {
      events: numberAt(counters, 'stored'),
      hooked: numberAt(traced.structured, 'hooks', 'hookedFunctions'),
      verdicts: traced.text,
    };
  }

  // Sanitizers begin their lines with it.
  const withoutPid = (text: string) => text.replaceAll(/==\d+==/g, '==pid==');

  const builds = {
    'by default': [],
    '-O0': ['-O0'],
    '-Os': ['-Os'],
    '-O3': ['-O3'],
    'link-time optimisation': ['-O2', '-flto'],
    'control-flow protection': ['-O2', '-fcf-protection=full'],
    'no frame pointers, not movable': ['-O2', '-fomit-frame-pointer', '-fno-pie', '-no-pie'],
    'stack protector, frame pointers': ['-fstack-protector-all', '-fno-omit-frame-pointer'],
    'address sanitizer': ['-fsanitize=address'],
    'undefined behaviour sanitizer': ['-fsanitize=undefined'],
  };
  for (const [build, flags] of Object.entries(builds)) {
    test(`[trace.hazards] arguments and results of every class, and coroutines: ${build}`, async () => {
      for (const program of ['values', 'coroutines'] as const) {
        const { events, hooked } = await alike(program, flags);
        expect(hooked).toBeGreaterThan(3);
        expect(events).toBeGreaterThan(100);
      }
    });
  }

  for (const build of ['by default', '-O0', '-O3', 'address sanitizer'] as const) {
    test(`[trace.hazards] jumps between stacks, and a storm of signals: ${build}`, async () => {
      for (const program of ['jumps', 'signals'] as const) {
        const { events, hooked } = await alike(program, builds[build]);
        expect(hooked).toBeGreaterThan(3);
        expect(events).toBeGreaterThan(1000);
      }
    });
  }

  test('[trace.hazards] threads that end in every way, 10,000 of them, and the first before the last', async () => {
    const { events } = await alike('threads', [], ['10000']);
    expect(events).toBeGreaterThan(10_000);
  });

  test('[trace.hazards] a thread sanitizer cannot bear tracing: the program runs without', async () => {
    const path = buildTarget('hazards/coroutines.cpp', ['-std=c++20', '-fsanitize=thread']);
    const plain = await runProgram({ env: home.env, cwd: home.project }, [path]);
    const { sessionId, text, exit } = await runToEnd(client, home, path, {
      patterns: ['routines::**'],
    });
    expect(text).toContain('built with -fsanitize=thread');
    expect(exit).toEqual({ kind: 'exited', code: plain.code });
    const lines = (await linesOf(client, sessionId)).map((line) => line.text);
    expect(lines).toEqual(plain.stdout.toString().trimEnd().split('\n'));
  });

  test('[trace.hazards] functions of 1 to 15 bytes, branches to their beginning, results in flags', async () => {
    const { events, verdicts } = await alike('tiny');
    expect(events).toBeGreaterThan(199 * 10);
    expect(verdicts).toContain('matched 23 · hooked 17 · refused 6');
    expect(verdicts).toContain('packed1, packed2: the function is shorter than the 5-byte jump');
    expect(verdicts).toContain('loops, again: a branch inside the function leads into its first');
    expect(verdicts).toContain('counts: its first instructions cannot be moved');
  });

  test('[trace.hazards] a fault handler finds the program’s own code, and goes on as it says', async () => {
    const { hooked, events } = await alike('faults');
    expect(hooked).toBe(2); // What follows an illegal instruction is not moved.
    expect(events).toBe(300 + 200); // A call that is jumped out of has no return.
  });

  test('[trace.hazards] a program that may write small files only', async () => {
    const path = buildTarget('hazards/values.c');
    const args = ['--fsize=300000', path];
    const plain = await runProgram({ env: home.env, cwd: home.project }, ['prlimit', ...args]);
    const traced = await runToEnd(client, home, 'prlimit', { args, patterns: ['swap', 'keeps'] });
    expect(traced.exit).toEqual({ kind: 'exited', code: plain.code });
    expect(await callsOf(client, traced.sessionId)).toHaveLength(2);
  });

  test('[trace.hazards] backtraces name the program’s frames as untraced', async () => {
    await alike('callers');
  });
});
