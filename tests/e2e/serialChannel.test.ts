import { expect, test, vi } from 'vitest';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { home, client } = withClient();

async function answering() {
  const opened = await client.ok('debug_channel', { action: 'open', channel: 'serial' });
  const port = textAt(opened.structured, 'address');
  const { sessionId } = await launch(client, home, buildTarget('e2e/serialEcho.c', ['-O0']), {
    args: [port],
  });
  const channel = async (asked: object) => client.ok('debug_channel', { sessionId, ...asked });
  return {
    port,
    sessionId,
    channel,
    events: async (asked: object = {}): Promise<[unknown, unknown][]> => {
      const { structured } = await channel({ action: 'query', channel: 'serial', ...asked });
      return listAt(structured, 'events').map((one) => [at(one, 'direction'), at(one, 'data')]);
    },
    close: () => client.ok('debug_channel', { action: 'close', channel: 'serial', to: port }),
  };
}

test('[channel.serial] a program opens a serial port by its path; what goes through it is on the timeline, with the speed that it set', async () => {
  const { port, sessionId, channel, events, close } = await answering();
  await expect.poll(events).toContainEqual(['out', '6 bytes "READY\\n"']);
  const sent = await channel({ action: 'send', channel: 'serial', text: 'hello\n' });
  expect(sent.text).toContain(`6 bytes sent through ${port}.`);
  await expect.poll(() => events({ text: 'pong' })).toEqual([['out', '11 bytes "PONG hello\\n"']]);
  await channel({ action: 'send', channel: 'serial', to: port, base64: 'AP8BCg==' });
  await expect
    .poll(() => events({ text: 'binary' }))
    .toContainEqual(['in', '4 bytes <binary: 00 ff 01 0a>']);
  expect(await events({ direction: 'in', limit: 1 })).toEqual([['in', '6 bytes "hello\\n"']]);
  expect((await events())[0]).toEqual(['out', 'set to 2000000 baud']);
  const list = await channel({ action: 'list' });
  expect(list.text).toContain(`serial    open: ${port} (2000000 baud)`);
  await channel({ action: 'send', channel: 'serial', text: 'QUIT\n' });
  await outputSeen(client, sessionId, 'done');
  const { structured } = await channel({ action: 'query', channel: 'serial', text: 'QUIT' });
  expect(numberAt(structured, 'totalCount')).toBe(1);
  // On the session's clock: the program said so after it had read the line.
  const [quit] = listAt(structured, 'events');
  const output = await channel({ action: 'query', channel: 'stdio', text: 'done' });
  const [done] = listAt(output.structured, 'events');
  expect(numberAt(quit, 'timestampNs')).toBeGreaterThan(0);
  expect(numberAt(quit, 'timestampNs')).toBeLessThan(numberAt(done, 'timestampNs'));
  expect((await close()).text).toContain('was sent 15');
  const refused = await client.refused('debug_channel', {
    sessionId,
    action: 'send',
    channel: 'serial',
    text: 'x',
  });
  expect(refused.text).toMatch(/has ended|No serial port is open/);
});

test('[channel.serial] a scenario speaks with a program over its serial port', async () => {
  const { channel, close } = await answering();
  const { text } = await channel({
    action: 'run',
    steps: [
      { wait: { on: 'serial', text: 'READY' }, withinMs: 20_000 },
      { do: 'send', on: 'serial', text: 'once\n', expect: { on: 'serial', text: 'PONG once' } },
      { do: 'send', on: 'serial', text: 'QUIT\n' },
      { wait: { on: 'stdio', text: 'done' }, withinMs: 20_000 },
    ],
  });
  expect(text).toMatch(/^passed: 4 of 4 steps/);
  await close();
});

test('[channel.serial] a port that is not there, and an address for a new one, are errors with the next step', async () => {
  for (const [asked, said] of [
    [{ action: 'close', to: '/dev/pts/none' }, /no serial port "\/dev\/pts\/none"/],
    [{ action: 'open', to: '/dev/ttyS0' }, /without an address/],
  ] as const) {
    const { text } = await client.refused('debug_channel', { channel: 'serial', ...asked });
    expect(text).toMatch(said);
  }
});
