import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { installPaths } from '../../src/base/installPaths.ts';
import { describe, expect, test, vi } from 'vitest';
import { tracersOf } from '../../src/base/proc.ts';
import { itNeeds } from '../support/needs.ts';
import { until } from '../support/processes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { Running } from '../support/running.ts';
import { outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000 });

/** A debugger that has stopped a process, until it is disposed of. */
async function holding(pid: number): Promise<{ readonly pid: number } & AsyncDisposable> {
  const gdb = spawn('gdb', ['-q', '-nx', '-p', String(pid), '-ex', 'echo attached\\n']);
  let said = '';
  gdb.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until('gdb has it', () => said.includes('attached'));
  return {
    pid: gdb.pid ?? 0,
    async [Symbol.asyncDispose]() {
      gdb.stdin.end('detach\nquit\n');
      await new Promise((resolve) => gdb.once('exit', resolve));
    },
  };
}

describe('beside a debugger', () => {
  const { home, client } = withClient();
  const talker = buildTarget('engine/talker.c', ['-pthread']);

  for (const way of ['launched', 'attached'] as const)
    itNeeds(
      'gdb',
      `[debugger.holds] what is asked of a ${way} process that a debugger holds stopped is refused at once and names it; status says who holds its threads; afterwards it works`,
      async () => {
        await using running = await Running.start(talker, [], 'ready');
        const options =
          way === 'launched'
            ? { command: talker, stdin: 'open', projectRoot: home.project }
            : { pid: running.pid };
        const { structured } = await client.ok('debug_launch', { ...options, patterns: ['talk'] });
        const [sessionId, pid] = [textAt(structured, 'sessionId'), numberAt(structured, 'pid')];
        const add = ['main'];
        {
          await using gdb = await holding(pid);
          const refused = await client.refused('debug_trace', { sessionId, add });
          expect(refused.text).toMatch(
            new RegExp(
              `^ALREADY_OBSERVED: gdb \\(process ${gdb.pid}\\) holds all threads of process ${pid} stopped[\\s\\S]*\\nNext: .*repeat`,
            ),
          );
          const status = await client.ok('debug_session', { action: 'status', sessionId });
          expect(status.text).toContain(`(${pid}) is held by gdb (${gdb.pid})`);
          expect(status.text).not.toMatch(/main: |waiting for/);
          expect(listAt(at(status.structured, 'now'), 'threads')).toContainEqual(
            expect.objectContaining({ tid: pid, state: 'held', heldBy: `gdb (${gdb.pid})` }),
          );
        }
        const { text } = await client.ok('debug_trace', { sessionId, add });
        expect(text).toContain('main: matched 1 · hooked 1');
        await client.ok('debug_session', {
          action: way === 'launched' ? 'stop' : 'detach',
          sessionId,
        });
      },
    );

  test('[debugger.beside] a program that another debugger traces while it runs is not entered, and nothing of its code changes', async () => {
    const { structured } = await client.ok('debug_launch', {
      command: talker,
      stdin: 'open',
      projectRoot: home.project,
    });
    const [sessionId, pid] = [textAt(structured, 'sessionId'), numberAt(structured, 'pid')];
    await outputSeen(client, sessionId, 'ready');
    const before = libraryCode(pid);
    // It seizes all threads and stops none.
    const tracer = spawn(installPaths().stopper, [String(pid)], { stdio: 'pipe' });
    await until('it is traced', () => tracersOf(pid).length > 0);
    const asked = { sessionId, add: ['talk'] };
    const refused = await client.refused('debug_trace', asked);
    expect(refused.text).toMatch(/^ALREADY_OBSERVED: .*traced by /);
    expect(libraryCode(pid).equals(before)).toBe(true);
    tracer.stdin.end();
    await until('nobody traces it', () => tracersOf(pid).length === 0);
    expect((await client.ok('debug_trace', asked)).text).toContain('talk: matched 1 · hooked 1');
    await client.ok('debug_session', { action: 'stop', sessionId });
  });
});

/** The code of the C library in a process. */
function libraryCode(pid: number): Buffer {
  const row = readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .find((one) => / r-xp .*\/libc\.so\.6$/.test(one));
  const [start = 0, end = 0] = (row ?? '').split(/[- ]/).map((one) => Number.parseInt(one, 16));
  const code = Buffer.alloc(end - start);
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    expect(readSync(memory, code, 0, code.length, start)).toBe(code.length);
    return code;
  } finally {
    closeSync(memory);
  }
}
