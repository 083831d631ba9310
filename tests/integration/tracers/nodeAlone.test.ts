import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callsOf, linesOf } from '../../support/calls.ts';
import { nodes } from '../../support/nodes.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { numberAt, textAt } from '../../support/read.ts';
import { runProgram } from '../../support/strobe.ts';
import { targetSource } from '../../support/targets.ts';

const source = targetSource('node/alone.cjs');
const options = '--no-warnings --max-http-header-size=20000';

describe.each(nodes.map(({ major, path }) => [major, path] as const))('Node %i', (_major, path) => {
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
