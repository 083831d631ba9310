import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, numberAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const leaf = buildTarget('e2e/leaf.c', ['-g']);
const staticLeaf = buildTarget('e2e/leaf.c', ['-static'], 'staticLeaf');
const bareLeaf = buildTarget('e2e/bare.c', ['-static', '-nostdlib']);
/** Everything that is built for tests lies below it, so that it counts as the project's own. */
const projectRoot = dirname(dirname(leaf));

interface Case {
  readonly name: string;
  readonly command: readonly string[];
  /** What `leafWork` is called with, in any order. */
  readonly calls: readonly number[];
}

describe('children', () => {
  const { home, client } = withClient();

  /** Runs it untraced and traced, compares what both did, and returns the traced calls. */
  async function compare({ command, calls }: Case): Promise<string> {
    const [program = '', ...args] = command;
    const plain = await runProgram({ env: home.env, cwd: home.project }, command);
    const run = await runToEnd(client, home, program, {
      args,
      cwd: home.project,
      projectRoot,
      patterns: ['leafWork'],
    });
    expect(run.exit).toEqual({ kind: 'exited', code: plain.code });
    const lines = await linesOf(client, run.sessionId, { stream: 'stdout' });
    expect(lines.map((line) => `${line.text}\n`).join('')).toBe(plain.stdout.toString());
    const seen = await callsOf(client, run.sessionId);
    const numbers = seen.map((call) => Number(call.arguments['number']));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(calls.toSorted((a, b) => a - b));
    return run.sessionId;
  }

  test('[children.system] a launch of a system program says that patterns mean what it executes, and advises nothing for it', async () => {
    const launched = await launch(client, home, 'sh', {
      args: ['-c', `read line; ${leaf} 3; true`],
      stdin: 'open',
      projectRoot,
      patterns: ['leafWork', 'xmalloc'],
    });
    const { sessionId, text } = launched;
    expect(text).toContain('It is a program of the system: the patterns are looked for in each');
    expect(text).not.toMatch(/nearest names|-g |debug_trace/);
    await client.ok('debug_session', { action: 'input', sessionId, text: '\n' });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    expect(await callsOf(client, sessionId)).toMatchObject([{ arguments: { number: 3 } }]);
    const alone = await launch(client, home, leaf, { args: ['1'], patterns: ['leafWork'] });
    expect(alone.text).not.toContain('program of the system');
    await exitOf(client, alone.sessionId);
  });

  test('[children.shell] a launched shell that no pattern means is left alone, unless a library is preloaded into it', async () => {
    const library = buildTarget('e2e/leafLibrary.c', ['-g', '-shared', '-fPIC']);
    const request = {
      args: ['-c', `read line; ${leaf} 3; exit 4`],
      stdin: 'open',
      projectRoot,
      patterns: ['leafWork'],
    };
    const shells = [
      { env: {}, hooked: '0 functions hooked' },
      { env: { LD_PRELOAD: library }, hooked: '1 function hooked' },
    ];
    for (const { env, hooked } of shells) {
      const { sessionId } = await launch(client, home, 'sh', { ...request, env });
      const { text } = await client.ok('debug_session', { action: 'status', sessionId });
      expect(text).toContain(hooked);
      await client.ok('debug_session', { action: 'input', sessionId, text: '\n' });
      expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 4 });
      expect(await callsOf(client, sessionId)).toMatchObject([{ arguments: { number: 3 } }]);
    }
  });

  const starts = buildTarget('e2e/starts.c', ['-g', '-pthread']);
  const ways = ['fork', 'vfork', 'clone', 'spawn', 'system', 'popen', 'thread', 'exec'];
  const python = (call: string): readonly string[] => [
    'python3',
    '-c',
    `import subprocess, sys; sys.exit(subprocess.call(["${leaf}", "5"], ${call}))`,
  ];
  const cases: readonly Case[] = [
    ...ways.map((way) => ({ name: way, command: [starts, way, leaf, '5'], calls: [5] })),
    {
      name: 'static',
      command: [starts, 'fork', staticLeaf, '5'],
      calls: [5],
    },
    {
      name: 'shells',
      command: ['sh', '-c', `sh -c '${leaf} 1'; (${leaf} 2) | cat; exit 4`],
      calls: [1, 2],
    },
    { name: 'Python, descriptors closed', command: python('close_fds=True'), calls: [5] },
    { name: 'Python, descriptors kept', command: python('close_fds=False'), calls: [5] },
    {
      name: 'Node',
      command: [
        process.execPath,
        '-e',
        `require('child_process').spawn('${leaf}', ['5'], {stdio: 'inherit'}).on('exit', (code) => process.exit(code))`,
      ],
      calls: [5],
    },
  ];
  for (const one of cases) {
    test(`[children.kinds] ${one.name}`, async () => {
      await compare(one);
    });
  }

  test('[children.unseen] a parent hears of a traced child only that it ended', async () => {
    const parent = buildTarget('supervisor/parent.c');
    const command = ['sh', '-c', `echo | ${parent} ${leaf} 5`];
    await compare({ name: 'parent', command, calls: [5] });
  });

  test('[children.signals] an alarm is there when the traced program begins', async () => {
    const alarmed = buildTarget('e2e/alarmed.c');
    await compare({ name: 'alarmed', command: [alarmed, 'executes'], calls: [2] });
  });

  test('[children.output] no line is told as of a process that may not have written it', async () => {
    const { sessionId } = await runToEnd(client, home, 'sh', {
      args: ['-c', `${leaf} 1; ${leaf} 2; true`],
      projectRoot,
      patterns: ['leafWork'],
    });
    const [, second] = await callsOf(client, sessionId);
    const pid = numberAt(second, 'pid');
    const shared = /^! The processes of this session share their pipes, /m;
    for (const view of ['output', 'events']) {
      const ofOne = await client.ok('debug_query', { view, sessionId, pid });
      expect(ofOne.text).toMatch(shared);
      const all = await client.ok('debug_query', { view, sessionId });
      expect(all.text).not.toMatch(shared);
      expect(all.text).toMatch(/^\+\S+ (?:std)?out\| leaf 2$/m);
    }
    const crash = await client.ok('debug_query', { view: 'crash', sessionId, pid });
    expect(crash.text).toMatch(
      /^Nothing crashed\.\nlast of 1 traced call:\n {2}leafWork\(number=2\)/m,
    );
    expect(crash.text).toContain('how this process ended');
    const newest = await client.ok('debug_query', { view: 'crash', sessionId });
    expect(newest.text).toMatch(
      new RegExp(`^last of 1 traced call of thread leaf \\(\\d+, pid ${pid}\\):`, 'm'),
    );
  });

  test('[children.kinds] make', async () => {
    const makefile = join(home.project, 'Makefile');
    writeFileSync(makefile, `all: a b\na b:\n\t@${leaf} 0\n`);
    await compare({ name: 'make', command: ['make', '-s', '-f', makefile], calls: [0, 0] });
  });

  itNeeds('pytest', '[children.kinds] pytest that runs a program', async () => {
    const file = join(home.project, 'test_leaf.py');
    writeFileSync(
      file,
      `import subprocess\ndef test_leaf():\n    assert subprocess.run(["${leaf}", "6"]).returncode == 6\n`,
    );
    const run = await runToEnd(client, home, 'pytest', {
      args: ['-q', '-p', 'no:cacheprovider', file],
      projectRoot,
      patterns: ['leafWork'],
    });
    expect(run.exit).toEqual({ kind: 'exited', code: 0 });
    expect(await callsOf(client, run.sessionId)).toHaveLength(1);
  });

  itNeeds('go', '[children.kinds] Go os/exec', async () => {
    const command = [buildTarget('e2e/starts.go', [], 'goStarts'), leaf, '5'];
    await compare({ name: 'Go', command, calls: [5] });
  });

  const numbers = buildTarget('e2e/numbers.c', ['-g']);
  const opening: readonly Case[] = [
    { name: 'none but its streams', command: ['sh', '-c', `${numbers}; exit $?`], calls: [4] },
    {
      name: 'inherited ones here and there',
      command: ['sh', '-c', `exec 3</dev/null 7</dev/null 9<&3; ${numbers}; exit $?`],
      calls: [4],
    },
    { name: 'no input', command: ['sh', '-c', `${numbers} <&-; exit $?`], calls: [4] },
    {
      name: 'Python with files of its own',
      command: [
        'python3',
        '-c',
        `import subprocess, sys; files = [open("/dev/null") for _ in range(9)]; sys.exit(subprocess.call(["${numbers}"]))`,
      ],
      calls: [4],
    },
    {
      name: 'few are allowed',
      command: ['sh', '-c', `ulimit -n 64; ${numbers}; exit $?`],
      calls: [4],
    },
    { name: 'what it becomes itself', command: ['sh', '-c', `exec ${numbers}`], calls: [4] },
  ];
  for (const one of opening) {
    test(`[children.descriptors] a program gets the descriptors of an untraced run: ${one.name}`, async () => {
      await compare(one);
    });
  }

  test('[children.exec] a chain of forty scripts, as version managers have', async () => {
    const script = join(home.project, 'chain.sh');
    writeFileSync(script, `#!/bin/sh\n[ $1 = 0 ] && exec ${leaf} 9\nexec ${script} $(($1 - 1))\n`);
    chmodSync(script, 0o755);
    await compare({ name: 'chain', command: [script, '40'], calls: [9] });
  });

  test('[children.exec] a traced program that executes itself', async () => {
    const run = await runToEnd(client, home, starts, {
      args: ['exec', leaf, '3'],
      projectRoot,
      patterns: ['leafWork', 'main'],
    });
    expect(run.exit).toEqual({ kind: 'exited', code: 3 });
    const names = (await callsOf(client, run.sessionId)).map((call) => call.function);
    expect(names.toSorted()).toEqual(['leafWork', 'main', 'main']);
  });

  test('[children.kinds] a program whose library holds what is traced, and one outside the project', async () => {
    const library = buildTarget('e2e/leafLibrary.c', ['-shared', '-fPIC'], 'libleaf.so');
    const user = buildTarget(
      'e2e/leafUser.c',
      [library, `-Wl,-rpath,${dirname(library)}`],
      'leafUser',
    );
    await compare({ name: 'library', command: ['sh', '-c', `${user} 4; exit 0`], calls: [4] });
    const run = await runToEnd(client, home, 'sh', {
      args: ['-c', `${leaf} 4; exit 0`],
      projectRoot: home.project,
      patterns: ['leafWork'],
    });
    const tree = await client.ok('debug_query', { view: 'tree', sessionId: run.sessionId });
    expect(tree.text).toContain(`Programs outside the project were executed untraced: ${leaf}.`);
  });

  test('[children.running] patterns added later reach what runs and what is executed then', async () => {
    const ticker = buildTarget('e2e/ticker.cpp');
    const { sessionId } = await launch(client, home, 'sh', {
      args: ['-c', `${ticker} & read go; ${leaf} 3; kill $!; wait`],
      stdin: 'open',
      projectRoot,
    });
    await outputSeen(client, sessionId, 'round 1');
    const traced = await client.ok('debug_trace', {
      sessionId,
      add: ['clockwork::tick', 'leafWork'],
    });
    expect(at(traced.structured, 'hookedFunctions')).toBe(1);
    await client.ok('debug_session', {
      action: 'wait',
      sessionId,
      for: ['event'],
      match: 'clockwork::tick',
    });
    await client.ok('debug_session', { action: 'input', sessionId, text: '\n' });
    await exitOf(client, sessionId);
    const names = new Set((await callsOf(client, sessionId)).map((call) => call.function));
    expect(names).toEqual(new Set(['clockwork::tick', 'leafWork']));
  });

  test('[children.status] status and events tell of each process, and a pid filters', async () => {
    const shell = `${leaf} 5; ${bareLeaf} 6; ${leaf} 0; kill -KILL $$`;
    const { sessionId } = await runToEnd(client, home, 'sh', {
      args: ['-c', shell],
      projectRoot,
      patterns: ['leafWork'],
    });
    const status = await client.ok('debug_session', { action: 'status', sessionId });
    expect(at(status.structured, 'processes')).toMatchObject({ running: 0, ended: 4, failed: 3 });
    expect(listAt(at(status.structured, 'processes'), 'shown')).toMatchObject([
      { exit: { kind: 'signalled', signal: 'SIGKILL' }, running: false, parent: null },
      { command: `${leaf} 5`, exit: { kind: 'exited', code: 5 }, hooked: 1 },
      {
        command: `${bareLeaf} 6`,
        exit: { kind: 'exited', code: 6 },
        hooked: null,
        untraced:
          'it is statically linked, with neither glibc nor musl (or stripped of musl’s names)',
      },
      { command: `${leaf} 0`, exit: { kind: 'exited', code: 0 }, hooked: 1 },
    ]);
    expect(status.text).toContain('4 processes: 0 running, 4 ended, 3 of them failed');
    const [, first] = listAt(at(status.structured, 'processes'), 'shown');
    const pid = numberAt(first, 'pid');
    const events = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      pid,
      eventType: ['process', 'call', 'stdout'],
      verbose: true,
    });
    const list = listAt(events.structured, 'events');
    expect(list.map((event) => at(event, 'pid'))).toEqual(list.map(() => pid));
    expect(list.map((event) => at(event, 'text') ?? at(event, 'functionName'))).toEqual([
      expect.stringMatching(new RegExp(`^exec: ${leaf} 5 \\(${leaf}, child of \\d+\\)$`)),
      'leafWork',
      'exited with code 5',
    ]);
  });

  test('[children.status] a process that forked and called no exec is found while it lives', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/lasting.c'));
    const { line } = await outputSeen(client, sessionId, 'child');
    const child = Number(line.split(' ')[1]);
    const status = await client.ok('debug_session', { action: 'status', sessionId });
    expect(listAt(at(status.structured, 'processes'), 'shown')).toContainEqual(
      expect.objectContaining({ pid: child, running: true }),
    );
    process.kill(child, 'SIGKILL');
    await exitOf(client, sessionId);
    const after = await client.ok('debug_session', { action: 'status', sessionId });
    expect(listAt(at(after.structured, 'processes'), 'shown')).toContainEqual(
      expect.objectContaining({
        pid: child,
        exit: { kind: 'signalled', signal: 'SIGKILL', number: 9, coreDumped: false },
      }),
    );
  });

  test('[children.many] five hundred short-lived processes are all seen', async () => {
    const run = await runToEnd(client, home, buildTarget('e2e/burst.c'), {
      args: ['500', '/bin/true'],
      projectRoot,
      patterns: ['leafWork'],
    });
    expect((await linesOf(client, run.sessionId)).map((line) => line.text)).toEqual(['500']);
    const status = await client.ok('debug_session', { action: 'status', sessionId: run.sessionId });
    expect(at(status.structured, 'processes')).toMatchObject({ running: 0, ended: 501, failed: 0 });
    expect(status.text).toMatch(/true ×500 · exited with code 0/);
    // What it cost them is told, and is time that the run took.
    expect(status.text).toMatch(/501 ended · following held 500 execs up by [\d.]+ m?s in all/);
    const processes = at(status.structured, 'processes');
    expect(numberAt(processes, 'executed')).toBe(500);
    expect(numberAt(processes, 'waitedMs')).toBeGreaterThan(0);
  });

  test('[children.none] follow none', async () => {
    const run = await runToEnd(client, home, 'sh', {
      args: ['-c', `${leaf} 7; grep NoNewPrivs /proc/self/status; exit 2`],
      projectRoot,
      patterns: ['leafWork'],
      follow: 'none',
    });
    expect(run.exit).toEqual({ kind: 'exited', code: 2 });
    expect((await linesOf(client, run.sessionId)).map((line) => line.text)).toEqual([
      'leaf 7',
      'NoNewPrivs:\t0',
    ]);
    expect(await callsOf(client, run.sessionId)).toEqual([]);
    const events = await client.ok('debug_query', {
      view: 'events',
      sessionId: run.sessionId,
      eventType: ['process'],
    });
    expect(at(events.structured, 'pids')).toHaveLength(1);
  });
});
