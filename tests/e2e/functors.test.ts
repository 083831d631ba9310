import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget, libcxxFlags } from '../support/targets.ts';

const source = 'e2e/functors.cpp';
const address: unknown = expect.stringMatching(/^0x[0-9a-f]+$/);
const lambda: unknown = expect.stringContaining('lambda');
const greeting = 'good morning to all of you, dear customers';

/** What a library puts around what is stored: of what calls it, and of what it stores on the heap or in the object itself. */
interface Library {
  readonly inside: (stored: unknown, calls?: unknown) => unknown;
  readonly outside: (stored: object, calls?: unknown) => unknown;
  readonly empty: unknown;
}

const libstdcxx: Library = {
  inside: (stored, calls = lambda) => ({ calls, ...(stored === null ? {} : { stored }) }),
  outside: (stored, calls = lambda) => ({ calls, stored: { address, ...stored } }),
  empty: 'empty',
};

const named = (part: unknown): unknown =>
  expect.stringContaining(typeof part === 'string' ? `__func<${part}` : '__func<main::$_');
const libcxx: Library = {
  inside: (stored, calls) => ({
    address,
    class: named(calls),
    ...(stored === null ? {} : { stored }),
  }),
  outside: (stored, calls) => ({ address, class: named(calls), stored }),
  empty: null,
};

describe('what a std::function holds', () => {
  const { home, client } = withClient();

  async function traced(program: string): Promise<(name: string) => unknown[]> {
    const run = await runToEnd(client, home, program, { patterns: ['shop::*'] });
    const calls = await callsOf(client, run.sessionId);
    return (name) =>
      calls
        .filter((call) => call.function === `shop::${name}`)
        .map(({ arguments: given, returns }) => (name === 'made' ? returns : given));
  }

  async function holds(program: string, { inside, outside, empty }: Library): Promise<void> {
    const of = await traced(program);
    const pointer: unknown = expect.objectContaining({ address });
    expect(of('called').map(referred)).toEqual([
      inside({ offset: 5 }),
      inside({ level: -7 }),
      inside({ offset: 5, factor: 3 }),
      inside({ sum: pointer }),
      inside(null),
      outside({ offset: 5, factor: 3, level: -7 }),
      outside({ greeting, prices: [30, 10, 20] }),
      outside({ owned: { address, value: 77, owners: 2 } }),
      outside({ factor: 5, unit: 'kg' }, 'shop::Scaled'),
      inside('&shop::doubled', 'int (*)(int)'),
      empty,
      expect.objectContaining({}),
      inside({ number: -1 }),
      inside({ count: 4_000_000_000 }),
    ]);
    expect(of('passed')).toEqual([{ work: inside({ offset: 5 }) }]);
    expect(of('done')).toEqual([{ job: { address, number: 8, work: inside({ level: -7 }) } }]);
    expect(of('run').map(referred)).toEqual([inside({ sum: pointer, by: 50 })]);
    const own = libcxx.inside({ by: 9 }, 'shop::made::$_0');
    expect(of('made')).toEqual([empty === null ? own : libstdcxx.inside({ by: 9 })]);
  }

  for (const level of ['-O0', '-O2']) {
    test(`[values.functors] libstdc++ by gcc, ${level}`, async () => {
      await holds(buildTarget(source, ['-std=c++20', level]), libstdcxx);
    });
    itNeeds('clangBuilds', `[values.functors] libstdc++ by clang, ${level}`, async () => {
      await holds(buildByClang(source, ['-std=c++20', level, '-gdwarf-4']), libstdcxx);
    });
    itNeeds('libcxx', `[values.functors] LLVM's library, ${level}`, async () => {
      await holds(buildByClang(source, [...libcxxFlags, level]), libcxx);
    });
  }

  /** What nothing is known of: its own captures must not be shown as those of another. */
  const type: unknown = expect.any(String);
  const unknown = { calls: type, stored: address };

  test('[values.functors] what another library stored is not read', async () => {
    const flags = ['-std=c++20', '-O0', '-g0', '-shared', '-fPIC'];
    const library = buildTarget('e2e/functorLibrary.cpp', flags, 'libfunctors.so');
    const place = dirname(library);
    const of = await traced(
      buildTarget(source, ['-std=c++20', '-O0', '-DFOREIGN', library, `-Wl,-rpath,${place}`]),
    );
    expect(of('called').map(referred)).toContainEqual(unknown);
    expect(of('passed')).toEqual([{ work: libstdcxx.inside({ offset: 5 }) }]);
  });

  test('[values.functors] nor is what is called by code the linker made one of two', async () => {
    const folding = ['-ffunction-sections', '-fuse-ld=gold', '-Wl,--icf=all'];
    const of = await traced(buildTarget(source, ['-std=c++20', '-O2', ...folding]));
    const called = of('called').map(referred);
    expect([called[0], called.at(-2)]).toEqual([unknown, unknown]);
    expect(called[2]).toEqual(libstdcxx.inside({ offset: 5, factor: 3 }));
  });
});

/** What the argument refers to, without its place. */
function referred(given: unknown): unknown {
  const work = at(given, 'work');
  if (at(work, 'value') !== undefined) return at(work, 'value');
  return Object.fromEntries(Object.entries(work ?? {}).filter(([name]) => name !== 'address'));
}
