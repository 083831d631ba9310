import { beforeAll, expect, it } from 'vitest';
import { eventKind, stringFlags } from '../../src/model/eventColumns.ts';
import { captureOp, captureReturn } from '../../src/protocol/record.ts';
import { pairCalls } from '../support/callPairs.ts';
import { type Capture, EngineProgram, op, runPlain } from '../support/engineProgram.ts';
import { itNeeds } from '../support/needs.ts';
import { double, integers, plainCaptures } from '../support/plainCaptures.ts';
import type { RingEvent } from '../support/ringEvents.ts';
import { buildByClang, buildTarget } from '../support/targets.ts';

const { integer, float, stack } = captureOp;

const captures: Readonly<Record<string, Capture>> = {
  ...plainCaptures,
  many: {
    ops: [...integers(0, 1, 2, 3, 4, 5), op(stack, 0), op(stack, 1)],
    stackBytes: 16,
  },
  mixed: {
    ops: [op(float, 2), op(stack, 0), op(integer, 5)],
    returns: captureReturn.float,
    stackBytes: 8,
  },
  by_value: { ops: [op(stack, 0), op(stack, 4), op(integer, 0)], stackBytes: 40 },
  make_big: { ops: integers(1), returns: captureReturn.none },
  variadic: { ops: integers(0), stackBytes: 256 },
};

let program = '';
let unoptimised = '';
beforeAll(() => {
  program = buildTarget('engine/plain.c', ['-O2', '-pthread']);
  unoptimised = buildTarget('engine/plain.c', ['-O0', '-pthread']);
});

/** A captured C string that begins at word `at`. */
function text(words: readonly bigint[], at: number): { text: string; flags: number } {
  const head = words[at] ?? 0n;
  const bytes = Buffer.from(BigUint64Array.from(words.slice(at + 1)).buffer);
  return {
    text: bytes.toString('latin1', 0, Number(head & 0xffffffffn)),
    flags: Number(head >> 32n),
  };
}

/** Runs the target with everything armed; its behaviour must be that of the plain run. */
async function trace(path: string, seesJumps = false) {
  await using traced = await EngineProgram.start(path, { ringBytes: 1 << 22 });
  if (seesJumps) await traced.hookExceptions();
  const verdicts = await traced.arm(captures);
  const [plain, ran] = [await runPlain(path, 'go'), await traced.end('go')];
  const rings = traced.rings();
  const thread = rings.threads.find(({ tid }) => tid === rings.pid);
  const events = thread?.events ?? [];
  const of = (name: string, kind: number) =>
    events.filter((event) => event.fn === traced.number(name) && event.kind === kind);
  return { plain, ran, verdicts, rings, thread, events, of };
}

it.each([['O2'], ['O0']])(
  'a traced program of every kind of call behaves as untraced, %s',
  async (level) => {
    const seen = await trace(level === 'O2' ? program : unoptimised);
    expect(new Set(Object.values(seen.verdicts))).toEqual(new Set(['hooked']));
    expect(seen.ran).toEqual(seen.plain);
    expect(seen.thread?.broken).toBe(0);
    expect(seen.rings.lostNoRing).toBe(0);
  },
);

itNeeds(
  'clangBuilds',
  'the same program by clang: its tail calls, frames and prologues',
  async () => {
    for (const level of ['-O0', '-O2', '-O3']) {
      const path = buildByClang('engine/plain.c', [level, '-pthread', '-Wno-unknown-attributes']);
      const seen = await trace(path);
      expect(new Set(Object.values(seen.verdicts))).toEqual(new Set(['hooked']));
      expect(seen.ran).toEqual(seen.plain);
      expect(seen.thread?.broken).toBe(0);
      const { unpaired, open } = pairCalls(seen.events);
      expect({ unpaired, open }).toEqual({ unpaired: 0, open: 0 });
    }
  },
);

it('captures registers, floats, stack words and returns as the plan says', async () => {
  const { of } = await trace(program);
  const enter = (name: string, index = 0) => of(name, eventKind.enter)[index]?.words ?? [];
  const returned = (name: string, index = 0) => of(name, eventKind.return)[index]?.words ?? [];
  expect(double(enter('scale')[0])).toBe(1.5);
  const single = new Float32Array(BigUint64Array.of(enter('scale')[1] ?? 0n).buffer);
  expect(single[0]).toBe(2.5);
  expect(enter('scale')[2]).toBe(3n);
  expect(double(returned('scale')[0])).toBe(6.75);
  expect(enter('many').slice(0, 8)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]);
  expect(returned('many')[0]).toBe(204n);
  expect(double(enter('mixed')[0])).toBe(9.5);
  expect((enter('mixed')[1] ?? 0n) & 0xffffn).toBe(10n);
  expect(enter('mixed')[2]).toBe(8n);
  expect(double(returned('mixed')[0])).toBe(392.5);
  expect(enter('by_value').slice(0, 3)).toEqual([10n, 14n, 100n]);
  expect(enter('make_big')[0]).toBe(10n);
  expect([enter('variadic')[0], enter('variadic', 1)[0]]).toEqual([5n, 12n]);
  expect(enter('pair').slice(0, 2)).toEqual([7n, 8n]);
  expect(returned('branch_first')[0]).toBe(7n);
});

