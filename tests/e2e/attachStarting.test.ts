import { spawn, execFileSync, type ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { suiteFolder } from '../support/folder.ts';
import { until } from '../support/processes.ts';
import { numberAt, textAt } from '../support/read.ts';
import { Running } from '../support/running.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const { client } = withClient();
const folder = suiteFolder();

/** A pipe that takes `room` bytes before a writer has to wait. */
class FullPipe implements Disposable {
  readonly #path: string;
  readonly #end: number;

  constructor(path: string, room: number) {
    this.#path = path;
    execFileSync('mkfifo', [path]);
    this.#end = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    for (let isFull = false; !isFull;)
      try {
        writeSync(this.#end, Buffer.alloc(4096));
      } catch {
        isFull = true;
      }
    if (room > 0) readSync(this.#end, Buffer.alloc(room));
  }

  /** Starts a program whose standard error it is. */
  start(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    const end = openSync(this.#path, 'w');
    const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', end] });
    closeSync(end);
    return child;
  }

  /** Takes all that was written, and is. */
  async drain(): Promise<Running> {
    return await Running.start('cat', [this.#path]);
  }

  [Symbol.dispose](): void {
    closeSync(this.#end);
  }
}

async function waitsToWrite(child: ChildProcess): Promise<void> {
  const inWrite = /^(?:1|20) 0x2 /; // write(2), writev(2)
  await until('it waits to write', () =>
    inWrite.test(readFileSync(`/proc/${child.pid}/syscall`, 'utf8')),
  );
}

test.each([
  ['before a library is loaded', 0],
  ['while libraries are loaded', 8192],
])(
  '[attach.starting] a program that its dynamic linker still loads is entered once that is done: %s',
  async (_, room) => {
    const program = buildTarget('e2e/beats.c');
    using pipe = new FullPipe(join(folder, `linker${room}`), room);
    const child = pipe.start(program, [join(folder, `beats${room}`)], { LD_DEBUG: 'all' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      await waitsToWrite(child);
      const asked = client.ok('debug_launch', { pid: child.pid, patterns: ['beat'] });
      asked.catch(() => undefined); // It may be refused before anyone awaits it.
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(child.exitCode ?? child.signalCode).toBeNull();
      await using taken = await pipe.drain();
      const { structured } = await asked;
      expect(numberAt(structured, 'pid')).toBe(child.pid);
      const sessionId = textAt(structured, 'sessionId');
      await client.ok('debug_session', {
        action: 'wait',
        sessionId,
        for: ['event'],
        timeoutMs: 20_000,
      });
      const [call] = await callsOf(client, sessionId, { limit: 1 });
      expect(call?.function).toBe('beat');
      await client.ok('debug_session', { action: 'detach', sessionId });
      expect(taken.isRunning).toBe(true);
      expect(child.exitCode ?? child.signalCode).toBeNull();
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  },
);

test('[attach.starting] one that does not come out of its dynamic linker is left alone, and the answer says so', async () => {
  const program = buildTarget('e2e/beats.c');
  using pipe = new FullPipe(join(folder, 'linker'), 0);
  const child = pipe.start(program, [join(folder, 'beats')], { LD_DEBUG: 'all' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await waitsToWrite(child);
    const { text } = await client.call('debug_launch', { pid: child.pid, patterns: ['beat'] });
    expect(text).toMatch(
      /^INSTRUMENTATION_FAILED: Process \d+ has not finished loading its libraries/,
    );
    expect(text).toMatch(/\nNext: Try again when it has begun\./);
    expect(child.exitCode ?? child.signalCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
});

test('[attach.starting] a shell that becomes the program which it starts is attached to as that program', async () => {
  const program = buildTarget('e2e/beats.c');
  for (let round = 0; round < 8; round++) {
    const script = `exec sh -c 'exec "$@"' sh "$@"`;
    const args = ['-c', script, 'sh', program, join(folder, `becomes${round}`)];
    await using running = await Running.start('/bin/bash', args);
    // Each time it is somewhere else on its way.
    await new Promise((resolve) => setTimeout(resolve, round * 3));
    const asked = { pid: running.pid, patterns: ['beat'] };
    const sessionId = textAt((await client.ok('debug_launch', asked)).structured, 'sessionId');
    const waited = { action: 'wait', sessionId, for: ['event'], timeoutMs: 20_000 };
    await client.ok('debug_session', waited);
    await client.ok('debug_session', { action: 'detach', sessionId });
    expect(running.isRunning).toBe(true);
  }
});
