import { beforeAll, describe, expect, it } from 'vitest';
import { readOf } from '../../../src/base/proc.ts';
import { startOwned } from '../../../src/base/process.ts';
import { readAll } from '../../../src/base/readAll.ts';
import type { AgentLink, FridaHost, HostSession } from '../../../src/collector/frida/fridaHost.ts';
import { provisionFrida } from '../../../src/collector/frida/provision.ts';
import type { HostTransport } from '../../../src/collector/frida/hostTransport.ts';
import { pythonTransport } from '../../../src/collector/frida/pythonHost.ts';
import { isAlive, until } from '../../support/processes.ts';
import { textAt } from '../../support/read.ts';
import { refusal } from '../../support/refusal.ts';
import { buildTarget } from '../../support/targets.ts';
import { openSession, program } from '../supervisor/supervisorSession.ts';
import type { SupervisorSession } from '../supervisor/supervisorSession.ts';
import { surroundings } from './frida.ts';

const agent = `
const seen = [];
// At the exec stop the loader does not know the program yet, so getExportByName would not find it.
const mark = Process.mainModule.enumerateExports().find((found) => found.name === 'mark');
Interceptor.attach(mark.address, {
  onEnter(args) { seen.push(args[0].toInt32()); },
});
function onWord(message, data) {
  send({ type: 'log', level: 'debug', text: 'got ' + message.word }, data);
  recv('word', onWord);
}
recv('word', onWord);
send({ type: 'log', level: 'debug', text: 'loaded' });
rpc.exports = {
  seen: () => seen,
  sum: (factor, data) => new Uint8Array(data).reduce((sum, byte) => sum + byte, 0) * factor,
  reverse: (data) => new Uint8Array(data).reverse().buffer,
  both: (data) => [{ size: data.byteLength }, data],
  fail: () => { throw new Error('as asked'); },
  late: () => { setTimeout(() => { throw new Error('nobody caught this'); }, 0); },
  spin: () => new Promise(() => {}),
};`;

const doubler = 'rpc.exports = { double: (number) => 2 * number };';

beforeAll(async () => {
  await provisionFrida(surroundings);
}, 300_000);

/** Whether its main thread is in a sleep of the kernel's (nanosleep, clock_nanosleep). */
function isAsleep(pid: number): boolean {
  return /^(35|230|101|115) /.test(readOf(pid, 'syscall') ?? '');
}

