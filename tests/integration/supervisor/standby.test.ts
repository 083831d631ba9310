import { mkdtempSync, readFileSync, existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installPaths } from '../../../src/base/installPaths.ts';
import { startSupervisorProcess } from '../../../src/collector/supervisor/startSupervisor.ts';
import { Supervisor } from '../../../src/collector/supervisor/supervisorClient.ts';
import type { AskedExec } from '../../../src/collector/supervisor/supervisorLink.ts';
import type { LogRecord } from '../../../src/model/outputRecord.ts';
import { isAlive, processesWith, until } from '../../support/processes.ts';
import { buildTarget } from '../../support/targets.ts';
import { ended, openSession, program, shell, type SupervisorSession } from './supervisorSession.ts';

const streams = buildTarget('supervisor/streams.c');

function kill(session: SupervisorSession): number {
  const { supervisorPid } = session.supervisor;
  process.kill(supervisorPid, 'SIGKILL');
  return supervisorPid;
}

function failovers(records: readonly LogRecord[]): number[] {
  return records.flatMap((one) => (one.kind === 'failover' ? [one.pid] : []));
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sh-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('a supervisor that is killed', () => {
  for (const share of [0.1, 0.4, 0.7])
    it(`[session.supervisor-killed] loses no byte of a flood, at ${share} of it`, async () => {
      const lines = 500_000;
      await using session = await openSession(
        shell(`${streams} flood ${lines}; read x; exit 5`, { stdin: 'open' }),
      );
      await session.until(() => session.supervisor.logSize > share * lines * 20);
      kill(session);
      await session.supervisor.inputEof();
      await session.end();
      const bytes = session.bytes('stdout');
      expect(bytes.length).toBe(lines * 20);
      for (let i = 0; i < lines; i += 997) {
        expect(bytes.toString('latin1', i * 20, i * 20 + 20)).toBe(
          `line ${String(i).padStart(14, '0')}\n`,
        );
      }
      expect(failovers(session.records)).toEqual([session.supervisor.supervisorPid]);
      expect(session.exit()).toEqual({ kind: 'exited', code: 5 });
      expect(session.records.some((one) => one.kind === 'lost')).toBe(false);
    });

  it('[session.supervisor-killed] is taken over also by who connects just then', async () => {
    const { supervisor: path } = installPaths();
    for (let round = 0; round < 40; round++) {
      const folder = temporaryFolder();
      const spec = shell('read x; exit 3', { stdin: 'open' });
      const { answer } = await startSupervisorProcess(path, folder, spec);
      const adopting = Supervisor.adopt(folder);
      // The connection is made in this time, and answered in the next.
      for (let turn = 0; turn < round % 8; turn++) await new Promise(setImmediate);
      process.kill(answer.supervisorPid, 'SIGKILL');
      await using adopted = await adopting;
      await adopted.inputEof();
      await ended(adopted);
      expect(adopted.exit).toEqual({ kind: 'exited', code: 3 });
    }
  });

  it('[session.supervisor-killed] leaves stdin open, and the same hold on the target', async () => {
    await using session = await openSession(
      shell('read a; echo got $a; read b; echo got $b; cat; kill -9 $$', { stdin: 'open' }),
    );
    await session.supervisor.input(Buffer.from('one\n'));
    await session.until(() => session.text('stdout') === 'got one\n');
    const killed = kill(session);
    await session.until((all) => failovers(all).length > 0);
    await session.supervisor.scan(); // the connection goes on, too
    await session.supervisor.input(Buffer.from('two\n'));
    await session.until(() => session.text('stdout') === 'got one\ngot two\n');
    expect(session.supervisor.supervisorPid).not.toBe(killed);
    expect(session.supervisor.state).toBe('running');
    await session.supervisor.inputEof();
    await session.end();
    expect(session.exit()).toMatchObject({ kind: 'signalled', signal: 'SIGKILL' });
  });

  it('[session.supervisor-killed] does not hold stdin open that was closed', async () => {
    await using session = await openSession(
      shell('echo up; cat; echo closed; read x; exit 4', { stdin: 'open' }),
    );
    await session.until(() => session.text('stdout') === 'up\n');
    await session.supervisor.inputEof();
    await session.end();
    expect(session.text('stdout')).toBe('up\nclosed\n');
  });

  it('[session.supervisor-killed] is not missed at a terminal', async () => {
    await using session = await openSession(
      shell('trap "echo int; exit 6" INT; read a; stty size; read b', {
        stdin: 'open',
        stdio: { columns: 91, rows: 17 },
      }),
    );
    kill(session);
    await session.until((all) => failovers(all).length > 0);
    await session.supervisor.scan(); // the connection goes on, too
    await session.supervisor.input(Buffer.from('x\n'));
    await session.until(() => session.text('stdout').includes('17 91'));
    await session.supervisor.input(Buffer.from('\x03'));
    await session.end();
    expect(session.text('stdout')).toContain('int');
    expect(session.exit()).toEqual({ kind: 'exited', code: 6 });
  });

  it('[session.supervisor-killed] true ends of the tree are told, also of a grandchild it had seen', async () => {
    await using session = await openSession(
      shell(
        // What runs in the background has no standard input.
        'exec 3<&0; (sleep 0; sh -c "read x <&3; exit 21") & sh -c "read y; exit 22"; echo $?; wait; exit 23',
        { follow: true, stdin: 'open' },
      ),
    );
    await session.until((all) => all.filter((one) => one.kind === 'exec').length >= 3);
    kill(session);
    await session.until((all) => failovers(all).length > 0);
    await session.supervisor.inputEof();
    const all = await session.end();
    const codes = all.flatMap((one) =>
      one.kind === 'exited' && one.exit.kind === 'exited' ? [one.exit.code] : [],
    );
    expect(codes).toEqual(expect.arrayContaining([21, 22, 23]));
    expect(session.exit()).toEqual({ kind: 'exited', code: 23 });
  });

  it('[session.supervisor-killed] the tree is ended by one word to its standby, daemons included', async () => {
    await using session = await openSession(
      program([streams, 'orphan'], { stdin: 'open', env: { MARK: 'x' } }),
    );
    await session.until(() => session.text('stdout').startsWith('grandchild'));
    const grandchild = Number(/\d+/.exec(session.text('stdout'))?.[0]);
    kill(session);
    await session.until((all) => failovers(all).length > 0);
    expect(isAlive(grandchild)).toBe(true);
    await session.supervisor.signal('SIGTERM', { group: true });
    const all = await session.end();
    const exits = all
      .filter((one) => one.kind === 'exited')
      .map(({ pid, exit }) => ({ pid, exit }));
    const signalled = { kind: 'signalled', signal: 'SIGTERM', number: 15, coreDumped: false };
    expect(exits).toContainEqual({ pid: grandchild, exit: signalled });
  });

  it('[session.supervisor-killed] is not missed after detach: what is written is read away', async () => {
    const folder = temporaryFolder();
    await using session = await openSession(
      shell(`read go; ${streams} flood 200000; echo $? > ${folder}/status`, {
        stdin: 'open',
        env: { PATH: process.env['PATH'] ?? '', MARK: folder },
      }),
    );
    await session.supervisor.forget();
    await session.supervisor.quit();
    kill(session);
    await session.supervisor.scan(); // the connection goes on, too
    await session.supervisor.input(Buffer.from('\n'));
    await until('the program has ended', () => existsSync(`${folder}/status`));
    expect(readFileSync(`${folder}/status`, 'utf8')).toBe('0\n');
    await session.end();
    expect(session.bytes('stdout')).toHaveLength(0);
    await until('nothing is left', () => processesWith(`MARK=${folder}`).length === 0);
  });

  it('[session.supervisor-killed] without a daemon the next one finds output and status', async () => {
    await using session = await openSession(
      shell('read go; echo after; exit 9', { stdin: 'open' }),
    );
    const { supervisorPid } = session.supervisor;
    session.supervisor.close();
    process.kill(supervisorPid, 'SIGKILL');
    await until('the supervisor is gone', () => !isAlive(supervisorPid));
    await session.readopt();
    await session.supervisor.input(Buffer.from('\n'));
    await session.end();
    expect(session.text('stdout')).toBe('after\n');
    await session.readopt();
    expect(session.supervisor.exit).toEqual({ kind: 'exited', code: 9 });
  });

  it('[session.supervisor-killed] a target at its first exec still waits to be resumed', async () => {
    await using session = await openSession(shell('echo ran; exit 2', { stopAtExec: true }));
    kill(session);
    await session.supervisor.resume();
    await session.end();
    expect(session.text('stdout')).toBe('ran\n');
    expect(session.exit()).toEqual({ kind: 'exited', code: 2 });
  });

  it('[session.supervisor-killed] execs are asked about again', async () => {
    await using session = await openSession(
      shell('read go; env echo asked', { follow: true, stdin: 'open' }),
    );
    await session.supervisor.askAboutExecs(true);
    kill(session);
    await session.until((all) => failovers(all).length > 0);
    const asking = new Promise<AskedExec>((resolve) => void session.supervisor.onExec(resolve));
    await session.supervisor.scan();
    await session.supervisor.input(Buffer.from('\n'));
    const asked = await asking;
    expect(asked.argv).toEqual(['env', 'echo', 'asked']);
    await session.supervisor.askAboutExecs(false);
    await session.end();
    expect(session.text('stdout')).toBe('asked\n');
  });

  it('[session.supervisor-lost] with its standby is gone', async () => {
    await using session = await openSession(shell('read x', { stdin: 'open' }));
    const gone = new Promise<void>((resolve) => void session.supervisor.onClosed(resolve));
    kill(session);
    await session.until((all) => failovers(all).length > 0);
    await session.supervisor.scan();
    kill(session);
    await gone;
    await expect(session.supervisor.scan()).rejects.toMatchObject({ code: 'SUPERVISOR_LOST' });
  });
});

describe('a standby that is killed', () => {
  it('is not missed', async () => {
    const folder = temporaryFolder();
    await using session = await openSession(
      shell('read go; env echo on; exit 3', {
        follow: true,
        stdin: 'open',
        env: { PATH: process.env['PATH'] ?? '', MARK: folder },
      }),
    );
    const parent = /^PPid:\t(\d+)/m.exec(
      readFileSync(`/proc/${session.supervisor.supervisorPid}/status`, 'utf8'),
    )?.[1];
    process.kill(Number(parent), 'SIGKILL');
    await until('the standby is gone', () => !isAlive(Number(parent)));
    await session.supervisor.input(Buffer.from('\n'));
    await session.end();
    expect(session.text('stdout')).toBe('on\n');
    expect(session.exit()).toEqual({ kind: 'exited', code: 3 });
    await using again = await Supervisor.adopt(session.sessionDir);
    await ended(again);
    await again.quit();
  });
});
