import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { monotonicNs } from '../../../src/base/clock.ts';
import { installPaths } from '../../../src/base/installPaths.ts';
import { Supervisor } from '../../../src/collector/supervisor/supervisorClient.ts';
import { OutputLogReader } from '../../../src/collector/supervisor/outputLog.ts';
import { itNeeds } from '../../support/needs.ts';
import { isAlive, until } from '../../support/processes.ts';
import { buildTarget } from '../../support/targets.ts';
import { ended, openSession, program, shell } from './supervisorSession.ts';

const streams = buildTarget('supervisor/streams.c');

describe('[exit.status] exit status', () => {
  it.each([0, 1, 42, 255])('exit code %i', async (code) => {
    await using session = await openSession(program([streams, 'exit', String(code)]));
    await session.end();
    expect(session.exit()).toEqual({ kind: 'exited', code });
  });

  it.each([
    ['SIGKILL', 9],
    ['SIGTERM', 15],
    ['SIGPIPE', 13],
  ])('death by %s', async (signal, number) => {
    await using session = await openSession(program([streams, 'raise', String(number)]));
    await session.end();
    expect(session.exit()).toEqual({ kind: 'signalled', signal, number, coreDumped: false });
  });

  it('tells a core dump apart from a plain death', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sc-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const dies = (limit: string) =>
      shell(`ulimit -c ${limit} && exec ${streams} raise 6`, { cwd: folder });
    await using cored = await openSession(dies('unlimited'));
    await cored.end();
    await using bare = await openSession(dies('0'));
    await bare.end();
    expect(cored.exit()).toMatchObject({ signal: 'SIGABRT', coreDumped: true });
    expect(bare.exit()).toMatchObject({ signal: 'SIGABRT', coreDumped: false });
  });

  it('tells state and exit over the connection, then ends after quit', async () => {
    await using session = await openSession(program([streams, 'exit', '7']));
    await ended(session.supervisor);
    expect(session.supervisor.exit).toEqual({ kind: 'exited', code: 7 });
    const closed = new Promise<void>((resolve) => session.supervisor.onClosed(resolve));
    await session.supervisor.quit();
    await closed;
    await expect(session.supervisor.clock()).rejects.toMatchObject({ code: 'SUPERVISOR_LOST' });
  });

  it('is no loss of the supervisor, whatever its program was still to be told', async () => {
    const spec = program([streams, 'exit', '7'], { stdin: 'open', stopAtExec: true });
    await using session = await openSession(spec);
    const { supervisor } = session;
    await supervisor.resume();
    await ended(supervisor);
    await supervisor.quit();
    await supervisor.resume();
    await supervisor.resumed();
    await supervisor.askAboutExecs(true);
    await supervisor.scan();
    await supervisor.quit();
    await expect(supervisor.signal('SIGTERM', { group: true })).rejects.toMatchObject({
      code: 'SESSION_ENDED',
    });
    await expect(supervisor.input(Buffer.from('x'))).rejects.toMatchObject({
      code: 'STDIN_CLOSED',
    });
    expect(supervisor.exit).toEqual({ kind: 'exited', code: 7 });
  });

  it('reaps a daemonised grandchild and ends only after it', async () => {
    await using session = await openSession(program([streams, 'orphan'], { stdin: 'open' }));
    await session.until(
      () => session.exit() !== null && session.text('stdout').includes('grandchild'),
    );
    // The log and the state come over two ways; neither is first.
    await vi.waitFor(() => expect(session.supervisor.state).toBe('exited'), { timeout: 60_000 });
    const grandchild = Number(session.text('stdout').split(' ')[1]);
    expect(isAlive(grandchild)).toBe(true);
    await session.supervisor.inputEof();
    const records = await session.end();
    expect(records).toContainEqual(
      expect.objectContaining({
        kind: 'exited',
        pid: grandchild,
        exit: { kind: 'exited', code: 42 },
      }),
    );
  });

  it('[stop.tree] stops the whole tree, with a grandchild that left the group', async () => {
    await using session = await openSession(program([streams, 'orphan'], { stdin: 'open' }));
    await session.until(() => session.text('stdout').includes('grandchild'));
    await session.supervisor.signal('SIGTERM', { group: true });
    await session.end();
    await expect(session.supervisor.signal('SIGTERM', { group: true })).rejects.toMatchObject({
      code: 'SESSION_ENDED',
    });
  });

  it('stops a tree that keeps forking', async () => {
    await using session = await openSession(
      shell('for i in 1 2 3; do (while :; do sleep 100 & sleep 0.01; done) & done; echo up; wait'),
    );
    await session.until(() => session.text('stdout').includes('up'));
    await session.supervisor.signal('SIGKILL', { group: true });
    await session.end();
    expect(session.exit()).toMatchObject({ signal: 'SIGKILL' });
  });

  it('signals only the target when asked so', async () => {
    await using session = await openSession(
      shell('trap "echo got; exit 3" USR1; (echo up; exec sleep 600) & wait'),
    );
    await session.until(() => session.text('stdout').includes('up'));
    await session.supervisor.signal('SIGUSR1', { group: false });
    await session.until(() => session.exit() !== null);
    expect(session.text('stdout')).toContain('got');
    expect(session.exit()).toEqual({ kind: 'exited', code: 3 });
    await expect(session.supervisor.signal('SIGUSR1', { group: false })).rejects.toMatchObject({
      code: 'SESSION_ENDED',
    });
  });

  it('does not know a signal of that name', async () => {
    await using session = await openSession(program([streams, 'closes']));
    await expect(session.supervisor.signal('SIGNOPE', { group: false })).rejects.toMatchObject({
      code: 'BAD_PARAMETER',
    });
  });
});

itNeeds(
  'processNamespaces',
  '[exit.status] a process whose number another had whose exit was told ends with its own',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sk-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const supervisorPath = join(folder, 'supervisor.sh');
    const apart = buildTarget('supervisor/apart.c');
    writeFileSync(supervisorPath, `#!/bin/sh\nexec ${apart} ${installPaths().supervisor} "$@"\n`, {
      mode: 0o700,
    });
    const spec = program([buildTarget('supervisor/reused.c')], { stdin: 'open', follow: true });
    const supervisor = await Supervisor.start({ supervisorPath, sessionDir: folder, spec });
    using log = OutputLogReader.open(supervisor.logPath, monotonicNs());
    const exits: { readonly pid: number; readonly code: number | null }[] = [];
    const told = async (count: number): Promise<void> => {
      await until('the exits are told', () => {
        for (const one of log.read())
          if (one.kind === 'exited')
            exits.push({ pid: one.pid, code: one.exit.kind === 'exited' ? one.exit.code : null });
        return exits.length >= count;
      });
    };
    await told(1);
    await supervisor.input(Buffer.from('\n'));
    await told(2);
    await supervisor.input(Buffer.from('\n'));
    await told(3);
    expect(exits.map(({ code }) => code)).toEqual([4, 0, 7]);
    expect(exits[2]?.pid).toBe(exits[0]?.pid);
    await supervisor.quit();
    supervisor.close();
  },
);
