import { expect, it, vi } from 'vitest';
import { eventKind } from '../../src/model/eventColumns.ts';
import { condition } from '../../src/protocol/record.ts';
import { EngineProgram, runPlain } from '../support/engineProgram.ts';
import { allStatements } from '../support/statements.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Patches each statement that can be; the program must behave as untraced. */
async function patchAll(path: string, source: RegExp, line: string) {
  const statements = allStatements(path, source);
  await using traced = await EngineProgram.start(path, { ringBytes: 1 << 15 });
  const before = await Promise.all(
    statements.map(async ({ offset, size }) => traced.code(offset, Math.min(size, 24))),
  );
  const codes = await traced.armStatements(statements, 0);
  for (const [i, code] of codes.entries()) {
    const { offset = 0 } = statements[i] ?? {};
    const now = await traced.code(offset, 5);
    // Among the bytes of another's jump it has none of its own.
    const isCovered = statements.some(
      (one, k) => codes[k] === 'hooked' && offset > one.offset && offset < one.offset + 5,
    );
    if (code === 'hooked' && !isCovered) expect(now[0]).toBe(0xe9);
    else if (isCovered) continue;
    else if (!['overlaps'].includes(code)) expect(now[0]).toBe(before[i]?.[0]);
  }
  const [plain, ran] = [await runPlain(path, line), await traced.end(line)];
  const events = traced.rings().threads.flatMap((thread) => thread.events);
  return { plain, ran, codes, events, statements };
}

const programs: readonly [string, string, readonly string[]][] = [
  ['C', 'engine/plain.c', ['-O0', '-pthread']],
  ['C, optimised', 'engine/plain.c', ['-O2', '-pthread']],
  ['C++ exceptions, optimised', 'engine/exceptions.cpp', ['-O2', '-pthread']],
  ['Rust panics', 'engine/panics.rs', ['-C', 'opt-level=0']],
];

/** Wherever a program is loaded. A few have a jump at some addresses alone, because its bytes say where it leads. */
const leastShare = 0.8;
const loads = 3;

it.each(programs)(
  '[break.share] %s: wherever it is loaded statements take a jump, or would elsewhere',
  async (_name, source, flags) => {
    const path = buildTarget(source, flags);
    const statements = allStatements(path, new RegExp(`${source}$`));
    for (let load = 0; load < loads; load++) {
      await using traced = await EngineProgram.start(path, { ringBytes: 1 << 15 });
      const codes = await traced.armStatements(statements, 0);
      const count = (wanted: string) => codes.filter((code) => code === wanted).length;
      expect(count('hooked')).toBeGreaterThan(codes.length * leastShare);
      expect(count('hooked') + count('noPlace')).toBeGreaterThan(codes.length * 0.9);
      await traced.end('go');
    }
  },
);

it.each(programs)(
  '[break.harmless] %s: all statements patched, output and status as before',
  async (_name, source, flags) => {
    const { plain, ran, codes, events } = await patchAll(
      buildTarget(source, flags),
      new RegExp(`${source}$`),
      'go',
    );
    expect(ran).toEqual(plain);
    const hooked = codes.filter((code) => code === 'hooked').length;
    expect(hooked).toBeGreaterThan(codes.length * leastShare);
    expect(events.filter(({ kind }) => kind === eventKind.enter).length).toBeGreaterThan(
      hooked / 2,
    );
  },
);

it.each(['-O0', '-O2'])(
  '[break.harmless] statements that lie in the bytes of one jump are armed and removed in any order, %s',
  async (level) => {
    const path = buildTarget('engine/plain.c', [level, '-pthread']);
    const statements = allStatements(path, /plain\.c$/).toSorted((a, b) => a.offset - b.offset);
    await using traced = await EngineProgram.start(path, { ringBytes: 1 << 15 });
    const read = async () =>
      Promise.all(
        statements.map(async ({ offset, size }) => traced.code(offset, Math.min(size, 24))),
      );
    const before = await read();
    const numbers = statements.map((_one, i) => i);
    const codes = await traced.armStatements(statements, 0);
    const close = statements.filter(
      ({ offset }, i) => codes[i] === 'hooked' && offset - (statements[i - 1]?.offset ?? 0) < 5,
    );
    expect(close.length).toBeGreaterThan(0);
    await traced.disarmNumbers(numbers.filter((number) => number % 2 === 0));
    // Some may have lost their place to those that stayed.
    expect(await traced.armStatements(statements, 0)).toContain('hooked');
    await traced.disarmNumbers(numbers.filter((number) => number % 3 === 0));
    await traced.disarmNumbers(numbers.filter((number) => number % 3 !== 0));
    expect(await read()).toEqual(before);
    expect(await traced.armStatements(statements, 0)).toEqual(codes);
    const [plain, ran] = [await runPlain(path, 'go'), await traced.end('go')];
    expect(ran).toEqual(plain);
  },
);

it.each(['-O0', '-O2'])(
  '[break.beside] several breakpoints at each statement all see its hits, whatever order they come and go in, %s',
  async (level) => {
    const path = buildTarget('engine/plain.c', [level, '-pthread']);
    const statements = allStatements(path, /plain\.c$/).toSorted((a, b) => a.offset - b.offset);
    await using traced = await EngineProgram.start(path, { ringBytes: 1 << 15 });
    const counting = { after: Number.MAX_SAFE_INTEGER };
    const sets = [0, 1000, 2000];
    // Why the others are refused may differ.
    const arm = async (from: number) =>
      (await traced.armStatements(statements, from, counting)).map((code) => code === 'hooked');
    const armed: boolean[][] = [];
    for (const from of sets) armed.push(await arm(from));
    const [places] = armed;
    expect(places).toContain(true);
    expect(armed).toEqual(sets.map(() => places));
    // The one in the middle goes and comes back; the first goes and the others stay.
    const numbers = (from: number) => statements.map((_one, i) => from + i);
    await traced.disarmNumbers(numbers(1000));
    expect(await arm(1000)).toEqual(places);
    await traced.disarmNumbers(numbers(0));
    const [plain, ran] = [await runPlain(path, 'go'), await traced.end('go')];
    expect(ran).toEqual(plain);
    const { counted } = traced.rings();
    const hits = (from: number) => numbers(from).map((number) => counted.get(number) ?? 0);
    expect(hits(0).every((count) => count === 0)).toBe(true);
    expect(hits(1000)).toEqual(hits(2000));
    expect(Math.max(...hits(1000))).toBeGreaterThan(0);
  },
);

it('[break.conditions] a statement sees the registers as the program has them', async () => {
  const path = buildTarget('engine/plain.c', ['-O0', '-pthread']);
  const statements = allStatements(path, /plain\.c$/).slice(0, 40);
  await using traced = await EngineProgram.start(path);
  // The stack pointer is below the frame pointer, and not 0.
  const word = (register: number): bigint => BigInt(condition.stack | (register << 8) | (8 << 16));
  const codes = await traced.armStatements(statements, 0, {
    condition: [word(7), word(6), BigInt(condition.less)],
  });
  expect(codes).toContain('hooked');
  await traced.end('go');
  const events = traced.rings().threads.flatMap((thread) => thread.events);
  expect(events.length).toBeGreaterThan(0);
});
