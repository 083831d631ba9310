import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startClient } from '../support/client.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { exitOf, launch, runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('bad input', () => {
  const { home, client } = withClient();

  /** A launch that must fail; nothing of it may be left. */
  async function refusedLaunch(args: Readonly<Record<string, unknown>>): Promise<string> {
    const before = await sessions();
    const refused = await client.refused('debug_launch', { projectRoot: home.project, ...args });
    expect(await sessions()).toEqual(before);
    expect(refused.text).toMatch(/\nNext: \S/);
    return refused.text;
  }

  async function sessions(): Promise<string[]> {
    const answer = await client.ok('debug_session', { action: 'list', state: 'running' });
    return listAt(answer.structured, 'sessions').map((session) => textAt(session, 'sessionId'));
  }

  test('[bad.missing] a missing program', async () => {
    expect(await refusedLaunch({ command: '/no/such/program' })).toMatch(
      /^PROGRAM_NOT_FOUND: .*\/no\/such\/program/,
    );
    expect(await refusedLaunch({ command: 'no-such-program-anywhere' })).toMatch(
      /^PROGRAM_NOT_FOUND: /,
    );
  });

  test('[bad.not-executable] a file that is not executable, and a folder', async () => {
    const file = join(home.project, 'plain.txt');
    writeFileSync(file, 'text');
    chmodSync(file, 0o644);
    expect(await refusedLaunch({ command: file })).toMatch(/^NOT_EXECUTABLE: .*plain\.txt/);
    expect(await refusedLaunch({ command: home.project })).toMatch(/^NOT_EXECUTABLE: /);
  });

  test('[bad.not-a-program] an executable file that is no program', async () => {
    const file = join(home.project, 'garbage');
    writeFileSync(file, Buffer.from([0, 1, 2, 3, 4, 5]));
    chmodSync(file, 0o755);
    expect(await refusedLaunch({ command: file })).toMatch(/^(NOT_EXECUTABLE|EXEC_FAILED): /);
  });

  test('[bad.architecture] a program for another processor', async () => {
    const file = join(home.project, 'arm64');
    copyFileSync(buildTarget('e2e/ends.c'), file);
    writeFileSync(file, aarch64Header(), { flag: 'r+' });
    chmodSync(file, 0o755);
    expect(await refusedLaunch({ command: file })).toMatch(
      /^WRONG_ARCHITECTURE: .*(aarch64|arm64)/i,
    );
  });

  test('[bad.cwd] folders that do not exist', async () => {
    const command = buildTarget('e2e/ends.c');
    expect(await refusedLaunch({ command, cwd: '/no/such/folder' })).toMatch(
      /^NO_SUCH_DIRECTORY: .*\/no\/such\/folder/,
    );
    expect(await refusedLaunch({ command, projectRoot: '/no/such/root' })).toMatch(
      /^NO_SUCH_DIRECTORY: .*\/no\/such\/root/,
    );
  });

  test('[bad.static] a static program without a C library runs, is not traced, and says why', async () => {
    const program = buildTarget('e2e/bare.c', ['-static', '-nostdlib']);
    const run = await runToEnd(client, home, program, { args: ['2'], patterns: ['leafWork'] });
    expect(run.text).toContain('STATIC_PROGRAM');
    expect(run.exit).toEqual({ kind: 'exited', code: 2 });
    const output = await client.ok('debug_query', { view: 'output', sessionId: run.sessionId });
    expect(output.text).toContain('leaf 2');
  });

  test('[bad.no-debug-info] a stripped program runs, and the answer says how to build it', async () => {
    const program = buildTarget('e2e/ends.c', ['-g0', '-s'], 'endsStripped');
    writeFileSync(join(home.project, 'CMakeLists.txt'), 'project(ends)\n');
    const run = await runToEnd(client, home, program, { args: ['lines', '1'], patterns: ['line'] });
    expect(textAt(run.structured, 'debugInfo', 'advice')).toMatch(/CMAKE_BUILD_TYPE|-g/);
    expect(run.text).toMatch(/debug information/i);
    expect(run.exit).toEqual({ kind: 'exited', code: 0 });
  });

  test('[bad.dies-at-once] a program that ends before the answer is told with its exit and output', async () => {
    const run = await runToEnd(client, home, buildTarget('e2e/ends.c'), {
      args: ['exit', '9'],
      patterns: ['main'],
    });
    expect(run.exit).toEqual({ kind: 'exited', code: 9 });
    const query = await client.ok('debug_query', { view: 'tree', sessionId: run.sessionId });
    expect(query.text).toMatch(/main\(argc=3, argv=0x[0-9a-f]+→".*"\) = 9/);
  });

  const misspelled = [
    { tool: 'debug_launch', args: { comand: 'x', projectRoot: '/' }, near: 'command' },
    { tool: 'debug_session', args: { action: 'wait', timeout: 5 }, near: 'timeoutMs' },
    { tool: 'debug_session', args: { action: 'stats' }, near: 'status' },
    { tool: 'debug_trace', args: { ad: ['x'] }, near: 'add' },
    { tool: 'debug_query', args: { view: 'events', fucntion: { equals: 'x' } }, near: 'function' },
    { tool: 'debug_query', args: { view: 'events', function: { equal: 'x' } }, near: 'equals' },
    { tool: 'debug_query', args: { view: 'event' }, near: 'events' },
    { tool: 'debug_query', args: { view: 'tree', sortBy: 'count' }, near: 'sortBy' },
  ];
  for (const { tool, args, near } of misspelled) {
    test(`[bad.parameter] ${tool} ${JSON.stringify(args)} names "${near}"`, async () => {
      const refused = await client.refused(tool, args);
      expect(refused.text).toMatch(/^(UNKNOWN_PARAMETER|BAD_PARAMETER): /);
      expect(refused.text).toContain(near);
    });
  }

  test('[bad.session] an unknown session', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/ends.c'));
    await exitOf(client, sessionId);
    for (const [tool, args] of [
      ['debug_session', { action: 'status', sessionId: 'nothing-2020-01-01-00h00-zzzz' }],
      ['debug_query', { view: 'output', sessionId: 'nothing-2020-01-01-00h00-zzzz' }],
      ['debug_trace', { add: ['x'], sessionId: 'nothing-2020-01-01-00h00-zzzz' }],
    ] as const) {
      const refused = await client.refused(tool, args);
      expect(refused.text).toMatch(/^UNKNOWN_SESSION: .*nothing-2020/);
      expect(refused.text).toContain('"list"');
    }
    const ended = await client.refused('debug_trace', { sessionId, add: ['main'] });
    expect(ended.text).toMatch(/^SESSION_ENDED: [\s\S]*"pending": true[\s\S]*launch it again/);
  });

  test('[bad.none] a client without a session is told to launch', async () => {
    const fresh = await startClient(home, 'v2');
    const refused = await fresh.refused('debug_query', { view: 'output' });
    expect(refused.text).toMatch(/^NO_SESSION: [\s\S]*debug_launch/);
    const early = await fresh.refused('debug_trace', { add: ['main'] });
    expect(early.text).toMatch(/^NO_SESSION: [\s\S]*"pending": true/);
    const of = await launch(client, home, buildTarget('e2e/ends.c'));
    const again = await fresh.refused('debug_query', { view: 'output' });
    expect(again.text).toContain(`the latest of another client is ${of.sessionId}`);
    await fresh.close();
  });

  test('[bad.cursor] a cursor that is none, a bad pattern and a bad regular expression', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/ends.c'));
    const cursor = await client.refused('debug_query', {
      view: 'events',
      sessionId,
      cursor: 'nonsense',
    });
    expect(cursor.text).toContain('BAD_CURSOR');
    const both = { view: 'output', sessionId, cursor: 'o1.1', tail: 1 };
    expect((await client.refused('debug_query', both)).text).toMatch(
      /^BAD_PARAMETER: tail [^]*\nNext: Give one of them\./,
    );
    const regex = await client.refused('debug_query', {
      view: 'events',
      sessionId,
      function: { matches: '(a' },
    });
    expect(regex.text).toContain('BAD_REGEX');
    expect(at(regex.structured, 'events')).toBeUndefined();
  });
});

/** The first 20 bytes of an ELF file for aarch64: class 64, little-endian, PIE, machine 183. */
function aarch64Header(): Buffer {
  const header = Buffer.alloc(20);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]);
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(183, 18);
  return header;
}