it('captures C strings within bounds, null and wild pointers as such', async () => {
  const { of } = await trace(program);
  const enters = of('name_of', eventKind.enter).map(({ words }) => text(words, 0));
  expect(enters[0]).toEqual({ text: 'hello wo', flags: stringFlags.truncated });
  expect(of('name_of', eventKind.enter)[0]?.words[2]).toBe(6n);
  expect(enters[1]).toEqual({ text: '', flags: stringFlags.isNull });
  const returns = of('name_of', eventKind.return).map(({ words }) => text(words, 0));
  expect(returns).toEqual([
    { text: 'worl', flags: stringFlags.truncated },
    { text: '', flags: stringFlags.isNull },
  ]);
  const wild = of('ignore', eventKind.enter).map(({ words }) => words.slice(0, 2));
  const head = (BigInt(stringFlags.unreadable) << 32n) | 8n;
  expect(wild).toEqual([
    [head, 0x1234_5678_9000n],
    [head, 16n],
  ]);
});

it('pairs every entry with its end by stack pointer, deep recursion included', async () => {
  const { events, of } = await trace(program);
  const { unpaired, open } = pairCalls(events);
  expect({ unpaired, open }).toEqual({ unpaired: 0, open: 0 });
  expect(of('recurse', eventKind.enter)).toHaveLength(10_001);
  expect(of('recurse', eventKind.return)).toHaveLength(10_001);
  expect(events.every(({ sp }) => sp % 16n === 8n)).toBe(true);
});

it('a tail call ends one call and begins the next on the same frame', async () => {
  const { events, of } = await trace(program);
  const hops = 2 * 2_000;
  const ofBoth = (kind: number): RingEvent[] => [...of('tail_even', kind), ...of('tail_odd', kind)];
  expect(ofBoth(eventKind.enter)).toHaveLength(hops + 2);
  expect(ofBoth(eventKind.tail)).toHaveLength(hops);
  expect(ofBoth(eventKind.return)).toHaveLength(2);
  expect(new Set(ofBoth(eventKind.enter).map(({ sp }) => sp)).size).toBe(1);
  expect(pairCalls(events).counts.tail).toBe(hops);
});

it('frames that longjmp leaves have no end, and the frames above go on', async () => {
  const { events, of } = await trace(unoptimised);
  expect(of('jumps', eventKind.enter)).toHaveLength(51);
  expect(of('jumps', eventKind.return)).toHaveLength(0);
  expect(of('jump_home', eventKind.return)[0]?.words[0]).toBe(42n);
  expect(pairCalls(events).abandoned).toBe(51);
});

it('[trace.jumps] a longjmp that is seen is one record: from where it jumped, and where to', async () => {
  const { plain, ran, thread, events, of } = await trace(unoptimised, true);
  expect(ran).toEqual(plain);
  expect(thread?.broken).toBe(0);
  const jumps = events.flatMap((event, i) => (event.kind === eventKind.jumped ? [i] : []));
  expect(jumps).toHaveLength(1);
  const [innermost, jump] = events.slice((jumps[0] ?? 0) - 1);
  expect(innermost).toBe(of('jumps', eventKind.enter)[50]);
  const [last, ...others] = jump?.words ?? [];
  expect(others).toEqual([]);
  expect(last).toBeLessThan(innermost?.sp ?? 0n);
  expect(jump?.sp).toBeGreaterThan(of('jumps', eventKind.enter)[0]?.sp ?? 0n);
  expect(jump?.sp).toBeLessThan(of('jump_home', eventKind.enter)[0]?.sp ?? 0n);
});

it('a forked child writes nothing into its parent’s ring', async () => {
  const { rings, of } = await trace(unoptimised);
  expect(rings.threads).toHaveLength(1);
  expect(of('identity', eventKind.enter).map(({ words }) => words[0])).toEqual([42n]);
  expect(of('halve', eventKind.enter)).toHaveLength(1);
});
