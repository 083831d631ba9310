import { expect, onTestFinished, test } from 'vitest';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { at, listAt, numberAt, textAt } from '../../support/read.ts';
import { mailProgram, toyChannel } from '../../support/toyChannel.ts';

async function mailed() {
  const daemon = await OwnDaemon.start([], [toyChannel()]);
  onTestFinished(async () => daemon.close());
  const launched = await daemon.ok('debug_launch', {
    command: 'sh',
    args: ['-c', mailProgram],
    cwd: daemon.home.project,
    projectRoot: daemon.home.project,
  });
  const sessionId = textAt(launched.structured, 'sessionId');
  const wait = { action: 'wait', sessionId, for: ['output'], match: 'ready' };
  await daemon.ok('debug_session', wait);
  return {
    sessionId,
    daemon,
    channel: async (asked: object) => daemon.ok('debug_channel', { sessionId, ...asked }),
  };
}

test('[channel.port] a channel that is one file and a row is listed, takes messages, and shows what it kept', async () => {
  const { channel } = await mailed();
  const list = await channel({ action: 'list' });
  expect(list.text).toContain('mail      open: send leaves a letter.');
  const sent = await channel({ action: 'send', channel: 'mail', text: 'bread' });
  expect(sent.text).toContain('5 bytes left as a letter.');
  await channel({ action: 'send', channel: 'mail', text: 'salt' });
  const query = { action: 'query', channel: 'mail' };
  await expect
    .poll(async () => numberAt((await channel(query)).structured, 'totalCount'), {
      timeout: 20_000,
    })
    .toBe(2);
  const salt = await channel({ ...query, text: 'SALT' });
  expect(salt.text).toMatch(/1 of 1 event of channel mail:\n\+[\d.]+s → got salt/);
  const first = await channel({ ...query, limit: 1 });
  expect(listAt(first.structured, 'events').map((one) => at(one, 'data'))).toEqual(['got bread']);
  const next = await channel({ ...query, cursor: textAt(first.structured, 'cursor') });
  expect(listAt(next.structured, 'events').map((one) => at(one, 'data'))).toEqual(['got salt']);
  await expect(channel({ ...query, pid: 1 })).rejects.toThrow(/cannot be filtered by pid/);
  await expect(channel({ action: 'query', channel: 'mall' })).rejects.toThrow(
    /no channel "mall". Did you mean "mail"/,
  );
});

test('[channel.port] a scenario acts on a channel of its own and waits for what it keeps', async () => {
  const { channel } = await mailed();
  const passed = await channel({
    action: 'run',
    steps: [
      { do: 'send', on: 'mail', text: 'bread' },
      { wait: { on: 'mail', text: 'got bread' }, withinMs: 20_000 },
      { save: 'letter', from: { on: 'mail', text: 'bread' }, part: 'got (.*)' },
      { assert: { on: 'mail', text: 'salt', count: 0 } },
    ],
  });
  expect(passed.text).toMatch(/^passed: 4 of 4 steps/);
  expect(passed.text).toContain('saved: letter="bread"');
});
