import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installPaths } from '../../../src/base/installPaths.ts';
import type { AskedExec, HeldExec } from '../../../src/collector/supervisor/supervisorLink.ts';
import { itNeeds } from '../../support/needs.ts';
import { buildTarget } from '../../support/targets.ts';
import { openSession, program, shell, type SupervisorSession } from './supervisorSession.ts';

const parent = buildTarget('supervisor/parent.c');
const alarmed = buildTarget('supervisor/alarmed.c');
const { supervisor: supervisorPath } = installPaths();
const olderKernel = buildTarget('supervisor/noKillable.c', [`-DPROGRAM="${supervisorPath}"`]);

/** Asks about what is executed, and waits for the next program of a name; others go on. */
async function nextExec(session: SupervisorSession, name: string): Promise<AskedExec> {
  const { supervisor } = session;
  return await new Promise((resolve) => {
    supervisor.onExec((asked) => {
      if (asked.path.endsWith(name)) resolve(asked);
      else void supervisor.decide(asked.number, 'go');
    });
  });
}

async function begin(session: SupervisorSession, name: string): Promise<AskedExec> {
  await session.supervisor.askAboutExecs(true);
  const next = nextExec(session, name);
  await session.supervisor.input(Buffer.from('\n'));
  return await next;
}

async function hold(session: SupervisorSession, asked: AskedExec): Promise<HeldExec> {
  const told = new Promise<HeldExec>((resolve) => void session.supervisor.onHeld(resolve));
  await session.supervisor.decide(asked.number, 'hold');
  const held = await told;
  expect(held).toEqual({ number: asked.number, pid: asked.pid, errno: 0 });
  return held;
}

function pathsOf(session: SupervisorSession): string[] {
  return session.records.flatMap((one) => (one.kind === 'exec' ? [one.path] : []));
}

function temporaryFolder(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'sh-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

const followed = { follow: true, stdin: 'open' } as const;

/** Its scheduling policy: 0 the usual one, 1 SCHED_FIFO (sched(7); field 41 of proc_pid_stat(5)). */
function policyOf(pid: number): number {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]);
}

describe.each([
  ['', supervisorPath],
  [', before Linux 5.19', olderKernel],
])('a program that is held%s', (_, path) => {
  it('[children.unseen] sends its parent nothing', async () => {
    await using session = await openSession(program([parent, '/bin/false'], followed), path);
    const held = await hold(session, await begin(session, 'false'));
    await session.supervisor.resume(held.pid);
    await session.end();
    expect(session.text('stdout')).toBe('exited 1 stopped 0 continued 0\n');
    expect(session.exit()).toEqual({ kind: 'exited', code: 1 });
  });

  it.each(['go', 'hold'] as const)(
    '[children.signals] is ended by no alarm, nor its exec, as long as it is (%s)',
    async (decision) => {
      await using session = await openSession(program([alarmed, '/bin/true'], followed), path);
      const asked = await begin(session, 'true');
      if (decision === 'hold') await hold(session, asked);
      await session.until(() => session.text('stdout').includes('expired\n'));
      if (decision === 'hold') await session.supervisor.resume(asked.pid);
      else await session.supervisor.decide(asked.number, 'go');
      await session.end();
      expect(session.text('stdout')).toBe('expired\nstatus 0\n');
    },
  );

  it('[children.signals] is seen before anything computes, where that is allowed', async () => {
    await using session = await openSession(program([alarmed, '/bin/true'], followed), path);
    const { status } = spawnSync('chrt', ['--fifo', '1', 'true']);
    const asked = await begin(session, 'true');
    expect(policyOf(session.supervisor.supervisorPid)).toBe(status === 0 ? 1 : 0);
    expect(policyOf(asked.pid)).toBe(0);
    await session.supervisor.decide(asked.number, 'go');
    await session.end();
    expect(session.text('stdout')).toBe('expired\nstatus 0\n');
  });

  it('[children.descriptors] has its own numbers when nobody enters it', async () => {
    const spec = shell('read go; ls /proc/self/fd; exec 7</etc/passwd; ls /proc/self/fd', followed);
    await using session = await openSession({ ...spec, stopAtExec: true }, path);
    await session.supervisor.resume();
    const first = await begin(session, 'ls');
    await hold(session, first);
    const second = nextExec(session, 'ls');
    await session.supervisor.resume(first.pid);
    await session.supervisor.decide((await second).number, 'go');
    await session.end();
    expect(session.text('stdout').split('\n')).toEqual(
      ['0 1 2 3', '0 1 2 3 7', ''].flatMap((numbers) => numbers.split(' ')),
    );
  });

  it('[children.failed] is none when its exec fails', async () => {
    // No argument may be so long, which the kernel finds out late.
    await using session = await openSession(
      shell('read go; env nice $(printf %0131072d 0); echo "status $?"; exec env true', followed),
      path,
    );
    const asked = await begin(session, 'env');
    await session.supervisor.decide(asked.number, 'go');
    await session.end();
    expect(session.text('stdout')).toBe('status 126\n');
    expect(pathsOf(session).map((name) => basename(name))).toEqual(['env', 'true']);
  });
});

