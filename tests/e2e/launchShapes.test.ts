import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { until } from '../support/processes.ts';
import { numberAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

interface Shape {
  readonly source: string;
  readonly args?: readonly string[];
  /** Calls of `work` and `late` that are recorded; default: at least one. */
  readonly calls?: number;
  /** What the session says about it. */
  readonly note?: RegExp;
}

const shapes: readonly Shape[] = [
  ...['close', 'redirect', 'reuse', 'swap'].map((how) => ({
    source: 'streams.c',
    args: [how],
    calls: 4,
  })),
  ...['loop', 'range', 'closefrom', 'syscall'].map((how) => ({
    source: 'closeAll.c',
    args: [how],
    calls: 200,
  })),
  ...['name', 'dumpable', 'setuid', 'chroot', 'as', 'nofile', 'fsize', 'core', 'stack'].map(
    (what) => ({ source: 'confined.c', args: [what], calls: 2001 }),
  ),
  // The limit does not hold for root: its thread runs.
  { source: 'confined.c', args: ['nproc'], calls: process.getuid?.() === 0 ? 2001 : 1001 },
  { source: 'confined.c', args: ['cpu'] },
  { source: 'sandboxed.c', args: ['filter'] },
  { source: 'sandboxed.c', args: ['errno'] },
  { source: 'sandboxed.c', args: ['strict'], calls: 1, note: /strict seccomp mode/ },
  { source: 'sandboxed.c', args: ['sync'], note: /seccomp filter for all its threads/ },
  { source: 'sandboxed.c', args: ['threads'] },
  { source: 'sandboxed.c', args: ['violation'] },
  { source: 'lastThread.c', calls: 1001 },
  { source: 'countsThreads.c', calls: 1 },
];

describe('a traced program that does something to itself', () => {
  const { home, client } = withClient();

  const textOf = async (sessionId: string, stream: string): Promise<string> =>
    (await linesOf(client, sessionId, { stream })).map((line) => `${line.text}\n`).join('');

  for (const { source, args = [], calls, note } of shapes) {
    test(`[launch.shapes] does what it does untraced: ${source} ${args.join(' ')}`, async () => {
      const program = buildTarget(`shapes/${source}`, ['-pthread']);
      const place = { env: home.env, cwd: home.project };
      const plain = await runProgram(place, [program, ...args], '', 20_000);
      const traced = await runToEnd(client, home, program, { args, patterns: ['work', 'late'] });
      expect(numberAt(traced.structured, 'hooks', 'hookedFunctions')).toBeGreaterThan(0);
      expect(traced.exit).toMatchObject(
        plain.code === null
          ? { kind: 'signalled', signal: plain.signal }
          : { kind: 'exited', code: plain.code },
      );
      expect(await textOf(traced.sessionId, 'stdout')).toBe(plain.stdout.toString());
      expect(await textOf(traced.sessionId, 'stderr')).toBe(plain.stderr);
      const recorded = await callsOf(client, traced.sessionId, { limit: 1 });
      expect(recorded).toHaveLength(1);
      const status = await client.ok('debug_session', {
        action: 'status',
        sessionId: traced.sessionId,
      });
      if (calls !== undefined) expect(status.text).toContain(`${calls.toLocaleString('en')} call`);
      if (note) expect(status.text).toMatch(note);
    });
  }

  test('[launch.died] what dies before its hooks are in place is told as dead', async () => {
    const program = buildTarget('shapes/diesEarly.c');
    for (const follow of ['none', 'all']) {
      const run = await launch(client, home, program, { patterns: ['work'], follow });
      expect(run.text).toContain('was killed by SIGKILL');
      expect(run.text).toContain(
        'SESSION_ENDED: The program ended before its hooks were in place.',
      );
      expect(run.text).not.toMatch(/untraced|running|NOTHING_MATCHED/);
      expect(await exitOf(client, run.sessionId)).toMatchObject({
        kind: 'signalled',
        signal: 'SIGKILL',
      });
    }
  });

  test('[launch.shapes] nothing of ours continues it, which would undo a stop that it waits for', async () => {
    const program = buildTarget('shapes/continued.c');
    const followed = { command: 'sh', args: ['-c', `${program}; true`] };
    for (const { command, args } of [{ command: program, args: [] }, followed]) {
      const run = await runToEnd(client, home, command, {
        args,
        projectRoot: dirname(program),
        patterns: ['work'],
        stdin: { text: '\n' },
      });
      expect(await textOf(run.sessionId, 'stdout')).toBe('0\n');
      expect(await callsOf(client, run.sessionId)).toHaveLength(1);
    }
  });

  test('[launch.adopted] status says when an orphan is adopted by another than process 1', async () => {
    const { sessionId } = await launch(client, home, 'sh', {
      args: ['-c', '(sleep 600 &); echo left; read line'],
      stdin: 'open',
    });
    await outputSeen(client, sessionId, 'left');
    const status = await client.ok('debug_session', { action: 'status', sessionId });
    expect(status.text).toMatch(
      /The parent of process \d+ has ended and Strobe's supervisor has adopted it.* its getppid\(\) is \d+, where it would be 1\./,
    );
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[launch.shapes] a daemon that left everything is waited for, and its calls are seen', async () => {
    const out = join(home.project, 'daemon.out');
    const run = await launch(client, home, buildTarget('shapes/daemonise.c'), {
      args: [out],
      patterns: ['work'],
    });
    expect(await exitOf(client, run.sessionId)).toEqual({ kind: 'exited', code: 3 });
    await until('the daemon has written its sum', () => readIf(out).endsWith('sum 190\n'));
    await vi.waitFor(async () => expect(await callsOf(client, run.sessionId)).toHaveLength(21), {
      timeout: 60_000,
    });
  });

  test('[launch.shapes] pipelines, scripts and shims that exec each other have the true status', async () => {
    const bin = join(home.project, 'shims');
    mkdirSync(bin);
    const program = buildTarget('e2e/ends.c');
    const shim = (name: string, script: string): string => {
      const path = join(bin, name);
      writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return path;
    };
    shim('third', `exec ${program} "$@"`);
    shim('second', 'exec third "$@"');
    const first = shim('first', `PATH=${bin}:$PATH; export PATH; exec env SHIM=1 second "$@"`);
    const cases: readonly (readonly [string, readonly string[], object])[] = [
      [first, ['exit', '42'], { kind: 'exited', code: 42 }],
      [first, ['signal', '10'], { kind: 'signalled', signal: 'SIGUSR1' }],
      ['sh', ['-c', `seq 100000 | ${program} exit 9`], { kind: 'exited', code: 9 }],
      ['bash', ['-o', 'pipefail', '-c', '(exit 3) | cat'], { kind: 'exited', code: 3 }],
      ['sh', ['-c', 'yes | head -n 1; kill -TERM $$'], { kind: 'signalled', signal: 'SIGTERM' }],
    ];
    for (const patterns of [[], ['line']]) {
      for (const [command, args, exit] of cases) {
        const run = await runToEnd(client, home, command, { args, patterns });
        expect({ command, args, exit: run.exit }).toMatchObject({ command, args, exit });
      }
    }
  });

  test('[children.running] patterns that come while scripts execute each other mean the program behind them', async () => {
    const [again, goes] = [join(home.project, 'again'), join(home.project, 'goes')];
    const leaf = buildTarget('e2e/leaf.c', ['-g']);
    const script = `#!/bin/sh\n[ -e ${goes} ] && exec ${leaf} 7\nexec ${again}\n`;
    writeFileSync(again, script, { mode: 0o755 });
    const { sessionId } = await launch(client, home, again, { patterns: [] });
    const { text } = await client.refused('debug_trace', { sessionId, add: ['leafWork'] });
    expect(text).toContain('programs that are executed later');
    writeFileSync(goes, '');
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 7 });
    const calls = await callsOf(client, sessionId);
    expect(calls.map((call) => call.function)).toEqual(['leafWork']);
  });
});

function readIf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // not yet
  }
}
