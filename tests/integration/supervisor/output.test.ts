import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { buildTarget } from '../../support/targets.ts';
import { ended, openSession, program, shell } from './supervisorSession.ts';

const streams = buildTarget('supervisor/streams.c');

describe('output', () => {
  it('[output.complete] is complete and in order at 20 MB', async () => {
    await using session = await openSession(program([streams, 'flood', '1000000']));
    await session.end();
    const bytes = session.bytes('stdout');
    expect(bytes.length).toBe(20_000_000);
    for (let i = 0; i < 1_000_000; i += 9_973) {
      expect(bytes.toString('latin1', i * 20, i * 20 + 20)).toBe(
        `line ${String(i).padStart(14, '0')}\n`,
      );
    }
    expect(session.records.some((one) => one.kind === 'lost')).toBe(false);
  });

  it('is bytes: every value arrives', async () => {
    await using session = await openSession(program([streams, 'binary']));
    await session.end();
    expect([...session.bytes('stdout')]).toEqual(Array.from({ length: 256 }, (_, i) => i));
  });

  it('is shown before a character is complete, and is whole in the end', async () => {
    await using session = await openSession(program([streams, 'halves'], { stdin: 'open' }));
    await session.until(() => session.bytes('stdout').length === 2);
    await session.supervisor.input(Buffer.from('x'));
    await session.end();
    expect(session.text('stdout')).toBe('€');
  });

  it('keeps streams apart and stamps what happened in order', async () => {
    await using session = await openSession(shell('echo out; echo err >&2; exit 3'));
    const records = await session.end();
    expect(session.text('stdout')).toBe('out\n');
    expect(session.text('stderr')).toBe('err\n');
    const times = records.flatMap((one) => (one.kind === 'clock' ? [] : [one.time]));
    expect(times.every((time, i) => time >= (times[i - 1] ?? 0))).toBe(true);
    const kinds = records.map((one) => one.kind);
    expect(kinds[0]).toBe('clock');
    expect(kinds.indexOf('started')).toBeLessThan(kinds.indexOf('output'));
    expect(kinds.lastIndexOf('output')).toBeLessThan(kinds.indexOf('exited'));
    expect(kinds.at(-1)).toBe('ended');
    expect(
      records
        .filter((one) => one.kind === 'closed')
        .map((one) => one.stream)
        .toSorted(),
    ).toEqual(['stderr', 'stdout']);
  });

  it('tells that a living program has closed its streams', async () => {
    await using session = await openSession(program([streams, 'closes'], { stdin: 'open' }));
    await session.until((all) => all.filter((one) => one.kind === 'closed').length === 2);
    expect(session.exit()).toBeNull();
    await expect(session.supervisor.input(Buffer.from('x'))).rejects.toMatchObject({
      code: 'STDIN_CLOSED',
    });
    await session.supervisor.signal('SIGTERM', { group: false });
    await session.end();
    expect(session.exit()).toMatchObject({ signal: 'SIGTERM' });
  });

  it('maps the cycle counter: two readings give a plausible rate', async () => {
    await using session = await openSession(program([streams, 'closes']));
    const first = await session.supervisor.clock();
    const second = await session.supervisor.clock();
    expect(second.monotonicNs).toBeGreaterThan(first.monotonicNs);
    expect(second.tsc).toBeGreaterThan(first.tsc);
    await session.until((all) => all.filter((one) => one.kind === 'clock').length >= 3);
    expect(session.records).toContainEqual({ kind: 'clock', ...second });
  });

  it('counts what its bound does not let it keep, and loses no fact', async () => {
    await using session = await openSession(
      program([streams, 'flood', '100000'], { maxLogBytes: 100_000 }),
    );
    const records = await session.end();
    const lost = records.reduce((sum, one) => sum + (one.kind === 'lost' ? one.bytes : 0), 0);
    expect(lost).toBeGreaterThan(1_800_000);
    expect(lost + session.bytes('stdout').length).toBe(2_000_000);
    expect(session.exit()).toEqual({ kind: 'exited', code: 0 });
  });

  it('reads on while the disk is full and counts, then writes again', async () => {
    await using session = await openSession(
      shell(`${streams} flood 50000; echo done >&2; read x; echo after; exit 5`, { stdin: 'open' }),
    );
    const pid = String(session.supervisor.supervisorPid);
    await session.until((all) =>
      all.some((one) => one.kind === 'output' && one.stream === 'stderr'),
    );
    execFileSync('prlimit', ['--pid', pid, '--fsize=1000:unlimited']);
    await session.supervisor.input(Buffer.from('\n'));
    await ended(session.supervisor);
    expect(session.supervisor.exit).toEqual({ kind: 'exited', code: 5 });
    execFileSync('prlimit', ['--pid', pid, '--fsize=unlimited:unlimited']);
    const records = await session.end();
    expect(records.find((one) => one.kind === 'lost')).toMatchObject({ bytes: 'after\n'.length });
    expect(session.exit()).toEqual({ kind: 'exited', code: 5 });
    expect(session.bytes('stdout').length).toBe(1_000_000);
  });
});
