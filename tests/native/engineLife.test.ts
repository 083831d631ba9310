import { execFileSync } from 'node:child_process';
import { openSync, readSync, writeSync, closeSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { startOwned } from '../../src/base/process.ts';
import { eventKind } from '../../src/model/eventColumns.ts';
import { captureOp, fileHeader, record, slotHeader, slotState } from '../../src/protocol/record.ts';
import { armWhileEightRun } from '../support/armWhileEightRun.ts';
import { pairCalls } from '../support/callPairs.ts';
import { EngineProgram, encodeRow, op, runPlain } from '../support/engineProgram.ts';
import { changedCode } from '../support/processImage.ts';
import { buildTarget } from '../support/targets.ts';

const integers = (...indexes: number[]) => indexes.map((index) => op(captureOp.integer, index));

let hot = '';
let refusals = '';
let crowd = '';
let debuggerLike = '';
let loader = '';
let plugin = '';
let exchanges = '';
beforeAll(() => {
  hot = buildTarget('engine/hot.c', ['-O2', '-pthread']);
  refusals = buildTarget('engine/refusals.c');
  debuggerLike = buildTarget('engine/tracer.c');
  exchanges = buildTarget('engine/exchangeByte.c');
  crowd = buildTarget('engine/crowd.c', ['-pthread']);
  loader = buildTarget('engine/loader.c', ['-ldl']);
  plugin = buildTarget('engine/plugin.c', ['-shared', '-fPIC'], 'plugin.so');
});

it('arms and disarms functions that other threads are running, 50 times', async () => {
  await using traced = await EngineProgram.start(hot);
  const add = { ops: integers(0, 1) };
  const choose = { ops: integers(0) };
  for (let cycle = 0; cycle < 50; cycle++) {
    expect(await traced.arm({ add, choose })).toEqual({ add: 'hooked', choose: 'hooked' });
    expect(await traced.disarm('add', 'choose')).toBe(2);
  }
  const ran = await traced.end('stop');
  expect(ran).toMatchObject({ code: 0, output: 'ready\n1\n' });
  const { threads } = traced.rings();
  expect(threads).toHaveLength(2);
  for (const { events, broken } of threads) {
    expect(events.length).toBeGreaterThan(1_000);
    expect(broken).toBeLessThan(3); // a record cut in two by the ring's end
    expect(pairCalls(events.slice(1)).unpaired).toBeLessThan(2);
  }
});

it('arms and disarms functions that eight threads are running, 50 times', async () => {
  await armWhileEightRun(50);
});

it('arms and disarms running functions of a process that a debugger holds', async () => {
  await using traced = await EngineProgram.start(hot);
  await using tracer = await startOwned({ command: debuggerLike, args: [String(traced.pid)] });
  await new Promise((resolve) => tracer.stdout.once('data', resolve));
  const add = { ops: integers(0, 1) };
  for (let cycle = 0; cycle < 20; cycle++) {
    expect(await traced.arm({ add })).toEqual({ add: 'hooked' });
    expect(await traced.disarm('add')).toBe(1);
  }
  tracer.stdin.end();
  expect(await tracer.ended).toEqual({ code: 0, signal: null });
  expect(await traced.end('stop')).toMatchObject({ code: 0, output: 'ready\n1\n' });
});

it('arms a function again with another plan, under its number', async () => {
  await using traced = await EngineProgram.start(hot);
  await traced.arm({ add: { ops: integers(0, 1) } });
  expect(await traced.arm({ add: { ops: integers(1) } })).toEqual({ add: 'hooked' });
  await traced.end('stop');
  const last = traced
    .rings()
    .threads[0]?.events.filter(({ kind }) => kind === eventKind.enter)
    .at(-1);
  expect(last?.words).toEqual([7n]);
});

it('a thread goes on where a signal came, which lies inside a jump since', async () => {
  const path = buildTarget('engine/parked.c', ['-pthread']);
  const plain = await runPlain(path, 'go');
  await using traced = await EngineProgram.start(path);
  expect(await traced.arm({ fill: { stackBytes: 256 } })).toEqual({ fill: 'hooked' });
  expect(await traced.end('go')).toEqual(plain);
  expect(plain).toMatchObject({ code: 5, output: 'ready\n1\n' });
});

it('says why a function cannot be hooked, and the program runs on unchanged', async () => {
  await using traced = await EngineProgram.start(refusals);
  const verdicts = await traced.arm({
    cramped: {},
    neighbour: {},
    padded: {},
    looping: {},
    counted: {},
    through: {},
    calling: {},
    main: { stackBytes: 264 },
  });
  expect(verdicts).toEqual({
    cramped: 'tooShort',
    neighbour: 'hooked',
    padded: 'hooked',
    looping: 'branchIntoPrologue',
    counted: 'unsupportedInstruction',
    through: 'unsupportedInstruction',
    calling: 'hooked',
    main: 'stackArgumentsTooLarge',
  });
  const rows = [
    encodeRow(4096n, 16, 100, {}),
    encodeRow(0x7000_0000_0000n, 16, 101, {}),
    encodeRow(4096n, 16, record.maxFunctions, {}),
  ];
  expect(await traced.armRows(rows)).toEqual(['notExecutable', 'notExecutable', 'poolFull']);
  const [plain, ran] = [await runPlain(refusals, 'go'), await traced.end('go')];
  expect(ran).toEqual(plain);
  const { events } = traced.rings().threads[0] ?? { events: [] };
  expect(events.filter(({ fn }) => fn === traced.number('neighbour'))).toHaveLength(6);
  expect(pairCalls(events)).toMatchObject({ unpaired: 0, open: 0, abandoned: 0 });
});

it('refuses a second hook inside the first bytes of another', async () => {
  await using traced = await EngineProgram.start(refusals);
  await traced.arm({ padded: {} });
  expect(await traced.arm({ padded: {} })).toEqual({ padded: 'hooked' });
  expect(await armAt(traced, 'padded', 0n)).toBe('overlaps');
  expect(await armAt(traced, 'padded', 2n)).toBe('overlaps');
  expect(await armAt(traced, 'padded', 5n)).not.toBe('overlaps');
});

it.each([0n, 4n])(
  '[trace.debugger] a breakpoint in the jump of a hook that is removed and set again, at byte %s',
  async (offset) => {
    await using traced = await EngineProgram.start(refusals);
    const plain = await runPlain(refusals, 'go');
    expect(await traced.arm({ neighbour: {} })).toEqual({ neighbour: 'hooked' });
    const { address } = await traced.place('neighbour');
    const covered = exchangeByte(traced.pid, address + offset, breakpoint);
    expect(await traced.disarm('neighbour')).toBe(1);
    expect(await traced.arm({ neighbour: {} })).toEqual({ neighbour: 'hooked' });
    expect(await traced.disarm('neighbour')).toBe(1);
    expect(exchangeByte(traced.pid, address + offset, covered)).toBe(breakpoint);
    expect(await traced.arm({ neighbour: {} })).toEqual({ neighbour: 'hooked' });
    expect(await traced.end('go')).toEqual(plain);
    const { events } = traced.rings().threads[0] ?? { events: [] };
    expect(events).toHaveLength(2 * 3);
  },
  20_000,
);

it('[trace.debugger] a function in whose code a breakpoint stands is hooked once it is gone', async () => {
  await using traced = await EngineProgram.start(refusals);
  const plain = await runPlain(refusals, 'go');
  for (const offset of [9n, 4n, 0n]) {
    const { address } = await traced.place('calling');
    const covered = exchangeByte(traced.pid, address + offset, breakpoint);
    expect(await traced.arm({ calling: {} })).toEqual({ calling: 'breakpoint' });
    exchangeByte(traced.pid, address + offset, covered);
    expect(await traced.arm({ calling: {} })).toEqual({ calling: 'hooked' });
    expect(await traced.disarm('calling')).toBe(1);
  }
  expect(await traced.end('go')).toEqual(plain);
});

it('[trace.debugger] a hook over which another tool puts its jump and takes it away again', async () => {
  await using traced = await EngineProgram.start(refusals);
  const plain = await runPlain(refusals, 'go');
  await traced.arm({ neighbour: {} });
  const { address } = await traced.place('neighbour');
  // Its jump, of which the first byte alone differs from ours, keeps ours for the function's beginning.
  const covered = [0n, 1n].map((offset) =>
    exchangeByte(traced.pid, address + offset, 0xff - Number(offset) * 0xda),
  );
  expect(await traced.disarm('neighbour')).toBe(1);
  expect(await traced.arm({ neighbour: {} })).toEqual({ neighbour: 'hooked' });
  covered.forEach((byte, offset) => exchangeByte(traced.pid, address + BigInt(offset), byte));
  expect(await traced.end('go')).toEqual(plain);
  expect(traced.rings().threads[0]?.events).toHaveLength(2 * 3);
});

it('threads without a slot are counted, and freed slots serve new threads', async () => {
  await using traced = await EngineProgram.start(crowd, { slotCount: 4 });
  await traced.arm({ visit: { ops: integers(0) } });
  const group = async (count: number) => {
    traced.write(`${count}\n`);
    await traced.said();
    return traced.rings();
  };
  const first = await group(6);
  expect(first.threads.map(({ state }) => state)).toEqual(Array(4).fill(slotState.ended));
  expect(first.threads.map(({ name }) => name.slice(0, 8))).toEqual(Array(4).fill('visitor '));
  expect(first.threads.map(({ events }) => events.length)).toEqual(Array(4).fill(4));
  expect(first.lostNoRing).toBe(4);

  const positions = first.threads.map(({ position }) => position);
  releaseSlots(traced.ringPath, positions.slice(0, 3));
  const second = await group(3);
  expect(second.lostNoRing).toBe(4);
  expect(second.threads.map(({ generation }) => generation)).toEqual([2, 2, 2, 1]);
  for (const [slot, thread] of second.threads.slice(0, 3).entries()) {
    const later = thread.events.slice(4);
    expect(thread.position).toBe((positions[slot] ?? 0) + 4 * record.bytes);
    expect(thread.state).toBe(slotState.ended);
    expect(later.map(({ kind }) => kind)).toEqual([1, 2, 1, 2]);
    expect(Number(later[0]?.words[0])).toBeGreaterThanOrEqual(10);
  }
  expect((await traced.end()).code).toBe(0);
});

it('traces a library that is loaded later, unloaded and loaded again', async () => {
  await using traced = await EngineProgram.start(loader);
  const say = async (line: string) => {
    const answer = traced.said();
    traced.write(`${line}\n`);
    return (await answer).trim();
  };
  expect(await say(`+${plugin}`)).toBe('41');
  const plugged = { ops: integers(0) };
  expect(await traced.arm({ plugged }, plugin)).toEqual({ plugged: 'hooked' });
  expect(await say('call')).toBe('41');
  expect(await say('-')).toBe('41');
  expect(await say(`+${plugin}`)).toBe('41');
  traced.forgetModules();
  expect(await traced.arm({ plugged }, plugin)).toEqual({ plugged: 'hooked' });
  expect(await say('call')).toBe('41');
  expect(await traced.disarm('plugged')).toBe(1);
  expect(await say('call')).toBe('41');
  expect((await traced.end()).code).toBe(0);
  const { events } = traced.rings().threads[0] ?? { events: [] };
  expect(events.map(({ kind }) => kind)).toEqual([1, 2, 1, 2, 1, 2]);
});

it('tells of libraries that come and go', async () => {
  await using traced = await EngineProgram.start(loader);
  for (const line of [`+${plugin}`, '-']) {
    const answer = traced.said();
    traced.write(`${line}\n`);
    await answer;
  }
  const messages = (await traced.messages()).map((message) =>
    message.type === 'moduleLoaded' ? [message.type, message.module.path] : [message.type, plugin],
  );
  expect(messages).toEqual([
    ['moduleLoaded', plugin],
    ['moduleUnloaded', plugin],
  ]);
});

it('letting go of a program removes every hook', async () => {
  await using traced = await EngineProgram.start(hot);
  await traced.arm({ add: { ops: integers(0, 1) }, choose: {} });
  await traced.untilRecorded(2);
  await traced.detach();
  const afterwards = traced.rings().threads.map(({ position }) => position);
  expect(await traced.end('stop')).toMatchObject({ code: 0, output: 'ready\n1\n' });
  // A call that was under way when the hooks went still records its end.
  for (const [thread, { position }] of traced.rings().threads.entries()) {
    expect(afterwards[thread]).toBeGreaterThan(0);
    expect(position - (afterwards[thread] ?? 0)).toBeLessThanOrEqual(record.bytes);
  }
});

it('[attach.detach] a function that is hooked twice, for the tracing’s own ends first, has its code back', async () => {
  await using traced = await EngineProgram.start(refusals);
  const plain = await runPlain(refusals, 'go');
  await traced.hookExceptions('neighbour');
  expect(await traced.arm({ neighbour: {} })).toEqual({ neighbour: 'hooked' });
  await traced.detach();
  expect(changedCode(traced.pid)).toEqual([]);
  expect(await traced.end('go')).toEqual(plain);
});

it('a program that exits is traced to its last destructor', async () => {
  const path = buildTarget('engine/atExit.cpp');
  await using traced = await EngineProgram.start(path);
  await traced.arm({ _Z4lasti: { ops: integers(0) } });
  expect(await traced.end('go')).toMatchObject({ code: 4, output: 'ready\n41\n' });
  const words = traced.rings().threads[0]?.events.map(({ words: [first] }) => first);
  expect(words).toEqual([3n, 4n, 40n, 41n]);
});

it('what a killed program recorded can still be read', async () => {
  await using traced = await EngineProgram.start(hot);
  await traced.arm({ add: { ops: integers(0, 1) } });
  await traced.untilRecorded(2);
  process.kill(traced.pid, 'SIGKILL');
  expect((await traced.end()).signal).toBe('SIGKILL');
  for (const { events } of traced.rings().threads) expect(events.length).toBeGreaterThan(0);
});

const breakpoint = 0xcc;

/** Writes a byte as a debugger does; answers the one that was there. */
function exchangeByte(pid: number, address: bigint, byte: number): number {
  const args = [String(pid), address.toString(16), byte.toString(16)];
  return parseInt(execFileSync(exchanges, args).toString(), 16);
}

/** Tries a hook of its own at an offset from a function. */
async function armAt(traced: EngineProgram, name: string, offset: bigint): Promise<string> {
  const { address, size } = await traced.place(name);
  const [verdict] = await traced.armRows([encodeRow(address + offset, size, 5_000, {})]);
  return verdict ?? 'missing';
}

/** What the reader does when all of a slot was stored. */
function releaseSlots(path: string, consumed: readonly number[]): void {
  const file = openSync(path, 'r+');
  const header = Buffer.alloc(8);
  readSync(file, header, 0, 8, fileHeader.slotStride);
  const stride = Number(header.readBigUInt64LE());
  for (const [slot, position] of consumed.entries()) {
    const at = fileHeader.bytes + slot * stride;
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(position));
    writeSync(file, bytes, 0, 8, at + slotHeader.consumed);
    writeSync(file, Buffer.alloc(4), 0, 4, at + slotHeader.state);
  }
  closeSync(file);
}
