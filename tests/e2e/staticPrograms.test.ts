import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callsOf, linesOf, type SeenCall } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, numberAt } from '../support/read.ts';
import { Running } from '../support/running.ts';
import { exitOf, launch, outputSeen, runToEnd, type Launched } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, buildWithMusl, lineMarked } from '../support/targets.ts';

describe('static programs', () => {
  const leaf = buildTarget('e2e/leaf.c', ['-g']);
  const { home, client } = withClient();

  const named = (calls: readonly SeenCall[], name: string): readonly SeenCall[] =>
    calls.filter((call) => call.function === name);

  const builds = [
    ['-O0', '-static'],
    ['-O2', '-static'],
    ['-O0', '-static-pie'],
  ];

  const expectOutside = async (program: string): Promise<void> => {
    const run = await runToEnd(client, home, program, { patterns: ['@file:**/outside.cpp'] });
    const untraced = spawnSync(program, { encoding: 'utf8' });
    expect(run.exit).toEqual({ kind: 'exited', code: untraced.status });
    const lines = await linesOf(client, run.sessionId);
    expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
    const calls = await callsOf(client, run.sessionId);
    const [first] = named(calls, 'add');
    expect(first).toMatchObject({ arguments: { a: 2, b: 3 }, returns: 5 });
    expect(named(calls, 'scale')[0]).toMatchObject({ arguments: { by: 1.5, of: 2 }, returns: 3 });
    const [greet] = named(calls, 'greet');
    expect(greet).toMatchObject({ arguments: { name: 'Ada' }, returns: 'hello Ada' });
    const [moved] = named(calls, 'moved');
    expect(moved).toMatchObject({ arguments: { from: { x: 1, y: 2 } }, returns: { x: 4, y: 5 } });
    expect(named(calls, 'joined')[0]?.returns).toBe('abc');
    expect(named(calls, 'many')[0]?.arguments).toMatchObject({ g: 7, h: 'eight' });
    expect(named(calls, 'pick').map(({ arguments: { which } }) => which)).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
    expect(named(calls, 'guarded').map(({ returns }) => returns)).toEqual(
      expect.arrayContaining([1, -3]),
    );
    // Of clang's -O2 a branch leads into its first bytes: it is refused, with that reason.
    const [main] = named(calls, 'main');
    const isRefused = /refused: [\w, ]*\bmain: a branch/.test(run.text);
    expect(isRefused ? 3 : main?.returns).toBe(3);
    expect(named(calls, 'worker').map(({ returns }) => returns)).toHaveLength(8);
  };

  test.for(builds)(
    '[static.launch] records calls, arguments and results of C++ built with %s',
    async (flags) => expectOutside(buildTarget('e2e/outside.cpp', flags)),
  );

  for (const flags of [['-O0'], ['-O2']])
    itNeeds(
      'musl',
      `[static.launch] records the same of C++ with musl, built with ${flags[0]}`,
      () => expectOutside(buildWithMusl('e2e/outside.cpp', flags)),
    );

  itNeeds(
    'musl',
    '[static.launch] a dynamic program with musl is refused and says why; output and status are complete',
    async () => {
      const program = buildWithMusl('e2e/areas.c', ['-dynamic']);
      const run = await runToEnd(client, home, program, { patterns: ['area'] });
      expect(run.text).toMatch(/its C library is not glibc[\s\S]*Build it against glibc/);
      expect(run.exit).toEqual({ kind: 'exited', code: 4 });
      expect((await linesOf(client, run.sessionId)).map(({ text }) => text)).toEqual(['3']);
      const plain = await runToEnd(client, home, program, {});
      expect(plain.exit).toEqual({ kind: 'exited', code: 4 });
    },
  );

  const tracedWhole = async (
    program: string,
    patterns: readonly string[],
  ): Promise<readonly SeenCall[]> => {
    const run = await runToEnd(client, home, program, { patterns });
    const untraced = spawnSync(program, { encoding: 'utf8' });
    expect(run.exit).toEqual({ kind: 'exited', code: untraced.status });
    const lines = await linesOf(client, run.sessionId);
    const written = lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => text);
    expect(`${written.join('\n')}\n`).toBe(untraced.stdout);
    return await callsOf(client, run.sessionId);
  };

  itNeeds(
    'rustc',
    '[static.launch] a static program of Rust, with threads and a panic',
    async () => {
      const program = buildTarget('e2e/orders.rs', [
        '-C',
        'target-feature=+crt-static',
        '-C',
        'opt-level=0',
      ]);
      const calls = await tracedWhole(program, ['@file:**/orders.rs']);
      const totals = named(calls, 'orders::total');
      expect(totals.slice(0, 2)).toMatchObject([
        { arguments: { order: { id: 7, items: [1, 2, 3] } } },
        { arguments: { order: { id: 8, items: [] } } },
      ]);
      expect(totals.map(({ returns }) => returns)).toEqual([
        { Ok: 12 },
        { Err: 'order 8 is empty' },
        { Ok: 1 },
        { Ok: 2 },
        { Ok: 3 },
        { Err: 'order 9 is empty' },
      ]);
      const strict = named(calls, 'orders::strict');
      expect(strict.map(({ end }) => end)).toEqual(['returned', 'returned', 'returned', 'jumped']);
    },
  );

  itNeeds('musl', '[static.launch] a static program with musl', async () => {
    const calls = await tracedWhole(buildWithMusl('e2e/areas.c'), ['@file:**/areas.c']);
    expect(named(calls, 'area')).toMatchObject([
      { arguments: { plot: { x: 1, y: 2, name: 'main' }, by: 1.5 }, returns: 3 },
      { arguments: { plot: { x: 3, y: 4, name: 'thread' }, by: 2 }, returns: 24 },
    ]);
    expect(named(calls, 'main')[0]).toMatchObject({ returns: 4 });
  });

  const expectAllHooked = async (program: string): Promise<void> => {
    for (const args of [['signals'], ['hot']]) {
      const run = await runToEnd(client, home, program, { args, patterns: ['*'] });
      const untraced = spawnSync(program, args, { encoding: 'utf8' });
      expect(run.exit).toEqual({ kind: 'exited', code: untraced.status });
      const lines = await linesOf(client, run.sessionId);
      expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
    }
  };

  test('[static.launch] a program whose every function is hooked, C library included, runs as it would alone', async () =>
    expectAllHooked(buildTarget('e2e/outside.cpp', ['-O2', '-static'])));

  itNeeds('musl', '[static.launch] the same with musl', async () =>
    expectAllHooked(buildWithMusl('e2e/outside.cpp', ['-O2'])),
  );

  describe('in a sandbox of its own', () => {
    const filtered = buildTarget('e2e/filtered.c', ['-O0', '-static']);
    const waiting = async (options: Readonly<Record<string, unknown>>): Promise<string> => {
      const { sessionId } = await launch(client, home, filtered, { stdin: 'open', ...options });
      await outputSeen(client, sessionId, 'ready');
      return sessionId;
    };
    const goOn = async (sessionId: string): Promise<unknown> => {
      await client.ok('debug_session', { action: 'input', sessionId, text: '\n' });
      return await exitOf(client, sessionId);
    };

    test('[static.launch] a program that filters its system calls is not changed any more: refused with the reason, it ends as untraced', async () => {
      const sessionId = await waiting({ patterns: ['early'] });
      const added = await client.ok('debug_trace', { sessionId, add: ['work'] });
      expect(added.text).toMatch(/refused: work: its process has entered a sandbox \(seccomp\)/);
      expect(await goOn(sessionId)).toEqual({ kind: 'exited', code: 3 });
      const calls = await callsOf(client, sessionId);
      expect(calls.map((call) => call.function)).toEqual(['early']);
    });

    test('[static.launch] nor is it where nothing was traced before', async () => {
      const sessionId = await waiting({ projectRoot: dirname(filtered) });
      const { structured } = await client.call('debug_trace', { sessionId, add: ['work'] });
      expect(at(structured, 'hookedFunctions') ?? 0).toBe(0);
      expect(await goOn(sessionId)).toEqual({ kind: 'exited', code: 3 });
    });

    test('[static.launch] neither is it changed for a breakpoint', async () => {
      const sessionId = await waiting({ patterns: ['early'] });
      const line = lineMarked('e2e/filtered.c', 'last');
      const add = [{ file: 'filtered.c', line, log: 'here' }];
      const { text } = await client.ok('debug_breakpoint', { sessionId, add });
      expect(text).toMatch(/sandbox \(seccomp\)/);
      expect(await goOn(sessionId)).toEqual({ kind: 'exited', code: 3 });
    });

    test('[static.launch] a program that its filter ends: the answer names the filter, and what recording asks of the system', async () => {
      const sessionId = await waiting({ args: ['violate'], patterns: ['early'] });
      expect(await goOn(sessionId)).toMatchObject({ kind: 'signalled', signal: 'SIGSYS' });
      const status = await client.ok('debug_session', { action: 'status', sessionId });
      expect(status.text).toMatch(/CRASHED by SIGSYS; .*seccomp filter.*process_vm_readv/);
    });

    test('[crash.capture] a program that SIGKILL ended did not crash, which the answer says', async () => {
      const sessionId = await waiting({ args: ['kill'], patterns: ['early'] });
      expect(await goOn(sessionId)).toMatchObject({ kind: 'signalled', signal: 'SIGKILL' });
      const { text } = await client.ok('debug_query', { sessionId, view: 'crash' });
      expect(text).toMatch(/It did not crash: SIGKILL was sent to it/);
    });
  });

  const expectAttached = async (program: string): Promise<void> => {
    await using running = await Running.start(program, ['stay'], 'child 3');
    const patterns = ['@file:**/outside.cpp'];
    const attached = await client.ok('debug_launch', { pid: running.pid, patterns });
    const sessionId = String(at(attached.structured, 'sessionId'));
    for (let turn = 0; turn < 5; turn++) {
      await client.ok('debug_trace', { sessionId, remove: patterns });
      const added = await client.ok('debug_trace', { sessionId, add: patterns });
      expect(numberAt(added.structured, 'hookedFunctions')).toBeGreaterThan(10);
    }
    await client.ok('debug_session', { action: 'wait', sessionId, for: ['event'] });
    const calls = await callsOf(client, sessionId, { limit: 100 });
    expect(named(calls, 'add')[0]).toMatchObject({ arguments: { a: 1, b: 2 }, returns: 3 });
    await client.ok('debug_session', { action: 'detach', sessionId });
    const again = await client.ok('debug_launch', { pid: running.pid, patterns });
    const second = String(at(again.structured, 'sessionId'));
    await client.ok('debug_session', { action: 'wait', sessionId: second, for: ['event'] });
    expect((await callsOf(client, second, { limit: 20 })).length).toBeGreaterThan(0);
    await client.ok('debug_session', { action: 'detach', sessionId: second });
    expect(running.isRunning).toBe(true);
  };

  test('[static.attach] a running program is attached to, hooked, unhooked, left as it was, and attached to again', async () =>
    expectAttached(buildTarget('e2e/outside.cpp', ['-O0', '-static'])));

  itNeeds('musl', '[static.attach] the same with musl', async () =>
    expectAttached(buildWithMusl('e2e/outside.cpp')),
  );

  /** Output, status and the traced child of a static program that starts `leaf 5` and ends as it does. */
  async function expectComplete(run: Launched & { readonly exit: unknown }): Promise<void> {
    expect(run.exit).toEqual({ kind: 'exited', code: 5 });
    const lines = await linesOf(client, run.sessionId);
    expect(lines.map(({ text }) => text)).toEqual(['leaf 5']);
    const calls = await callsOf(client, run.sessionId);
    expect(calls.map((call) => call.arguments['number'])).toEqual([5]);
    const status = await client.ok('debug_session', { action: 'status', sessionId: run.sessionId });
    expect(status.text).toMatch(/leaf 5/);
  }

  test('[static.launch] programs that a static one starts are traced as well', async () => {
    const starts = buildTarget('e2e/starts.c', ['-pthread', '-static'], 'startsStatic');
    const run = await runToEnd(client, home, starts, {
      args: ['fork', leaf, '5'],
      patterns: [{ pattern: 'leafWork', module: 'leaf' }],
    });
    await expectComplete(run);
  });

  test('[launch.static] a program without a C library that is known is not traced and says why; output and status are complete', async () => {
    const bare = buildTarget('e2e/bare.c', ['-static', '-nostdlib']);
    const run = await runToEnd(client, home, bare, { args: ['6'], patterns: ['leafWork'] });
    expect(run.text).toMatch(/STATIC_PROGRAM: [\s\S]*statically linked[\s\S]*Link it dynamically/);
    expect(run.exit).toEqual({ kind: 'exited', code: 6 });
    const lines = await linesOf(client, run.sessionId);
    expect(lines.map(({ text }) => text)).toEqual(['leaf 6']);
  });

  const crashed = async (program: string): Promise<string> => {
    const run = await runToEnd(client, home, program, { patterns: ['average'] });
    expect(run.exit).toMatchObject({ kind: 'signalled', signal: 'SIGFPE' });
    const { text } = await client.ok('debug_query', { sessionId: run.sessionId, view: 'crash' });
    expect(text).toMatch(
      /^! CRASHED by SIGFPE; no stack was kept: a static program [^\n]*core file/m,
    );
    expect(text).not.toContain('at least one traced function');
    expect(text).toMatch(/traced calls that never returned:\n {2}average\(/);
    return text;
  };

  test('[static.crash] of a crash the calls that never returned are told, and why there is no stack', async () =>
    void (await crashed(buildTarget('crash/division.c', ['-O0', '-static']))));

  itNeeds(
    'musl',
    '[static.crash] the same with musl',
    async () => void (await crashed(buildWithMusl('crash/division.c'))),
  );

  itNeeds('coreFiles', '[static.crash] a core file that it leaves has its stack', async () => {
    const program = join(home.project, 'division');
    copyFileSync(buildTarget('crash/division.c', ['-O0', '-static']), program);
    const args = ['-c', `ulimit -c unlimited; exec ${program}`];
    const run = await runToEnd(client, home, '/bin/sh', { args, patterns: ['average'] });
    const { text } = await client.ok('debug_query', { sessionId: run.sessionId, view: 'crash' });
    expect(text).toContain('CRASH SIGFPE in average (division.c:11)');
  });

  for (const flags of [['-static'], []]) {
    const title = `[static.setuid] a setuid program built with ${flags[0] ?? 'its loader'} is not traced, says why, and runs with its rights`;
    itNeeds('root', title, async () => {
      const folder = mkdtempSync('/tmp/st-setuid-');
      onTestFinished(() => rmSync(folder, { recursive: true }));
      chmodSync(folder, 0o755);
      const program = join(folder, 'rights');
      copyFileSync(
        buildTarget('e2e/rights.c', ['-O0', ...flags], `rights${flags.length}`),
        program,
      );
      chownSync(program, 65534, 0);
      chmodSync(program, 0o4755);
      const run = await runToEnd(client, home, program, { patterns: ['rights'] });
      expect(run.text).toMatch(
        /cannot be traced: it is a setuid or setgid program[^]*a copy without/,
      );
      expect(run.text).not.toContain('will be hooked');
      expect(run.exit).toEqual({ kind: 'exited', code: 3 });
      const [line] = await linesOf(client, run.sessionId);
      expect(line?.text).toBe('65534');
    });
  }
});
