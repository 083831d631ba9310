import { expect, it } from 'vitest';
import { captureOp, captureReturn } from '../../src/protocol/record.ts';
import { pairCalls } from '../support/callPairs.ts';
import { type Capture, EngineProgram, op, runPlain } from '../support/engineProgram.ts';
import { itNeeds } from '../support/needs.ts';
import { buildByClang, buildTarget } from '../support/targets.ts';

const first = op(captureOp.integer, 0);
/** Ways through the thunks: fast, through C, and with copied stack arguments. */
const ways: readonly Capture[] = [
  { ops: [first] },
  { ops: [op(captureOp.float, 0), first], returns: captureReturn.none },
  { ops: [first], stackBytes: 256 },
];

const wanted =
  /thrower|guarded|caughtNear|rethrows|caughtFar|deep|worker|isNoexcept|^descend$|^checked$|^main$/;

async function compare(path: string, line: string, way: Capture) {
  await using traced = await EngineProgram.start(path, { ringBytes: 1 << 23 });
  const names = traced.functions().filter((name) => wanted.test(name));
  const verdicts = await traced.arm(Object.fromEntries(names.map((name) => [name, way])));
  const [plain, ran] = [await runPlain(path, line), await traced.end(line)];
  const threads = traced
    .rings()
    .threads.map(({ events, broken }) => ({ ...pairCalls(events), broken }));
  return { plain, ran, verdicts, threads };
}

const flags = {
  'the shared unwinder': ['-O1', '-pthread'],
  'the shared unwinder, optimised': ['-O2', '-pthread'],
  'its own unwinder': ['-O2', '-static-libgcc', '-static-libstdc++', '-pthread'],
};

async function throwThrough(path: string): Promise<void> {
  for (const way of ways) {
    const { plain, ran, verdicts, threads } = await compare(path, 'go', way);
    expect(Object.values(verdicts)).toEqual(Object.values(verdicts).map(() => 'hooked'));
    expect(ran).toEqual(plain);
    expect(threads).toHaveLength(5);
    for (const thread of threads) {
      expect(thread).toMatchObject({ unpaired: 0, abandoned: 0, broken: 0 });
      expect(thread.counts.unwound).toBeGreaterThan(4_000);
    }
  }
}

it.each(Object.entries(flags))(
  'C++ exceptions through traced frames, with %s [unwinding.cpp] [unwinding.static-libgcc]',
  async (_, flag) => throwThrough(buildTarget('engine/exceptions.cpp', flag)),
);

for (const [unwinder, flag] of Object.entries(flags)) {
  itNeeds(
    'clangBuilds',
    `C++ exceptions of clang through traced frames, with ${unwinder} [unwinding.cpp]`,
    async () => throwThrough(buildByClang('engine/exceptions.cpp', ['-std=c++17', ...flag])),
  );
}

it('an uncaught exception aborts as untraced [unwinding.uncaught]', async () => {
  const path = buildTarget('engine/exceptions.cpp', ['-O2', '-pthread']);
  const { plain, ran } = await compare(path, 'abort', { ops: [first] });
  expect(plain.signal).toBe('SIGABRT');
  expect(ran).toEqual(plain);
});

itNeeds('rustc', 'Rust panics through traced frames, caught and not [unwinding.rust]', async () => {
  const path = buildTarget('engine/panics.rs');
  for (const [line, code] of [
    ['go', 9],
    ['abort', 101],
  ] as const) {
    for (const way of ways) {
      const { plain, ran, threads } = await compare(path, line, way);
      expect(plain.code).toBe(code);
      expect(ran).toEqual(plain);
      expect(threads.map(({ counts }) => counts.unwound).reduce((a, b) => a + b, 0)).toBe(
        line === 'go' ? 105 + 11 + 12 + 13 + 14 : 105 + 11 + 12 + 13 + 14 + 3,
      );
    }
  }
});
