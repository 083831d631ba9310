import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Supervisor } from '../../../src/collector/supervisor/supervisorClient.ts';
import { livesOn, stopLeftOver } from '../../../src/daemon/session/leftOver.ts';
import { processFacts } from '../../../src/base/proc.ts';
import { isAlive, until } from '../../support/processes.ts';
import { refusal } from '../../support/refusal.ts';
import { ended, openSession, program, shell } from './supervisorSession.ts';

/** Without its hint. */
async function refused(work: Promise<unknown>): Promise<string> {
  const [said = ''] = (await refusal(work)).split(/\s*Next: /);
  return said;
}

describe('[session.supervisor-lost] a supervisor that is lost', () => {
  it('is told with its end, that of its standby, and its last words', async () => {
    await using session = await openSession(shell('read x', { stdin: 'open' }));
    const { supervisorPid: first } = session.supervisor;
    process.kill(first, 'SIGKILL');
    await session.supervisor.clock();
    const { supervisorPid: successor } = session.supervisor;
    process.kill(successor, 'SIGKILL');
    const how = `Supervisor ${successor} is gone. Standby ${successor} was ended by SIGKILL. Supervisor ${first} was ended by signal 9.`;
    const said = await refused(session.supervisor.clock());
    expect(said).toMatch(
      /^SUPERVISOR_LOST: The connection to the supervisor ended( \(\w+\))?\. Supervisor /,
    );
    expect(said.endsWith(how)).toBe(true);
    expect(session.supervisor.end).toBe(how);
    expect(await refused(Supervisor.adopt(session.sessionDir))).toBe(
      `SUPERVISOR_LOST: The connection to the supervisor ended (ECONNREFUSED). Supervisor ${first} was ended by signal 9.`,
    );
  });

  it('is connected to again when it lives and let go', async () => {
    await using session = await openSession(shell('read x', { stdin: 'open' }));
    const { supervisorPid } = session.supervisor;
    const other = connect(join(session.sessionDir, 'supervisor.sock'));
    onTestFinished(() => void other.destroy());
    const gone = new Promise<void>((resolve) => other.once('close', () => resolve()));
    other.resume();
    other.write(Buffer.alloc(5, 0xff));
    await gone;
    await session.supervisor.clock();
    expect(session.supervisor.supervisorPid).toBe(supervisorPid);
    await session.supervisor.inputEof();
    await session.end();
    expect(readFileSync(join(session.sessionDir, 'supervisor.err'), 'utf8')).toMatch(
      /A daemon was let go: another connected\.\nA daemon was let go: it sent a frame of 4294967295 bytes\.\n/,
    );
  });

  it('is told with its status when it started nothing', async () => {
    const sessionDir = mkdtempSync(join(tmpdir(), 'sk-'));
    onTestFinished(() => rmSync(sessionDir, { recursive: true }));
    const start = { sessionDir, supervisorPath: '/bin/false', spec: shell('true') };
    expect(await refused(Supervisor.start(start))).toMatch(
      /^SUPERVISOR_LOST: The supervisor ended before it started the program\. Standby \d+ ended with status 1\.$/,
    );
  });

  it('is not taken for one that does not answer', async () => {
    await using session = await openSession(program(['/bin/sleep', '60']));
    const { supervisor, sessionDir } = session;
    supervisor.close();
    process.kill(supervisor.supervisorPid, 'SIGSTOP');
    try {
      const [said, lives, stopped] = await Promise.all([
        refused(Supervisor.adopt(sessionDir)),
        livesOn(sessionDir),
        refused(stopLeftOver(sessionDir, 0)),
      ]);
      const late = 'TIMED_OUT: The supervisor did not say hello within 5000 ms.';
      expect([said, lives, stopped]).toEqual([late, true, late]);
      expect(isAlive(supervisor.started.pid)).toBe(true);
    } finally {
      process.kill(supervisor.supervisorPid, 'SIGCONT');
    }
    await session.readopt();
  });

  it('[session.supervisor-silent] is waited for, also when its standby is the one that is silent', async () => {
    await using session = await openSession(shell('read x; exit 5', { stdin: 'open' }));
    const { supervisor } = session;
    const standby = processFacts(supervisor.supervisorPid)?.parent ?? 0;
    expect(readFileSync(`/proc/${standby}/comm`, 'latin1')).toBe('strobe-standby\n');
    process.kill(standby, 'SIGSTOP');
    try {
      process.kill(supervisor.supervisorPid, 'SIGKILL');
      expect(await refused(supervisor.clock())).toMatch(
        /^TIMED_OUT: The supervisor did not answer/,
      );
      expect([supervisor.isSilent, supervisor.end]).toEqual([true, '']);
    } finally {
      process.kill(standby, 'SIGCONT');
    }
    await supervisor.reached();
    expect(supervisor.supervisorPid).toBe(standby);
    await supervisor.inputEof();
    await session.end();
    expect(session.exit()).toMatchObject({ kind: 'exited', code: 5 });
    expect(supervisor.isSilent).toBe(false);
  });

  it('leaves no words behind when all went well', async () => {
    await using session = await openSession(shell('true'));
    const words = join(session.sessionDir, 'supervisor.err');
    expect(existsSync(words)).toBe(true);
    await ended(session.supervisor);
    await session.supervisor.quit();
    await until('it is gone', () => !isAlive(session.supervisor.supervisorPid));
    expect(existsSync(words)).toBe(false);
  });
});