it('[launch.static] what cannot be parked runs at once, and is not held', async () => {
  const crowded = filledLeaf();
  await using launched = await openSession(program([crowded, '4'], { stopAtExec: true }));
  await launched.end();
  expect(launched.exit()).toEqual({ kind: 'exited', code: 4 });
  await using session = await openSession(shell(`read go; ${crowded} 5`, followed));
  const asked = await begin(session, 'crowdedLeaf');
  const told = new Promise<HeldExec>((resolve) => void session.supervisor.onHeld(resolve));
  await session.supervisor.decide(asked.number, 'hold');
  expect(await told).toMatchObject({ pid: asked.pid, errno: constants.errno.ENOEXEC });
  await session.end();
  expect(session.exit()).toEqual({ kind: 'exited', code: 5 });
});

it('[children.failed] reports no program for a script without its interpreter', async () => {
  const folder = temporaryFolder();
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  fs.writeFileSync(first, '#!/nonexistent/interpreter\n', { mode: 0o755 });
  fs.writeFileSync(second, `#!${first}\n`, { mode: 0o755 });
  await using session = await openSession(shell(`${first}; ${second}; env true`, { follow: true }));
  await session.end();
  expect(pathsOf(session).map((path) => basename(path))).toEqual(['env', 'true']);
});

describe('[children.named] a program is found as the one who executes it finds it', () => {
  it.each(['/proc/self/exe', '/proc/thread-self/exe', '/proc/self/root/proc/self/exe'])(
    '%s',
    async (path) => {
      await using session = await openSession(shell(`exec ${path} -c true`, { follow: true }));
      await session.end();
      expect(pathsOf(session)[0]).toBe(fs.realpathSync('/bin/sh'));
    },
  );

  it.each(['/proc/self/fd/3', '/dev/fd/3'])('%s', async (path) => {
    await using session = await openSession(
      shell(`exec 3</usr/bin/env; exec ${path} true`, { follow: true }),
    );
    await session.end();
    expect(pathsOf(session)[0]).toBe(fs.realpathSync('/usr/bin/env'));
  });

  itNeeds('root', 'a link in a changed root', async () => {
    const folder = temporaryFolder();
    const leaf = join(folder, 'leaf');
    fs.copyFileSync(buildTarget('e2e/leaf.c', ['-static'], 'staticLeaf'), leaf);
    fs.mkdirSync(join(folder, 'etc'));
    fs.symlinkSync('/../leaf', join(folder, 'etc/link'));
    await using session = await openSession(
      shell(`chroot ${folder} /etc/../etc/link 5`, { follow: true }),
    );
    await session.end();
    expect(session.exit()).toEqual({ kind: 'exited', code: 5 });
    expect(pathsOf(session).at(-1)).toBe(leaf);
  });
});

describe('[children.standby] a supervisor that is killed while it holds a program', () => {
  for (const place of ['park_begin', 'park_take', 'park_give_back', 'park_end', 'settle', 'give'])
    itNeeds('gdb', `at ${place}`, async () => {
      await using session = await openSession(
        shell('read go; env echo one; env echo two; exit 3', followed),
      );
      const { supervisor } = session;
      await supervisor.askAboutExecs(true);
      supervisor.onExec((asked) => void supervisor.decide(asked.number, 'hold'));
      supervisor.onHeld((held) => void supervisor.resume(held.pid));
      await killedAt(supervisor.supervisorPid, place, async () => {
        await supervisor.input(Buffer.from('\n'));
      });
      await session.end();
      expect(session.text('stdout')).toBe('one\ntwo\n');
      expect(session.exit()).toEqual({ kind: 'exited', code: 3 });
      expect(session.records.filter((one) => one.kind === 'failover')).toHaveLength(1);
    });
});

/** A static program whose last page of code is code to its end, and is called so. */
function filledLeaf(): string {
  const built = buildTarget('e2e/leaf.c', ['-static', '-Wl,-z,noseparate-code'], 'crowdedLeaf');
  const bytes = fs.readFileSync(built);
  for (
    let i = 0, at = Number(bytes.readBigUInt64LE(32));
    i < bytes.readUInt16LE(56);
    i++, at += 56
  ) {
    if (bytes.readUInt32LE(at) !== 1 || (bytes.readUInt32LE(at + 4) & 1) === 0) continue;
    const from = bytes.readBigUInt64LE(at + 16);
    const length = ((from + bytes.readBigUInt64LE(at + 32) + 4095n) & ~4095n) - from;
    for (const field of [32, 40]) bytes.writeBigUInt64LE(length, at + field);
  }
  const path = join(temporaryFolder(), 'crowdedLeaf');
  fs.writeFileSync(path, bytes, { mode: 0o755 });
  return path;
}

/** Kills a process when it comes to a function, which `begin` makes it do. */
async function killedAt(pid: number, place: string, start: () => Promise<void>): Promise<void> {
  const commands = [`break ${place}`, 'continue', 'kill'].flatMap((one) => ['-ex', one]);
  const gdb = spawn('gdb', ['-nx', '-batch', '-p', String(pid), ...commands]);
  const ended = new Promise<void>((resolve) => gdb.once('close', () => resolve()));
  let said = '';
  await new Promise<void>((resolve) => {
    gdb.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (/^Breakpoint 1 at /m.test(said)) resolve();
    });
  });
  await start();
  await ended;
}
