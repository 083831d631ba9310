import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlive, until } from '../../support/processes.ts';
import { refusal } from '../../support/refusal.ts';
import { buildTarget } from '../../support/targets.ts';
import { openSession, program, shell } from './supervisorSession.ts';

const streams = buildTarget('supervisor/streams.c');
const folder = mkdtempSync(join(tmpdir(), 'sl-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('launch', () => {
  it.each([true, false])(
    '[launch.env] gives arguments, environment, folder and umask (stop at exec: %s)',
    async (stopAtExec) => {
      const env = { PATH: '/usr/bin:/bin', GREETING: 'grüß dich', EMPTY: '' };
      await using session = await openSession(
        shell('pwd; printf "%s|%s|%s\\n" "$GREETING" "${EMPTY-unset}" "$0"; umask; env | wc -l', {
          env,
          cwd: folder,
          umask: 0o027,
          stopAtExec,
        }),
      );
      if (stopAtExec) await session.supervisor.resume();
      await session.end();
      expect(session.text('stdout').split('\n').slice(0, 3)).toEqual([
        folder,
        'grüß dich||sh',
        '0027',
      ]);
    },
  );

  it('holds the program before its first instruction until resumed', async () => {
    await using session = await openSession(program([streams, 'exit', '6'], { stopAtExec: true }));
    expect(session.supervisor.state).toBe('stopped');
    await session.supervisor.clock();
    expect(session.exit()).toBeNull();
    await session.supervisor.resume();
    await session.end();
    expect(session.exit()).toEqual({ kind: 'exited', code: 6 });
  });

  it('lets a held program go when nobody claims it', async () => {
    await using session = await openSession(
      program([streams, 'exit', '6'], { stopAtExec: true, releaseMs: 150 }),
    );
    expect(session.supervisor.state).toBe('stopped');
    session.supervisor.close();
    await until('the program ran', () => !isAlive(session.supervisor.started.pid));
    await session.readopt();
    await session.end();
    expect(session.exit()).toEqual({ kind: 'exited', code: 6 });
  });

  it('[launch.env] runs a script through its #! line', async () => {
    const script = join(folder, 'script');
    writeFileSync(script, '#!/bin/sh -e\necho "$0 $1"\nfalse\necho never\n');
    chmodSync(script, 0o755);
    await using session = await openSession(program([script, 'one'], { stopAtExec: true }));
    await session.supervisor.resume();
    await session.end();
    expect(session.text('stdout')).toBe(`${script} one\n`);
    expect(session.exit()).toEqual({ kind: 'exited', code: 1 });
  });

  it('gives the program default signals and no descriptor but 0 to 2', async () => {
    await using session = await openSession(
      shell(
        'ls /proc/self/fd | wc -l; grep SigIgn /proc/self/status; grep SigBlk /proc/self/status',
      ),
    );
    await session.end();
    const [count, ignored, blocked] = session.text('stdout').split('\n');
    expect(count).toBe('4'); // ls itself opens the folder
    expect(ignored).toMatch(/\t0+$/);
    expect(blocked).toMatch(/\t0+$/);
  });

  it.each([
    ['a missing program', program(['/nonexistent/program']), 'EXEC_FAILED', 'ENOENT'],
    ['a folder', program([folder]), 'EXEC_FAILED', 'EACCES'],
    ['a missing folder', shell('true', { cwd: '/nonexistent' }), 'NO_SUCH_DIRECTORY', 'ENOENT'],
    ['a NUL in an argument', shell('a\0b'), 'BAD_PARAMETER', 'NUL'],
  ])('refuses %s with the reason', async (_what, spec, code, reason) => {
    for (const stopAtExec of [true, false]) {
      const said = await refusal(openSession({ ...spec, stopAtExec }));
      expect(said.startsWith(`${code}: `)).toBe(true);
      expect(said).toContain(reason);
    }
  });
});
