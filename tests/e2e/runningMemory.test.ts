import { expect, test, vi } from 'vitest';
import { statFields } from '../../src/base/proc.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { home, client } = withClient();

async function started() {
  const program = buildTarget('e2e/runningMemory.cpp', ['-O0', '-pthread']);
  const { sessionId, structured } = await launch(client, home, program, { stdin: 'open' });
  await outputSeen(client, sessionId, 'ready');
  const memory = async (...steps: readonly unknown[]) => {
    const { structured: answer, text } = await client.ok('debug_memory', { sessionId, do: steps });
    return { text, results: listAt(answer, 'results'), stop: at(answer, 'stop') };
  };
  const say = async () => client.ok('debug_session', { action: 'input', sessionId, text: '\n' });
  const end = async (): Promise<unknown> => {
    await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
    return exitOf(client, sessionId);
  };
  return { sessionId, pid: numberAt(structured, 'pid'), memory, say, end };
}

test('[stop.running] globals and what they lead to are read and set while the program runs, with an event each', async () => {
  const { sessionId, pid, memory, say, end } = await started();
  const { text, results, stop } = await memory(
    { read: 'given' },
    { read: 'order->name' },
    { write: 'given', value: 50 },
    { write: 'order->total', value: 2.5 },
    { write: 'fixed[0]', value: 'F' },
    { read: 'line' },
    { read: '$rax' },
  );
  expect(stop).toBeUndefined();
  expect(statFields(pid)?.[0]).not.toBe('t');
  expect(results[0]).toMatchObject({ place: 'given', type: 'int', value: '41' });
  expect(text).toContain('order->name = "an order whose name is on the heap"');
  expect(text).toContain('given: 41 → 50');
  expect(text).toContain('order->total: 98765.4321 → 2.5');
  expect(text).toContain('! fixed[0]: The program itself may not write there.');
  expect(text).toMatch(/^! line: no single global is named line/m);
  expect(text).toContain('! $rax: Registers are those of a stopped thread.');
  await say();
  await outputSeen(client, sessionId, 'given 50 doubled 100 total 2.5000');
  const changes = (await client.ok('debug_query', { sessionId, view: 'changes' })).text;
  expect(changes).toMatch(/given: 41 → 50 .*debug_memory/);
  expect(await end()).toEqual({ kind: 'exited', code: 0 });
});

test('[stop.search] numbers, texts and bytes are searched in globals, heap and stack, or from a place on', async () => {
  const { memory, end } = await started();
  const { results } = await memory(
    { read: 'order' },
    { search: 'an order whose name', in: 'heap' },
    { search: 98765.4321 },
    { search: 41, in: 'globals' },
    { search: 8, in: '*order' },
    { search: '08 00 00 00', type: 'hex', in: 'order->id' },
    { search: 'an order whose name', in: 'globals' },
    { search: 8, in: 'order->id + 0' },
    { search: 'xyz', type: 'hex' },
    { search: 1.5, type: 'int' },
  );
  const order = BigInt(/0x[0-9a-f]+/.exec(textAt(results[0], 'value'))?.[0] ?? '0');
  const hits = (i: number): string[] =>
    listAt(results[i], 'hits').map((hit) => textAt(hit, 'address'));
  const hex = (address: bigint): string => `0x${address.toString(16)}`;
  expect(at(results[1], 'total')).toBe(1);
  expect(hits(2)).toContain(hex(order + 8n));
  expect(listAt(results[3], 'hits').map((hit) => textAt(hit, 'region'))).toContainEqual(
    expect.stringMatching(/^globals of .*runningMemory/),
  );
  expect(hits(4)).toEqual([hex(order)]);
  expect(hits(5)).toEqual([hex(order)]);
  expect(at(results[6], 'total')).toBe(0);
  expect(results.slice(7).map((one) => textAt(one, 'why'))).toEqual([
    'How much is to be searched? Add "bytes".',
    'Bytes are written in pairs of digits: "de ad be ef".',
    '"1.5" is no value of int.',
  ]);
  expect(await end()).toEqual({ kind: 'exited', code: 0 });
});

test('[stop.poll] values are polled side by side while the program runs; each change that was seen is listed', async () => {
  const { sessionId, memory, end } = await started();
  const polled = async () =>
    memory(
      { poll: 'beats', everyMs: 1, forMs: 400 },
      { poll: 'given', everyMs: 50, forMs: 400 },
      { poll: 'order->name', forMs: 400 },
    );
  let { results, text } = await polled();
  // A busy machine may not have run the program meanwhile.
  for (let turn = 0; turn < 50 && numberAt(results[0], 'changed') === 0; turn++)
    ({ results, text } = await polled());
  const values = listAt(results[0], 'values').map((one) => Number(textAt(one, 'value')));
  expect(values.length).toBeGreaterThan(1);
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  expect(numberAt(results[0], 'changed')).toBeLessThan(numberAt(results[0], 'looks'));
  expect(results[1]).toMatchObject({ changed: 0, values: [{ value: '41' }] });
  expect(text).toContain('! order->name: It is no number');
  const tooLong = { poll: 'beats', forMs: 30_000 };
  const refused = await client.refused('debug_memory', {
    sessionId,
    do: [tooLong, { read: 'given' }, tooLong],
  });
  expect(at(refused.structured, 'error', 'code')).toBe('BAD_PARAMETER');
  expect(await end()).toEqual({ kind: 'exited', code: 0 });
});

test('[stop.registers] registers of a stopped thread are read and set, and the program goes on with them', async () => {
  const { sessionId, memory, say, end } = await started();
  await client.ok('debug_breakpoint', { sessionId, add: ['doubled'] });
  await say();
  const asked = { sessionId, action: 'wait', timeoutMs: 20_000 };
  await client.ok('debug_continue', asked);
  await client.ok('debug_continue', { ...asked, action: 'out' });
  // It stands behind the call: the result is in rax and not stored yet.
  const { text } = await memory(
    { read: '$rax' },
    { write: '$rax', value: 1234 },
    { read: '$rax' },
    { write: '$nosuch', value: 1 },
  );
  expect(text.split('\n').slice(0, 3)).toEqual([
    '$rax = 0x52',
    '$rax: 0x52 → 0x4d2',
    '$rax = 0x4d2',
  ]);
  expect(text).toMatch(/^! \$nosuch: /m);
  await client.ok('debug_continue', { ...asked, action: 'continue', timeoutMs: 0 });
  await outputSeen(client, sessionId, 'given 41 doubled 1234');
  const changes = (await client.ok('debug_query', { sessionId, view: 'changes' })).text;
  expect(changes).toMatch(/\$rax: 0x52 → 0x4d2/);
  expect(await end()).toEqual({ kind: 'exited', code: 0 });
});
