import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { contradictions } from '../support/contradictions.ts';
import { itNeeds } from '../support/needs.ts';
import { at } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget, libcxxFlags } from '../support/targets.ts';

type Plain = Readonly<Record<string, unknown>>;

/** Clang gives no location at all of some parameters it passes. */
function isUnsaid(value: unknown): boolean {
  return String(at(value, 'notCaptured')).endsWith('does not say where it is');
}

/** A captured value without what no program can print of itself: addresses. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value === 'string')
    return value.startsWith('<circular ref')
      ? 'circular'
      : value.replace(/^0x[0-9a-f]{6,}$/, 'an address');
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'address');
  const [only] = fields;
  if (only?.[0] === 'value' && fields.length === 1 && 'address' in value) return bare(only[1]);
  return Object.fromEntries(fields.map(([name, inner]) => [name, bare(inner)]));
}

interface Program {
  readonly title: string;
  readonly source: string;
  readonly standard: readonly string[];
  readonly pattern?: string;
  readonly calls: number;
  /** Parameters optimised code of clang's does not tell. */
  readonly unsaid?: readonly string[];
}

describe('whole values', () => {
  const { home, client } = withClient();

  /** Each line the program printed, and what was captured of that call. */
  async function compared(
    program: string,
    pattern: string | { readonly pattern: string },
  ): Promise<readonly (readonly [string, Plain, Plain])[]> {
    const asked = typeof pattern === 'string' ? { pattern, depth: 3 } : pattern;
    const run = await runToEnd(client, home, program, { patterns: [asked] });
    const calls = await callsOf(client, run.sessionId);
    const output = execFileSync(program, { encoding: 'utf8' });
    const printed = output.split('\n').filter((line) => line !== '');
    return printed.map((line) => {
      const [name, text] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' '))];
      const call = calls.find(({ function: own }) => own.split('::').at(-1) === name);
      // oxlint-disable-next-line typescript/no-unsafe-assignment -- the target writes what is compared.
      const wanted: Record<string, unknown> = JSON.parse(text);
      const { return: returned, ...given } = wanted;
      const captured = {
        ...Object.fromEntries(Object.entries(call?.arguments ?? {}).map(([k, v]) => [k, bare(v)])),
        ...(returned === undefined ? {} : { return: bare(call?.returns) }),
      };
      return [
        name,
        captured,
        { ...given, ...(returned === undefined ? {} : { return: returned }) },
      ];
    });
  }

  const builds = ['-O0 -gdwarf-5', '-O2 -gdwarf-5', '-O0 -gdwarf-4', '-O2 -gdwarf-4'];
  const programs: readonly Program[] = [
    {
      title: 'C',
      source: 'e2e/wholeC.c',
      standard: [],
      calls: 8,
      pattern: '@file:**/wholeC.c',
      unsaid: ['wide s', 'huge v'],
    },
    {
      title: 'C++',
      source: 'e2e/wholeCpp.cpp',
      standard: ['-std=c++20'],
      calls: 8,
      unsaid: ['choices some'],
    },
    {
      title: 'C at the edges',
      source: 'e2e/wholeEdges.c',
      standard: [],
      calls: 9,
      pattern: '@file:**/wholeEdges.c',
      unsaid: ['complexes a', 'complexes c', 'regs d'],
    },
    {
      title: 'C++ at the edges',
      source: 'e2e/wholeEdges.cpp',
      standard: ['-std=c++20'],
      calls: 7,
      pattern: 'whole::**',
    },
    { title: 'C++ classes', source: 'e2e/wholeClasses.cpp', standard: ['-std=c++20'], calls: 4 },
    { title: 'more C++', source: 'e2e/wholeMore.cpp', standard: ['-std=c++20'], calls: 8 },
  ];

  for (const { title, source, standard, pattern = 'whole::*', calls, unsaid = [] } of programs) {
    const isAsPrinted = async (program: string, silent: readonly string[] = []): Promise<void> => {
      const all = await compared(program, pattern);
      expect(all.map(([name]) => name)).toHaveLength(calls);
      const left = all.flatMap(([name, captured]) =>
        Object.keys(captured)
          .filter((key) => isUnsaid(captured[key]))
          .map((key) => `${name} ${key}`),
      );
      expect(left.toSorted()).toEqual(silent.toSorted());
      for (const [name, captured, printed] of all) {
        const isTold = ([key]: readonly [string, unknown]): boolean => !isUnsaid(captured[key]);
        const told = Object.fromEntries(Object.entries(captured).filter(isTold));
        const wanted = Object.fromEntries(Object.entries(printed).filter(isTold));
        expect({ [name]: told }).toEqual({ [name]: wanted });
      }
    };
    test.each(builds)(`[values.whole] ${title}, %s`, async (flags) => {
      await isAsPrinted(buildTarget(source, [...standard, ...flags.split(' ')]));
    });
    for (const flags of builds) {
      itNeeds('clangBuilds', `[values.whole] ${title} by clang, ${flags}`, async () => {
        const isOptimised = flags.startsWith('-O2');
        const program = buildByClang(source, [...standard, ...flags.split(' ')]);
        await isAsPrinted(program, isOptimised ? unsaid : []);
      });
    }
  }

  for (const [source, calls, some = builds] of [
    ['e2e/wholeCpp.cpp', 8],
    ['e2e/wholeClasses.cpp', 4],
    ['e2e/wholeEdges.cpp', 7],
    ['e2e/wholeMore.cpp', 8, ['-O0 -gdwarf-5', '-O2 -gdwarf-4']],
  ] as const) {
    for (const flags of some) {
      itNeeds('libcxx', `[values.whole] LLVM's C++ library, ${source}, ${flags}`, async () => {
        const program = buildByClang(source, [...libcxxFlags, ...flags.split(' ')]);
        const all = await compared(program, 'whole::**');
        expect(all).toHaveLength(calls);
        for (const [name, captured, printed] of all) {
          // Its locks are described in the library's own debug information.
          if (name === 'waits') continue;
          // Clang does not say where the optional is.
          const isLeft = (key: string): boolean => isUnsaid(captured[key]);
          const known = (value: Plain): Plain =>
            Object.fromEntries(Object.entries(value).filter(([key]) => !isLeft(key)));
          expect({ [name]: known(captured) }).toEqual({ [name]: known(printed) });
        }
      });
    }
  }

  test('[values.dynamic] an object seen through a base has its class, which filters find', async () => {
    const program = buildTarget('e2e/wholeClasses.cpp', ['-std=c++20', '-O2']);
    const run = await runToEnd(client, home, program, {
      patterns: [{ pattern: 'whole::*', depth: 1 }],
    });
    const named = async (argument: Readonly<Record<string, unknown>>): Promise<string[]> => {
      const calls = await callsOf(client, run.sessionId, { argument: [argument] });
      return calls.map((call) => call.function);
    };
    expect(await named({ name: 'animal.class', equals: 'zoo::Dog<double>' })).toEqual([
      'whole::bases',
    ]);
    expect(await named({ name: 'shared.class', contains: 'Dog<int>' })).toEqual(['whole::give']);
    expect(await named({ name: 'plain.class', contains: 'Animal' })).toEqual([]);
    expect(await named({ name: 'duck.mass', equals: 7 })).toEqual(['whole::diamond']);
    expect(await named({ name: 'animal.name', equals: 'rex' })).toEqual(['whole::bases']);
  });

  test.each(builds)('[values.dynamic] this has the fields of its class, %s', async (flags) => {
    const program = buildTarget('e2e/wholeClasses.cpp', ['-std=c++20', ...flags.split(' ')]);
    const given = async (depth: number): Promise<readonly unknown[]> => {
      const patterns = [{ pattern: 'zoo::Animal::stepped', depth }];
      const run = await runToEnd(client, home, program, { patterns });
      return (await callsOf(client, run.sessionId)).map((call) => bare(call.arguments['this']));
    };
    const dog = { class: 'zoo::Dog<double>', legs: 4, name: 'rex', food: 0 };
    expect(await given(1)).toEqual([dog]);
    expect(await given(0)).toEqual(['an address']);
  });

  test.each(programs)(
    '[values.far] nothing else is shown where no depth is asked for: $title',
    async ({ source, standard, pattern = 'whole::*', calls }) => {
      const program = buildTarget(source, [...standard, '-O0']);
      const all = await compared(program, { pattern });
      expect(all).toHaveLength(calls);
      for (const [name, captured, printed] of all)
        expect(contradictions(captured, printed, name)).toEqual([]);
    },
  );
  itNeeds(
    'rustc',
    '[values.far] nothing else is shown where no depth is asked for: Rust',
    async () => {
      const all = await compared(buildTarget('e2e/whole.rs'), { pattern: 'whole::whole::*' });
      expect(all).toHaveLength(8);
      for (const [name, captured, printed] of all)
        expect(contradictions(captured, printed, name)).toEqual([]);
    },
  );

  const rust: readonly (readonly [
    title: string,
    source: string,
    pattern: string,
    calls: number,
  ])[] = [
    ['Rust', 'e2e/whole.rs', 'whole::whole::*', 8],
    ['Rust at the edges', 'e2e/wholeEdges.rs', 'wholeEdges::whole::*', 7],
  ];
  for (const [title, source, pattern, calls] of rust)
    for (const level of ['0', '2'])
      for (const version of ['4', '5']) {
        const flags = [`opt-level=${level}`, `dwarf-version=${version}`];
        itNeeds('rustc', `[values.whole] ${title}, ${flags.join(' ')}`, async () => {
          const program = buildTarget(source, [
            '--edition=2021',
            ...flags.flatMap((one) => ['-C', one]),
          ]);
          const all = await compared(program, pattern);
          expect(all.map(([name]) => name)).toHaveLength(calls);
          for (const [name, captured, printed] of all)
            expect({ [name]: captured }).toEqual({ [name]: printed });
        });
      }

  for (const [level, version] of [
    ['0', '5'],
    ['2', '4'],
  ] as const)
    itNeeds('rustc', `[values.whole] durations of Rust, opt-level=${level}`, async () => {
      const flags = ['-C', `opt-level=${level}`, '-C', `dwarf-version=${version}`];
      const program = buildTarget('e2e/durations.rs', ['--edition=2021', ...flags]);
      const all = await compared(program, 'durations::whole::*');
      expect(all.map(([name]) => name)).toEqual(['waits', 'planned']);
      for (const [name, captured, printed] of all)
        expect({ [name]: captured }).toEqual({ [name]: printed });
    });
});
