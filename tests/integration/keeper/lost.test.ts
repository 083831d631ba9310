import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Keeper } from '../../../src/collector/supervisor/supervisorClient.ts';
import { livesOn, stopLeftOver } from '../../../src/daemon/session/leftOver.ts';
import { isAlive, until } from '../../support/processes.ts';
import { refusal } from '../../support/refusal.ts';
import { ended, openSession, program, shell } from './keeperSession.ts';

/** Without its hint. */
async function refused(work: Promise<unknown>): Promise<string> {
  const [said = ''] = (await refusal(work)).split(/\s*Next: /);
  return said;
}

describe('[session.keeper-lost] a keeper that is lost', () => {
  it('is told with its end, that of its guard, and its last words', async () => {
    await using session = await openSession(shell('read x', { stdin: 'open' }));
    const { keeperPid: first } = session.keeper;
    process.kill(first, 'SIGKILL');
    await session.keeper.clock();
    const { keeperPid: heir } = session.keeper;
    process.kill(heir, 'SIGKILL');
    const how = `Keeper ${heir} is gone. Guard ${heir} was ended by SIGKILL. Keeper ${first} was ended by signal 9.`;
    const said = await refused(session.keeper.clock());
    expect(said).toMatch(/^KEEPER_LOST: The connection to the keeper ended( \(\w+\))?\. Keeper /);
    expect(said.endsWith(how)).toBe(true);
    expect(session.keeper.end).toBe(how);
    expect(await refused(Keeper.adopt(session.sessionDir))).toBe(
      `KEEPER_LOST: The connection to the keeper ended (ECONNREFUSED). Keeper ${first} was ended by signal 9.`,
    );
  });

  it('says so when it lives, and why it let go', async () => {
    await using session = await openSession(shell('read x', { stdin: 'open' }));
    const { keeperPid } = session.keeper;
    const other = connect(join(session.sessionDir, 'keeper.sock'));
    onTestFinished(() => void other.destroy());
    const gone = new Promise<void>((resolve) => other.once('close', () => resolve()));
    other.resume();
    other.write(Buffer.alloc(5, 0xff));
    await gone;
    expect(await refused(session.keeper.clock())).toMatch(
      new RegExp(
        `Keeper ${keeperPid} lives\\. Guard \\d+ lives\\. A daemon was let go: another connected\\. A daemon was let go: it sent a frame of 4294967295 bytes\\.$`,
      ),
    );
    await session.readopt();
    await session.keeper.inputEof();
    await session.end();
  });

  it('is told with its status when it started nothing', async () => {
    const sessionDir = mkdtempSync(join(tmpdir(), 'sk-'));
    onTestFinished(() => rmSync(sessionDir, { recursive: true }));
    const start = { sessionDir, keeperPath: '/bin/false', spec: shell('true') };
    expect(await refused(Keeper.start(start))).toMatch(
      /^KEEPER_LOST: The keeper ended before it started the program\. Guard \d+ ended with status 1\.$/,
    );
  });

  it('is not taken for one that does not answer', async () => {
    await using session = await openSession(program(['/bin/sleep', '60']));
    const { keeper, sessionDir } = session;
    keeper.close();
    process.kill(keeper.keeperPid, 'SIGSTOP');
    try {
      const [said, lives, stopped] = await Promise.all([
        refused(Keeper.adopt(sessionDir)),
        livesOn(sessionDir),
        refused(stopLeftOver(sessionDir, 0)),
      ]);
      const late = 'TIMED_OUT: The keeper did not say hello within 5000 ms.';
      expect([said, lives, stopped]).toEqual([late, true, late]);
      expect(isAlive(keeper.started.pid)).toBe(true);
    } finally {
      process.kill(keeper.keeperPid, 'SIGCONT');
    }
    await session.readopt();
  });

  it('leaves no words behind when all went well', async () => {
    await using session = await openSession(shell('true'));
    const words = join(session.sessionDir, 'keeper.err');
    expect(existsSync(words)).toBe(true);
    await ended(session.keeper);
    await session.keeper.quit();
    await until('it is gone', () => !isAlive(session.keeper.keeperPid));
    expect(existsSync(words)).toBe(false);
  });
});
