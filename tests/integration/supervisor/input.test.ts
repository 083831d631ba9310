import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openSession, shell } from './supervisorSession.ts';

describe('input', () => {
  it('[stdin.open] reaches the program, and its end too', async () => {
    await using session = await openSession(shell('cat; echo over', { stdin: 'open' }));
    await session.supervisor.input(Buffer.from('grüße\n'));
    await session.until(() => session.text('stdout') === 'grüße\n');
    await session.supervisor.inputEof();
    await session.end();
    expect(session.text('stdout')).toBe('grüße\nover\n');
    await expect(session.supervisor.input(Buffer.from('x'))).rejects.toMatchObject({
      code: 'STDIN_CLOSED',
    });
  });

  it('is empty when closed', async () => {
    await using session = await openSession(shell('wc -c'));
    await session.end();
    expect(session.text('stdout').trim()).toBe('0');
    expect(session.supervisor.stdinOpen).toBe(false);
  });

  it('[stdin.given] larger than a pipe arrives whole and in order', async () => {
    await using session = await openSession(shell('sha256sum', { stdin: 'open' }));
    const bytes = Buffer.alloc(3_000_000, 'abcdefghijklmnopqrstuvwxyz0123456789\n');
    const halves = [bytes.subarray(0, 1_500_001), bytes.subarray(1_500_001)];
    await Promise.all([
      ...halves.map((half) => session.supervisor.input(half)),
      session.supervisor.inputEof(),
    ]);
    await session.end();
    expect(session.text('stdout')).toBe(`${createHash('sha256').update(bytes).digest('hex')}  -\n`);
  });

  it('that nobody reads tells how far it came, and holds nothing else up', async () => {
    await using session = await openSession(
      shell('echo up; kill -STOP $$; cat > /dev/null; echo read', { stdin: 'open' }),
    );
    await session.until(() => session.text('stdout') === 'up\n');
    const feeding = session.supervisor.input(Buffer.alloc(400_000), { limitMs: 300 });
    await expect(feeding).rejects.toMatchObject({ code: 'TIMED_OUT' });
    expect((await session.supervisor.clock()).tsc).toBeGreaterThan(0n);
    await session.supervisor.signal('SIGCONT', { group: false });
    await session.supervisor.inputEof();
    await session.end();
    expect(session.text('stdout')).toBe('up\nread\n');
  });

  it('without a limit ends with the program', async () => {
    await using session = await openSession(shell('kill -STOP $$; exit 4', { stdin: 'open' }));
    const feeding = session.supervisor.input(Buffer.alloc(400_000), { limitMs: null });
    const refused = expect(feeding).rejects.toMatchObject({ code: 'STDIN_CLOSED' });
    await session.supervisor.signal('SIGKILL', { group: true });
    await refused;
  });
});
