import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startOwned } from '../../../src/base/process.ts';
import { HostPool } from '../../../src/collector/frida/hostPool.ts';
import { provisionFrida } from '../../../src/collector/frida/provision.ts';
import { testFolder } from '../../support/folder.ts';
import { isAlive, processesWith, until } from '../../support/processes.ts';
import { refusal } from '../../support/refusal.ts';
import { surroundings } from './frida.ts';

function pool(settings: { python?: string; home?: string } = {}): {
  hosts: HostPool;
  told: string[];
} {
  const told: string[] = [];
  const hosts = new HostPool({
    home: settings.home ?? surroundings.home,
    paths: surroundings.paths,
    settings: { 'frida.python': settings.python ?? surroundings.python },
    log: (message) => told.push(message),
  });
  return { hosts, told };
}

/** The pids of hosts started by this test: they inherit the mark, as does what a spare practises on. */
function marked(): number[] {
  return processesWith(`STROBE_TEST_MARK=${process.pid}`)
    .filter((one) => one.command.includes('sidecar'))
    .map((one) => one.pid);
}

describe('the pool of hosts', () => {
  it('gives every taker a host of its own and keeps one spare until it is closed', async () => {
    await provisionFrida(surroundings);
    process.env['STROBE_TEST_MARK'] = String(process.pid);
    onTestFinished(() => {
      delete process.env['STROBE_TEST_MARK'];
    });
    const { hosts, told } = pool();
    hosts.warm();
    hosts.warm();
    let early: number[] = [];
    // While it executes its program it has no environment for a moment.
    await until('a spare is starting', () => (early = marked()).length > 0);
    await using first = await hosts.take();
    expect(early).toContain(first.pid);
    await using second = await hosts.take();
    expect(second.pid).not.toBe(first.pid);
    await until('a new spare', () => marked().length === 3);
    await hosts.close();
    expect(new Set(marked())).toEqual(new Set([first.pid, second.pid]));
    await expect(hosts.take()).rejects.toMatchObject({ code: 'TRACER_LOST' });
    expect(told).toEqual([]);
  });

  it('never hands out a spare that has died', async () => {
    await provisionFrida(surroundings);
    const { hosts } = pool();
    await using first = await hosts.take();
    await first.close();
    await using second = await hosts.take();
    process.kill(second.pid, 'SIGKILL');
    await until('it is gone', () => !isAlive(second.pid));
    await using third = await hosts.take();
    expect(isAlive(third.pid)).toBe(true);
    await hosts.close();
  });

  it('installs nothing for a spare, and says what is missing to a taker', async () => {
    const home = testFolder();
    const { hosts } = pool({ home, python: '/nonexistent/python' });
    hosts.warm();
    expect(await refusal(hosts.take())).toMatch(/^FRIDA_MISSING: .*\/nonexistent\/python/);
    await hosts.close();
  });

  it('removes the folders of hosts whose daemon has ended, and no other daemon’s', async () => {
    const home = testFolder();
    const ended = await startOwned({ command: '/bin/true', args: [] });
    await ended.ended;
    const folderOf = (pid: number): string => join(home, 'run', `host-${pid}-abc`);
    for (const pid of [ended.pid, process.ppid]) mkdirSync(folderOf(pid), { recursive: true });
    const { hosts } = pool({ home });
    expect(existsSync(folderOf(ended.pid))).toBe(false);
    await hosts.close();
    expect(existsSync(folderOf(process.ppid))).toBe(true);
  });
});
