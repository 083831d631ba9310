import { describe, expect, test } from 'vitest';
import { callsOf, type SeenCall } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget, libcxxFlags } from '../support/targets.ts';

describe('values that lead to functions', () => {
  const { home, client } = withClient();

  async function traced(
    program: string,
    pattern: string,
  ): Promise<(name: string) => Pick<SeenCall, 'arguments' | 'returns'>[]> {
    const run = await runToEnd(client, home, program, { patterns: [pattern] });
    const calls = await callsOf(client, run.sessionId);
    return (name) =>
      calls
        .filter((call) => call.function.replace(/<.*/, '').endsWith(`::${name}`))
        .map(({ arguments: given, returns }) => ({ arguments: given, returns }));
  }

  const address: unknown = expect.stringMatching(/^0x[0-9a-f]+$/);
  const lambda: unknown = expect.stringContaining('lambda');
  const text: unknown = expect.stringContaining('basic_string<char');

  const reason: unknown = expect.stringContaining('does not say where it is');
  const unsaid = { notCaptured: reason };

  /** In two blocks of libc++. */
  const trios = Array.from({ length: 10 }, (_unused, i) => ({
    a: 165 + i,
    b: -165 - i,
    c: 330 + 2 * i,
  }));

  /** `isLeftOut`: that a lambda was passed by value is not told, where only its own unit calls the function. */
  async function areNamed(program: string, isLeftOut = false): Promise<void> {
    const of = await traced(program, 'shop::*');
    const given = (name: string): unknown[] => of(name).map((call) => call.arguments);
    expect(given('compared')).toMatchObject([
      { how: '&shop::ascending', a: 1, b: 2 },
      { how: '&shop::descending' },
    ]);
    expect(given('handled')).toMatchObject([
      { handler: { name: 'up', compare: '&shop::ascending' } },
    ]);
    expect(given('later')).toMatchObject([
      { work: { calls: 'int (*)(int)', stored: '&shop::doubled' } },
      { work: { calls: lambda } },
      { work: 'empty' },
    ]);
    expect(given('member')).toMatchObject([
      { what: { function: '&shop::Till::add', adjusts: 0 }, till: { cents: 7 } },
      { what: { function: 'virtual Till::close', adjusts: 0 } },
    ]);
    // Arguments are evaluated in an order of the compiler's.
    const placed = given('placed').map((call) => JSON.stringify(at(call, 'what')));
    expect(new Set(placed)).toEqual(
      new Set([
        '{"function":"virtual Till::close","adjusts":0}',
        '{"function":"virtual Desk::own","adjusts":0}',
        '{"function":{"virtual":1},"adjusts":16}',
        '{"function":"null","adjusts":0}',
        '{"function":"&shop::Till::add","adjusts":0}',
      ]),
    );
    expect(given('fixed')).toEqual([{ all: { address, value: [1, 2, 3] } }]);
    holdAlike(given);
    const captured = { offset: 5, factor: 3 };
    expect(given('applied')).toEqual([{ work: isLeftOut ? unsaid : captured }]);
  }

  /** What both libraries keep in ways of their own. */
  function holdAlike(given: (name: string) => unknown[]): void {
    const list = (...value: readonly number[]): unknown => ({ address, value });
    expect(given('adapted')).toEqual([
      { queue: list(3, 8, 4), stack: list(3, 8, 4), heap: list(8, 3, 4) },
    ]);
    expect(given('tail')).toEqual([{ trios: { address, value: trios } }]);
    expect(given('anything')).toEqual([
      { what: { address, type: 'int' } },
      { what: { address, type: text } },
      { what: { address, value: 'empty' } },
    ]);
  }

  for (const level of ['-O0', '-O2']) {
    test(`[values.functions] C++ by gcc, ${level}`, async () => {
      await areNamed(buildTarget('e2e/callbacks.cpp', ['-std=c++20', level]));
    });
    itNeeds('clangBuilds', `[values.functions] C++ by clang, ${level}`, async () => {
      const program = buildByClang('e2e/callbacks.cpp', ['-std=c++20', level]);
      await areNamed(program, level === '-O2');
    });
  }

  for (const flags of ['-O0 -gdwarf-5', '-O2 -gdwarf-4']) {
    itNeeds('libcxx', `[values.functions] LLVM's C++ library, ${flags}`, async () => {
      const program = buildByClang('e2e/callbacks.cpp', [...libcxxFlags, ...flags.split(' ')]);
      const of = await traced(program, 'shop::*');
      const given = (name: string): unknown[] => of(name).map((call) => call.arguments);
      const called = (type: RegExp): unknown => {
        const name: unknown = expect.stringMatching(type);
        return { work: { class: name } };
      };
      expect(given('later')).toMatchObject([
        called(/^std::__1::__function::__func<int \(\*\)\(int\)/),
        called(/^std::__1::__function::__func<main::\$_0/),
        { work: null },
      ]);
      holdAlike(given);
    });
  }

  for (const level of ['0', '2']) {
    itNeeds('rustc', `[values.functions] Rust, opt-level=${level}`, async () => {
      const flags = ['-C', `opt-level=${level}`];
      const of = await traced(buildTarget('e2e/callbacks.rs', flags), 'callbacks::*');
      const object = (method: string, fields: object): unknown => ({
        shape: { pointer: { address, ...fields }, vtable: { address, value: method } },
      });
      const circle = { class: 'callbacks::Circle', radius: 2 };
      const named = { class: 'callbacks::Named', name: 'ab' };
      expect(of('shown')).toEqual([
        { arguments: object('&<callbacks::Circle as callbacks::Shape>::area', circle), returns: 6 },
      ]);
      expect(of('owned')).toEqual([
        { arguments: object('&<callbacks::Named as callbacks::Shape>::area', named), returns: 2 },
      ]);
      // Optimised, only its vtable is passed.
      const whole = { pointer: address, vtable: address };
      const why: unknown = expect.any(String);
      const any = level === '0' ? whole : { notCaptured: why };
      // What changed how it is called may have removed its result too.
      const returns = level === '0' ? 2 : { notCaptured: why };
      expect(of('marked')).toEqual([{ arguments: { any }, returns }]);
      const absolute: unknown = expect.stringContaining('::abs');
      expect(of('applied').map((call) => call.arguments)).toEqual([
        { work: '&callbacks::twice', to: 4 },
        { work: absolute, to: -1 },
      ]);
      const number = -(1n << 100n);
      expect(of('wide')).toEqual([
        {
          arguments: { before: 1, number: String(number), behind: 7 },
          returns: String(number - 8n),
        },
      ]);
    });
  }
});
