import { spawn } from 'node:child_process';
import { expect } from 'vitest';
import { itNeeds } from '../../tests/support/needs.ts';
import { openSession, shell } from '../../tests/integration/supervisor/supervisorSession.ts';

const step = Number(process.env['HOLDING_STEP'] ?? 3);

/** A supervisor stops at each call of ptrace and behind it: as many stops as two programs that are held take, and more. */
const stops = Array.from({ length: Math.ceil(240 / step) }, (_, index) => index * step);

for (const stop of stops)
  itNeeds('gdb', `[children.standby] killed at stop ${stop} of its calls of ptrace`, async () => {
    await using session = await openSession(
      shell('read go; env echo one; env echo two; exit 3', { follow: true, stdin: 'open' }),
    );
    const { supervisor } = session;
    await supervisor.askAboutExecs(true);
    supervisor.onExec(
      (asked) => void supervisor.decide(asked.number, 'hold').catch(() => undefined),
    );
    supervisor.onHeld((held) => void supervisor.resume(held.pid).catch(() => undefined));
    const commands = ['catch syscall ptrace', `ignore 1 ${stop}`, 'continue', 'kill'];
    const gdb = spawn('gdb', [
      '-nx',
      '-batch',
      '-p',
      String(supervisor.supervisorPid),
      ...commands.flatMap((one) => ['-ex', one]),
    ]);
    const ended = new Promise<void>((resolve) => gdb.once('close', () => resolve()));
    let said = '';
    await new Promise<void>((resolve) => {
      gdb.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes(`Will ${stop === 0 ? 'stop' : 'ignore'}`)) resolve();
      });
    });
    await supervisor.input(Buffer.from('\n'));
    await session.end();
    expect(session.text('stdout')).toBe('one\ntwo\n');
    expect(session.exit()).toEqual({ kind: 'exited', code: 3 });
    await supervisor.quit();
    await ended;
  });
