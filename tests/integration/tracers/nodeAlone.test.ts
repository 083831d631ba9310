import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keptAnswers } from '../../../src/protocol/keptAnswers.ts';
import { callsOf, linesOf } from '../../support/calls.ts';
import { nodes } from '../../support/nodes.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { numberAt, textAt } from '../../support/read.ts';
import { outputSeen, statusSays } from '../../support/runs.ts';
import { runProgram } from '../../support/strobe.ts';
import { targetSource } from '../../support/targets.ts';

const source = targetSource('node/alone.cjs');
const options = '--no-warnings --max-http-header-size=20000';

describe.each(nodes.map(({ major, path }) => [major, path] as const))('Node %i', (major, path) => {
  test('[node.alone] a program of JavaScript and its children load their tracer by themselves, and see no more of it than of none; machine code is entered once it is wanted', async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const cwd = dirname(source);
    const env = { ...daemon.home.env, NODE_OPTIONS: options };
    const plain = await runProgram({ env, cwd }, [path, source]);
    const launched = await daemon.ok('debug_launch', {
      command: path,
      args: [source],
      env: { NODE_OPTIONS: options },
      projectRoot: cwd,
      patterns: ['@usercode'],
      stdin: 'open',
    });
    const sessionId = textAt(launched.structured, 'sessionId');
    const pid = numberAt(launched.structured, 'pid');
    const lines = async (): Promise<string[]> =>
      (await linesOf(daemon, sessionId)).map(({ text }) => text);
    const said = plain.stdout.toString().trimEnd().split('\n');
    await expect.poll(lines, { timeout: 20_000 }).toEqual(said);
    const maps = (): string => readFileSync(`/proc/${pid}/maps`, 'utf8');
    expect(maps()).toMatch(/\/engine\.so\n/);
    expect(maps()).not.toContain('frida-agent');

    const traced = await daemon.ok('debug_trace', { sessionId, add: ['libc.so.6!mkdir'] });
    expect(traced.text).toMatch(/libc\.so\.6!mkdir: matched 1 · hooked 1/);
    expect(maps()).toContain('frida-agent');
    const status = await daemon.ok('debug_session', { action: 'status', sessionId });
    expect(status.text).toContain(`Machine code of process ${pid} is traced from here on`);
    const folder = join(daemon.home.path, 'made');
    await daemon.ok('debug_session', { action: 'input', sessionId, text: `${folder}\n` });
    await expect.poll(lines, { timeout: 20_000 }).toEqual([...said, 'made']);
    const calls = await callsOf(daemon, sessionId);
    const byId = new Map(calls.map((call) => [call.id, call]));
    const nested = calls.map((call) => [
      call.pid === pid,
      call.function.replace(/^.*[.!](?=\w)/, ''),
      byId.get(call.parent ?? '')?.function.replace(/^.*[.!](?=\w)/, ''),
    ]);
    expect(nested).toEqual(
      expect.arrayContaining([
        [true, 'seen', undefined],
        [true, 'child', undefined],
        [false, 'seen', undefined],
        [true, 'mkdir', 'make'],
      ]),
    );
  });

  test('[node.kept] a module that was rewritten before is read from the home by the process itself, unless a source of it has changed or the file is damaged', async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const folder = daemon.home.project;
    const [script, typed] = [join(folder, 'sum.mjs'), join(folder, 'sum.ts')];
    const line = 'const sum = (a, b) => a + b; console.log(sum(1, 2));\n';
    const map = { version: 3, sources: ['sum.ts'], names: [], mappings: 'AAAA,YAAY' };
    const data = Buffer.from(JSON.stringify(map)).toString('base64');
    writeFileSync(typed, line);
    writeFileSync(script, `${line}//# sourceMappingURL=data:application/json;base64,${data}\n`);
    const traced = async (): Promise<number> => {
      const { structured } = await daemon.ok('debug_launch', {
        command: path,
        args: ['--no-warnings', script],
        projectRoot: folder,
        patterns: ['sum'],
        waitFor: 'exit',
        waitMs: 20_000,
      });
      const sessionId = textAt(structured, 'sessionId');
      expect((await linesOf(daemon, sessionId)).map(({ text }) => text)).toEqual(['3']);
      return (await callsOf(daemon, sessionId)).length;
    };
    expect(await traced()).toBe(1);
    const records = join(daemon.home.path, keptAnswers.folder, keptAnswers.records);
    await expect.poll(() => readFileSync(records, 'latin1')).toContain(typed);
    const whole = readFileSync(records, 'latin1');
    // Shows where an answer comes from: the daemon has its own in memory.
    const refused = whole.replace(/\{"inserts".*?\}(?=[0-9a-f]{40})/, (answer) =>
      '{"why":"it is from the file"}'.padEnd(answer.length),
    );
    expect(refused).not.toBe(whole);
    writeFileSync(records, refused, 'latin1');
    expect(await traced()).toBe(0);
    writeFileSync(records, refused.slice(0, -1), 'latin1');
    expect(await traced()).toBe(1);
    writeFileSync(records, refused, 'latin1');
    utimesSync(typed, 1, 1);
    expect(await traced()).toBe(1);
  });

  test('[node.permission] under the permission model a program runs as without us, and it is said what it lacks to be traced', async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const folder = daemon.home.project;
    const script = join(folder, 'sum.cjs');
    writeFileSync(script, 'const sum = (a, b) => a + b;\nconsole.log(sum(1, 2));\n');
    const flag = major < 24 ? '--experimental-permission' : '--permission';
    const run = async (...granted: readonly string[]) => {
      const args = ['--no-warnings', '-C', 'test', flag, ...granted, script];
      const { structured } = await daemon.ok('debug_launch', {
        command: path,
        args,
        projectRoot: folder,
        patterns: ['sum'],
        waitFor: 'exit',
        waitMs: 20_000,
      });
      const sessionId = textAt(structured, 'sessionId');
      const lines = await linesOf(daemon, sessionId);
      expect(lines.map(({ text }) => text)).toEqual(['3']);
      return {
        calls: await callsOf(daemon, sessionId),
        status: (await daemon.ok('debug_session', { action: 'status', sessionId })).text,
      };
    };
    for (const granted of [[], ['--allow-addons']]) {
      const { calls, status } = await run(...granted, `--allow-fs-read=${folder}`);
      expect(calls).toEqual([]);
      expect(status).toContain('permission model');
      expect(status).toContain('--allow-addons and --allow-fs-read=*');
    }
    const { calls } = await run('--allow-addons', '--allow-fs-read=*', '--allow-worker');
    expect(calls).toHaveLength(1);
  });

  test('[node.alone] a program that closes the descriptor by which it is traced runs on, and that is said', async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const launched = await daemon.ok('debug_launch', {
      command: path,
      args: [targetSource('node/closesAll.cjs')],
      projectRoot: dirname(source),
      patterns: ['closeSockets'],
      stdin: 'open',
    });
    const sessionId = textAt(launched.structured, 'sessionId');
    const input = async (): Promise<unknown> =>
      daemon.ok('debug_session', { action: 'input', sessionId, text: 'go\n' });
    await outputSeen(daemon, sessionId, 'ready');
    await input();
    await outputSeen(daemon, sessionId, 'closed 1');
    await daemon.ok('debug_trace', { sessionId, add: ['work'] });
    await statusSays(daemon, sessionId, /Tracing left process \d+: it closed its connection/);
    await input();
    await outputSeen(daemon, sessionId, 'closed 2');
    const calls = await callsOf(daemon, sessionId);
    expect(calls.map((call) => call.function)).toEqual([expect.stringContaining('closeSockets')]);
  });

  test.each(['"$0" "$1" & wait', 'read word < "$1"; exec "$0" "$1"'])(
    '[node.values] what a shell that is traced as well executes (%s) has the names of its own values',
    async (script) => {
      const daemon = await OwnDaemon.start([]);
      onTestFinished(async () => daemon.close());
      const launched = await daemon.ok('debug_launch', {
        command: '/bin/sh',
        args: ['-c', script, path, targetSource('node/behindShell.cjs')],
        projectRoot: dirname(source),
        patterns: ['@net', 'take'],
      });
      const sessionId = textAt(launched.structured, 'sessionId');
      const wait = { action: 'wait', sessionId, for: ['exit'], timeoutMs: 50_000 };
      await daemon.ok('debug_session', wait);
      const { text } = await daemon.ok('debug_query', { view: 'tree', sessionId, root: 'take' });
      expect(text).toContain('order=Object{bread="rye", count=3}');
    },
  );

  test('[node.alone] what it was doing as it died by a signal is written down', async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const launched = await daemon.ok('debug_launch', {
      command: path,
      args: [source, 'main', 'abort'],
      projectRoot: dirname(source),
      patterns: ['@usercode'],
      stdin: 'open',
    });
    const sessionId = textAt(launched.structured, 'sessionId');
    const folder = join(daemon.home.path, 'made');
    await daemon.ok('debug_session', { action: 'input', sessionId, text: `${folder}\n` });
    await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
    const crash = await daemon.ok('debug_query', { view: 'crash', sessionId });
    expect(crash.text).toMatch(/CRASH SIGABRT in .*raised by the program itself/);
    expect(crash.text).toMatch(/abort/);
  });
});
