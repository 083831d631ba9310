import { expect, it } from 'vitest';
import { startOwned } from '../../../src/base/process.ts';
import { HostPool } from '../../../src/collector/frida/hostPool.ts';
import { provisionFrida } from '../../../src/collector/frida/provision.ts';
import { SessionHosts } from '../../../src/collector/frida/sessionHosts.ts';
import { isAlive, until } from '../../support/processes.ts';
import { surroundings } from './frida.ts';

it('a process that is held again and again leaves one host of its session', async () => {
  await provisionFrida(surroundings);
  const { home, paths, python } = surroundings;
  await using pool = new HostPool({
    home,
    paths,
    settings: { 'frida.python': python },
    log: () => undefined,
  });
  await using program = await startOwned({ command: '/bin/cat', args: [] });
  const taken: number[] = [];
  const hosts = new SessionHosts(async (progress) => {
    const host = await pool.take(progress);
    taken.push(host.pid);
    return host;
  });
  for (let round = 0; round < 3; round++) {
    const held = await hosts.attach(program.pid, () => undefined);
    await held.detach();
    await held.release();
  }
  expect(taken).toHaveLength(3);
  await until('the hosts before the last have ended', () => taken.filter(isAlive).length === 1);
  await hosts.close();
  expect(taken.filter(isAlive)).toEqual([]);
});
