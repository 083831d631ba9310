import { describe, expect, onTestFinished, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { holdThreads, threadsOf } from '../support/hang.ts';
import { partOf } from '../support/parts.ts';
import { isAlive } from '../support/processes.ts';
import { exitOf, statusSays } from '../support/runs.ts';
import { expectContinued, startTicker } from '../support/ticker.ts';

describe('a thread that hangs', () => {
  test('[hang.index] what is stored is answered meanwhile, and capture goes on afterwards without a gap in output', async () => {
    const ticker = await startTicker();
    const before = await ticker.ticks();
    const threads = threadsOf(partOf(ticker.home, 'daemon'), 'strobe-index');
    expect(threads.length).toBeGreaterThan(0);
    const held = await holdThreads(threads);
    const meanwhile = await ticker.ticks();
    expect(meanwhile.slice(0, before.length)).toEqual(before);
    await held.release();
    await ticker.goesOn();
    expectContinued(meanwhile, await ticker.ticks());
    await ticker.stop();
  });

  test('[hang.index] one that hangs for long is replaced: the next goes on from its last commit', async () => {
    const ticker = await startTicker();
    const { client, sessionId } = ticker;
    const before = await ticker.ticks();
    const held = await holdThreads(threadsOf(partOf(ticker.home, 'daemon'), 'strobe-index'));
    await statusSays(client, sessionId, /did not answer "settle" in time/);
    await held.release();
    await statusSays(client, sessionId, /could not be written for a while/);
    expectContinued(before, await ticker.ticks());
    await ticker.stop();
  });

  test('[hang.query] costs one question, not the next', async () => {
    const ticker = await startTicker();
    const { client, sessionId } = ticker;
    const held = await holdThreads(threadsOf(partOf(ticker.home, 'daemon'), 'strobe-query'));
    onTestFinished(async () => held.release());
    const query = { view: 'output', sessionId, tail: 1 };
    const late = await client.refused('debug_query', query);
    expect(late.text).toMatch(/^TIMED_OUT/);
    expect((await client.ok('debug_query', query)).text).toMatch(/round \d/);
    await ticker.stop();
  });
});

describe('the death of the target', () => {
  test('[exit.killed] is told as what it was, with all that was recorded until then', async () => {
    const { client, sessionId, pid } = await startTicker();
    process.kill(pid, 'SIGKILL');
    expect(await exitOf(client, sessionId)).toMatchObject({
      kind: 'signalled',
      signal: 'SIGKILL',
    });
    expect(isAlive(pid)).toBe(false);
    const lines = (await linesOf(client, sessionId)).map(({ text }) => text);
    const tocks = await callsOf(client, sessionId, {
      function: { equals: 'clockwork::tock' },
      threadName: { equals: 'slow-wheel' },
    });
    // Each line is printed after its call: none may be missing.
    expect(tocks.length).toBeGreaterThanOrEqual(lines.length);
  });
});