/** The texts of an agent's log messages, and a way to wait for one. */
function texts(link: AgentLink): { until(text: string): Promise<Uint8Array | null> } {
  const told = new Map<string, Uint8Array | null>();
  let wake = (): void => {};
  link.onMessage((message, data) => {
    if (message.type === 'log') told.set(message.text, data);
    wake();
  });
  return {
    async until(text) {
      for (;;) {
        for (const [known, data] of told) if (known.includes(text)) return data;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

describe('python host [host.conformance]', () => conforms(pythonTransport));

function conforms(transport: HostTransport): void {
  interface Armed {
    readonly target: SupervisorSession;
    readonly host: FridaHost;
    readonly session: HostSession;
    readonly link: AgentLink;
  }

  /** A test of a target that is attached to at its exec stop and not yet resumed. */
  function itHolds(title: string, body: (armed: Armed) => Promise<void>): void {
    it(title, async () => {
      const spec = program([buildTarget('frida/early.cpp', ['-rdynamic'])], {
        stopAtExec: true,
        stdin: 'open',
      });
      await using target = await openSession(spec);
      await using host = await transport.start(surroundings);
      const session = await host.attach(target.supervisor.started.pid);
      await body({ target, host, session, link: await session.load(agent) });
    });
  }

  async function run({ target, host }: Armed): Promise<void> {
    await host.resume(target.supervisor.started.pid);
    await target.supervisor.resume();
    await target.until(() => target.text('stdout').startsWith('main\n'));
  }

  itHolds('says who it is', async ({ host, session, target }) => {
    expect(host.version()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(session.pid).toBe(target.supervisor.started.pid);
  });

  itHolds('has its hooks in place before static constructors and main', async (armed) => {
    expect(await armed.link.call('seen', [])).toEqual([]);
    await run(armed);
    expect(await armed.link.call('seen', [])).toEqual([1, 2]);
    await armed.target.supervisor.inputEof();
    await armed.target.end();
    expect(armed.target.exit()).toEqual({ kind: 'exited', code: 7 });
  });

  itHolds('calls the agent with binary data both ways', async ({ link }) => {
    expect(await link.call('sum', [2], Uint8Array.of(1, 2, 250))).toBe(506);
    const large = new Uint8Array(1_000_000).map((_, i) => i);
    const back = await link.call<Uint8Array>('reverse', [], large);
    expect(Buffer.from(back).equals(Buffer.from(large.toReversed()))).toBe(true);
    expect(await link.call('both', [], Uint8Array.of(7))).toEqual([{ size: 1 }, Uint8Array.of(7)]);
  });

  itHolds('passes messages both ways, early ones too', async ({ link }) => {
    const told = texts(link);
    await told.until('loaded');
    await link.post({ type: 'word', word: 'straße' }, Uint8Array.of(0, 255));
    expect(await told.until('got straße')).toEqual(Uint8Array.of(0, 255));
  });

  itHolds('tells what the agent throws', async ({ link, session }) => {
    expect(await refusal(link.call('fail', []))).toMatch(/^INSTRUMENTATION_FAILED: .*as asked/);
    await expect(link.call('unknown', [])).rejects.toMatchObject({
      code: 'INSTRUMENTATION_FAILED',
    });
    const told = texts(link);
    await link.call('late', []);
    await told.until('nobody caught this');
    const broken = session.load('throw new Error("not today")');
    expect(await refusal(broken)).toMatch(/^INSTRUMENTATION_FAILED: .*not today/);
    await expect(session.load('let x = ;')).rejects.toMatchObject({
      code: 'INSTRUMENTATION_FAILED',
    });
  });

  itHolds('limits a call that never ends, and can still let go', async (armed) => {
    await expect(armed.link.call('spin', [], undefined, { limitMs: 100 })).rejects.toMatchObject({
      code: 'TIMED_OUT',
    });
    await armed.host.resume(armed.target.supervisor.started.pid);
    await armed.session.detach();
  });

  itHolds('detaches and leaves the target running, without hooks', async (armed) => {
    await run(armed);
    const reasons: string[] = [];
    armed.session.onDetached((why) => reasons.push(why));
    await armed.session.detach();
    await armed.target.supervisor.input(Buffer.from('a'));
    await armed.target.until(() => armed.target.text('stdout').includes('a\n'));
    await expect(armed.link.call('seen', [])).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    expect(reasons).toEqual(['application-requested']);
    await using next = await transport.start(surroundings);
    const again = await next.attach(armed.target.supervisor.started.pid);
    const link = await again.load(agent);
    await armed.target.supervisor.input(Buffer.from('b'));
    await armed.target.until(() => armed.target.text('stdout').includes('b\n'));
    expect(await link.call('seen', [])).toEqual([98]);
    await armed.target.supervisor.inputEof();
    await armed.target.end();
    expect(armed.target.exit()).toEqual({ kind: 'exited', code: 7 });
  });

  itHolds('[host.lost] killed, is told and the target lives on', async (armed) => {
    await run(armed);
    const exited = new Promise<string>((resolve) => armed.host.onExit(resolve));
    const detached = new Promise<string>((resolve) => armed.session.onDetached(resolve));
    const hanging = armed.link.call('spin', []);
    process.kill(armed.host.pid, 'SIGKILL');
    await expect(hanging).rejects.toMatchObject({ code: 'TRACER_LOST' });
    expect(await exited).toContain('SIGKILL');
    expect(await detached).toBe('host-lost');
    await expect(armed.host.attach(1)).rejects.toMatchObject({ code: 'TRACER_LOST' });
    await armed.target.supervisor.input(Buffer.from('c'));
    await armed.target.until(() => armed.target.text('stdout').includes('c\n'));
    await armed.target.supervisor.inputEof();
    await armed.target.end();
    expect(armed.target.exit()).toEqual({ kind: 'exited', code: 7 });
  });

  itHolds(
    'closed before it resumed, leaves a target that the supervisor can let go',
    async (armed) => {
      await armed.host.close();
      await armed.target.supervisor.resume();
      await armed.target.until(() => armed.target.text('stdout').startsWith('main\n'));
      await armed.target.supervisor.inputEof();
      await armed.target.end();
      expect(armed.target.exit()).toEqual({ kind: 'exited', code: 7 });
    },
  );

  itHolds('tells that the target has ended, with its status kept', async (armed) => {
    await run(armed);
    const detached = new Promise<string>((resolve) => armed.session.onDetached(resolve));
    await armed.target.supervisor.signal('SIGKILL', { group: false });
    expect(await detached).toBe('process-terminated');
    await armed.target.end();
    expect(armed.target.exit()).toMatchObject({ signal: 'SIGKILL' });
    await expect(armed.link.call('seen', [])).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    expect(isAlive(armed.host.pid)).toBe(true);
  });

  itHolds(
    '[enter.killed] a target that is killed while it is held is waited for by its parent',
    async ({ host, target }) => {
      await target.supervisor.signal('SIGKILL', { group: false });
      await target.end();
      expect(target.exit()).toMatchObject({ signal: 'SIGKILL' });
      expect(isAlive(host.pid)).toBe(true);
    },
  );

  it('refuses what is not there', async () => {
    await using host = await transport.start(surroundings);
    await expect(host.attach(2 ** 22 + 5)).rejects.toMatchObject({ code: 'SESSION_ENDED' });
  });

  it('[enter.host] a program whose host is killed in the middle of a call goes on as if nothing had been', async () => {
    const command = buildTarget('frida/starved.c', ['-pthread']);
    await using target = await startOwned({ command, args: ['call'] });
    const output = readAll(target.stdout);
    await new Promise((resolve) => target.stdout.once('data', resolve));
    await using host = await transport.start(surroundings);
    const tried: unknown = host.attach(target.pid).catch((error: unknown) => error);
    await until('it sleeps in the call', () => isAsleep(target.pid));
    process.kill(host.pid, 'SIGKILL');
    expect(await tried).toMatchObject({ code: 'TRACER_LOST' });
    target.stdin.end('30\n12\n1\n');
    expect(await target.ended).toEqual({ code: 7, signal: null });
    expect((await output).toString()).toBe('ready\nslept 1, sum 43\n');
  });

  /** A program that is slow in the middle of our coming, and what it says after. */
  async function coming(to: 'call' | 'loader'): Promise<{ tried: unknown; said: string }> {
    const command = buildTarget('frida/starved.c', ['-pthread']);
    await using target = await startOwned({ command, args: [to] });
    const output = readAll(target.stdout);
    await new Promise((resolve) => target.stdout.once('data', resolve));
    await using host = await transport.start(surroundings);
    const tried: unknown = await host.attach(target.pid).then(
      async (session) => await (await session.load(doubler)).call('double', [3]),
      (error: unknown) => error,
    );
    target.stdin.write('30\n12\n');
    await host.close();
    target.stdin.end('1\n');
    expect(await target.ended).toEqual({ code: 7, signal: null });
    return { tried, said: (await output).toString() };
  }

  it('[host.starved] waits for a call that takes longer than Frida would wait', async () => {
    const { tried, said } = await coming('call');
    expect(said).toBe('ready\nslept 1, sum 43\n');
    expect(tried).toBe(6);
  });

  it('[host.starved] a program whose loader is too slow is not entered, and lives on', async () => {
    const { tried, said } = await coming('loader');
    expect(said).toBe('ready\nslept 1, sum 43\n');
    expect(tried).toMatchObject({ code: 'INSTRUMENTATION_FAILED' });
    expect(textAt(tried, 'hint')).toContain('Try again');
    expect(String(tried)).toContain('too little processor time');
  });
}
