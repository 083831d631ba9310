import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { AskedExec, HeldExec } from '../../../src/collector/supervisor/supervisorLink.ts';
import { processesWith, until } from '../../support/processes.ts';
import { openSession, shell, type SupervisorSession } from './supervisorSession.ts';

const pathOnly = { PATH: process.env['PATH'] ?? '' };

function nextExec(session: SupervisorSession, program: string): Promise<AskedExec> {
  return new Promise((resolve) => {
    session.supervisor.onExec((asked) => {
      if (asked.path.endsWith(program)) resolve(asked);
      else void session.supervisor.decide(asked.number, 'go');
    });
  });
}

function nextHeld(session: SupervisorSession): Promise<HeldExec> {
  return new Promise((resolve) => void session.supervisor.onHeld(resolve));
}

function stateOf(pid: number): string {
  return /^State:\t(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
}

it('tells each program of the tree with its arguments and the true end of each process', async () => {
  await using session = await openSession(
    shell('env true; sh -c "exit 7" & wait $!; sh -c "kill -SEGV \\$\\$"; exit 3', {
      follow: true,
    }),
  );
  const all = await session.end();
  const execs = all.flatMap((one) => (one.kind === 'exec' ? [one] : []));
  expect(execs.map((one) => one.argv)).toEqual([
    ['env', 'true'],
    ['true'],
    ['sh', '-c', 'exit 7'],
    ['sh', '-c', 'kill -SEGV $$'],
  ]);
  expect(execs[0]?.pid).toBe(execs[1]?.pid);
  expect(execs[0]?.path).toMatch(/^\/.*\/(env|coreutils)$/);
  const main = session.supervisor.started.pid;
  expect(new Set(execs.map((one) => one.parent))).toEqual(new Set([main]));
  const exits = all.flatMap((one) => (one.kind === 'exited' ? [one] : []));
  expect(
    exits.map(({ exit }) =>
      exit.kind === 'exited' ? exit.code : exit.kind === 'signalled' && exit.signal,
    ),
  ).toEqual([0, 7, 'SIGSEGV', 3]);
});

it('holds a program before its first instruction until it is resumed', async () => {
  await using session = await openSession(
    shell('read go; env echo one; echo "status $?"', { follow: true, stdin: 'open' }),
  );
  const { supervisor } = session;
  await supervisor.askAboutExecs(true);
  const asking = nextExec(session, 'env');
  const telling = nextHeld(session);
  await supervisor.input(Buffer.from('\n'));
  const asked = await asking;
  await supervisor.decide(asked.number, 'hold');
  const held = await telling;
  expect(held).toMatchObject({ number: asked.number, pid: asked.pid, errno: 0 });
  const low = Array.from({ length: 29 }, (_, index) => String(index + 3));
  expect(readdirSync(`/proc/${held.pid}/fd`).toSorted((a, b) => Number(a) - Number(b))).toEqual([
    '0',
    '1',
    '2',
    ...low,
  ]);
  expect(stateOf(held.pid)).toBe('S');
  expect(readFileSync(`/proc/${held.pid}/cmdline`, 'latin1')).toBe('env\0echo\0one\0');
  expect(session.text('stdout')).toBe('');
  await supervisor.resume(held.pid);
  await session.end();
  expect(session.text('stdout')).toBe('one\nstatus 0\n');
});

it('[children.standby] lets what waits and what is held go on when the daemon goes', async () => {
  await using session = await openSession(
    shell('read go; env echo asked; env echo held', { follow: true, stdin: 'open' }),
  );
  await session.supervisor.askAboutExecs(true);
  const asking = nextExec(session, 'env');
  await session.supervisor.input(Buffer.from('\n'));
  await asking;
  const again = session.readopt();
  await session.until(() => session.text('stdout') === 'asked\nheld\n');
  await again;
  await session.end();
});

it('[children.standby] goes on without its supervisor: what waits, what is held, and every later exec', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sf-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await using session = await openSession(
    shell(
      'read go; env touch a & read more; env touch b & wait; yes | head -c 1000000; env touch c',
      { follow: true, stdin: 'open', cwd: folder, env: { ...pathOnly, MARK: folder } },
    ),
  );
  const { supervisor } = session;
  await supervisor.askAboutExecs(true);
  const first = nextExec(session, 'env');
  const telling = nextHeld(session);
  await supervisor.input(Buffer.from('\n'));
  await supervisor.decide((await first).number, 'hold');
  expect((await telling).errno).toBe(0);
  const second = nextExec(session, 'env');
  await supervisor.input(Buffer.from('\n'));
  await second;
  process.kill(supervisor.supervisorPid, 'SIGKILL');
  supervisor.close(); // no daemon goes on either
  await until('all three were run', () =>
    ['a', 'b', 'c'].every((name) => existsSync(join(folder, name))),
  );
  await until('nothing is left', () => processesWith(`MARK=${folder}`).length === 0);
});
