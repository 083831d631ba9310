import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FoundFunction } from '../../../src/model/functions/foundFunction.ts';
import { linesOfStatements } from '../../support/linesOfStatements.ts';
import { itNeeds } from '../../support/needs.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';

/** Function symbols by address, as binutils reads them: several names may share one. */
function symbolsAt(program: string): Map<number, { name: string; size: number }[]> {
  const output = execFileSync('nm', ['-S', '--defined-only', program], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const symbols = new Map<number, { name: string; size: number }[]>();
  for (const [, address, size, name] of output.matchAll(
    /^([0-9a-f]{16}) ([0-9a-f]{16}) [tTwW] (\S+)$/gm,
  )) {
    const at = Number.parseInt(address ?? '', 16);
    symbols.set(at, [
      ...(symbols.get(at) ?? []),
      { name: name ?? '', size: Number.parseInt(size ?? '', 16) },
    ]);
  }
  return symbols;
}

/** File and line of addresses, as binutils reads the debug information. */
function sourceOf(program: string, functions: readonly { readonly address: number }[]): string[] {
  const addresses = functions.map((fn) => `0x${fn.address.toString(16)}`).join('\n');
  const output = execFileSync('addr2line', ['-e', program], { encoding: 'utf8', input: addresses });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => basename(line.replace(/ \(discriminator.*$/, '')));
}

/** Functions whose address, size or linkage name binutils does not know so. */
function unknownToBinutils(program: string, functions: readonly FoundFunction[]): string[] {
  const symbols = symbolsAt(program);
  return functions
    .filter(
      (fn) =>
        !symbols
          .get(fn.address)
          ?.some(({ name, size }) => size === fn.size && name === fn.linkageName),
    )
    .map((fn) => `${fn.linkageName} ${fn.size}: ${JSON.stringify(symbols.get(fn.address))}`);
}

const variants = [
  ['unoptimised', ['-O0']],
  ['unoptimised, DWARF 4', ['-O0', '-gdwarf-4']],
  ['optimised', ['-O2']],
  ['compressed sections', ['-O2', '-gz']],
  ['type units', ['-O0', '-fdebug-types-section']],
  ['64-bit DWARF', ['-O0', '-gdwarf64']],
  ['link-time optimised', ['-O2', '-flto']],
] as const;

describe('a C++ program', () => {
  test.each(variants)(
    '[symbols.elf] [symbols.dwarf] %s: addresses, sizes, linkage names and lines equal those of binutils',
    (_title, flags) => {
      using library = new TestLibrary();
      const program = buildTarget('symbols/names.cpp', flags);
      const all = library.find(program, '**');
      const own = library.find(program, '@file:names.cpp');
      expect(all.length).toBeGreaterThan(10);
      expect(own.length).toBeGreaterThan(5);
      expect(unknownToBinutils(program, all)).toEqual([]);
      // Optimised code may begin with a line of what was inlined; addr2line of binutils 2.40 reads no 64-bit line tables.
      if (flags[0] === '-O0' && flags[1] !== '-gdwarf64')
        expect(own.map((fn) => `${basename(fn.file ?? '')}:${fn.line}`)).toEqual(
          sourceOf(program, own),
        );
    },
  );

  test('[symbols.demangle] names its functions as the source does', () => {
    using library = new TestLibrary();
    const program = buildTarget('symbols/names.cpp', ['-O0']);
    const own = library.find(program, '@file:names.cpp');
    expect([...new Set(own.map((fn) => `${fn.signature}:${fn.line}`))].toSorted().join('\n'))
      .toMatchInlineSnapshot(`
      "(anonymous namespace)::Hidden::get(int):11
      (anonymous namespace)::loose(int):12
      bank::Stack<int, 4>::push(const int&):39
      bank::tiny(int):42
      bank::twice<double>(double):41
      bank::twice<int>(int):41
      bank::v2::Account::Account(long):18
      bank::v2::Account::Limits::check(long):34
      bank::v2::Account::deposit(const string&):32
      bank::v2::Account::deposit(long):31
      bank::v2::Account::open(long):25
      bank::v2::Account::operator bool():24
      bank::v2::Account::operator()(long):23
      bank::v2::Account::operator<(const Account&):33
      bank::v2::Account::~Account():30
      main(int, char**):49
      main::Local::run(int):52
      main::{lambda(int,int)#2}::operator()(int, int):56
      main::{lambda(long)#1}::operator()(long):51
      plain_c(int, double):48
      unlikely(int):44"
    `);
    const shapes = [
      'loose',
      'Account::deposit',
      'bank::v2::Account::deposit(long)',
      '**::Account::operator()',
      'bank::Stack<*>::push',
      'bank::Stack::push',
      '**::Account::operator<',
      '**::Limits::*',
      'bank::twice(double)',
      '(anonymous namespace)::*',
      'main::**',
      'plain_*',
    ];
    expect(
      Object.fromEntries(
        shapes.map((pattern) => [
          pattern,
          library.find(program, pattern).map((fn) => fn.signature),
        ]),
      ),
    ).toMatchInlineSnapshot(`
      {
        "(anonymous namespace)::*": [
          "(anonymous namespace)::loose(int)",
        ],
        "**::Account::operator()": [
          "bank::v2::Account::operator()(long)",
        ],
        "**::Account::operator<": [
          "bank::v2::Account::operator<(const Account&)",
        ],
        "**::Limits::*": [
          "bank::v2::Account::Limits::check(long)",
        ],
        "Account::deposit": [],
        "bank::Stack::push": [
          "bank::Stack<int, 4>::push(const int&)",
        ],
        "bank::Stack<*>::push": [
          "bank::Stack<int, 4>::push(const int&)",
        ],
        "bank::twice(double)": [
          "bank::twice<double>(double)",
        ],
        "bank::v2::Account::deposit(long)": [
          "bank::v2::Account::deposit(long)",
        ],
        "loose": [
          "(anonymous namespace)::loose(int)",
        ],
        "main::**": [
          "main::{lambda(long)#1}::operator()(long)",
          "main::Local::run(int)",
          "main::{lambda(int,int)#2}::operator()(int, int)",
        ],
        "plain_*": [
          "plain_c(int, double)",
        ],
      }
    `);
  });

  test('says into whom a function without code of its own was inlined, and leaves out cold pieces', () => {
    using library = new TestLibrary();
    const program = buildTarget('symbols/names.cpp', ['-O2']);
    expect(library.search(program, 'bank::tiny')).toEqual({
      functions: [],
      inlined: [{ name: 'bank::tiny', callers: ['unlikely'], sites: 1 }],
      moreInlined: 0,
      leftOut: [],
      nearest: [],
      notes: [],
    });
    expect(
      library.find(program, '**').filter((fn) => /\.(?:cold|part)/.test(fn.linkageName)),
    ).toEqual([]);
    expect(library.find(program, 'unlikely')).toHaveLength(1);
  });

  test('tells of hundreds of inlined functions the own ones first, and counts the others', () => {
    using library = new TestLibrary();
    const program = buildTarget('symbols/crowd.cpp', ['-O1', '-std=c++17']);
    const { inlined, moreInlined } = library.search(program, '**');
    const own = inlined.filter(({ name }) => name.startsWith('app::'));
    expect(own).toHaveLength(160 + 161);
    expect(inlined.slice(0, own.length)).toEqual(own);
    expect(inlined.length + moreInlined).toBe(160 * 2 + 161);
    expect(moreInlined).toBe(81);
  });

  test.each([['-O0'], ['-O2'], ['-gdwarf-4']])(
    '%s: the line of every third byte of code is that of addr2line or of the statement there',
    (flag) => {
      using library = new TestLibrary();
      const program = buildTarget('symbols/names.cpp', [flag]);
      const code = library.library.code(program);
      const addresses = library.find(program, '@file:names.cpp').flatMap((fn) =>
        Array.from({ length: Math.ceil(fn.size / 3) }, (_unused, i) => ({
          address: fn.address + i * 3,
        })),
      );
      const places = addresses.map(({ address }) => code.placeOf(address));
      const ours = places.map(({ file, line }) => `${basename(file ?? '??')}:${line ?? '?'}`);
      const theirs = sourceOf(program, addresses);
      const isRight = linesOfStatements(program);
      expect(theirs).toHaveLength(ours.length);
      const different = addresses.flatMap(({ address }, i) =>
        isRight(address, ours[i] ?? '', theirs[i] ?? '') ? [] : [`${ours[i]}, not ${theirs[i]}`],
      );
      expect(different).toEqual([]);
      expect(code.placeOf(1)).toEqual({ name: null, offset: 0, file: null, line: null });
    },
  );

  test.each(variants)(
    '%s: code at an address is of the function the index has there',
    (_name, flags) => {
      using library = new TestLibrary();
      const program = buildTarget('symbols/names.cpp', flags);
      const code = library.library.code(program);
      const { index } = library.library.get(program);
      const named = new Map<number, Set<string>>();
      index.addresses.forEach((address, row) => {
        const names = named.get(address) ?? new Set();
        named.set(address, names.add(library.library.get(program).nameOf(row)));
      });
      expect(named.size).toBeGreaterThan(10);
      for (const [address, names] of named)
        expect(names).toContain(code.functionAt(address)?.name ?? `nothing at ${address}`);
    },
  );

  itNeeds('gdb', 'has the parameters gdb sees', () => {
    using library = new TestLibrary();
    const program = buildTarget('symbols/names.cpp', ['-O0']);
    const own = library.find(program, '@file:names.cpp');
    const commands = own.flatMap((fn) => [
      '-ex',
      `printf "AT ${fn.address}\\n"`,
      '-ex',
      `info scope *${fn.address}`,
    ]);
    const output = execFileSync('gdb', ['-q', '-nx', '-batch', ...commands, program], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const scopes = new Map(output.split('AT ').map((text) => [Number.parseInt(text, 10), text]));
    const missing = own.flatMap((fn) =>
      fn.parameters
        .filter((parameter) => !scopes.get(fn.address)?.includes(`Symbol ${parameter.name} is`))
        .map((parameter) => `${fn.name} ${parameter.name}`),
    );
    expect(own.flatMap((fn) => fn.parameters).length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  test('[symbols.elf] without debug information has names only; stripped has no names but those it exports', () => {
    using library = new TestLibrary();
    const bare = buildTarget('symbols/names.cpp', ['-g0'], 'bare');
    const deposit = library.find(bare, '**::deposit(long)');
    expect(deposit).toMatchObject([
      {
        signature: 'bank::v2::Account::deposit(long)',
        parameters: [],
        stackBytes: null,
        file: null,
        line: null,
      },
    ]);
    expect(library.library.open(bare, () => {})).toMatchObject({
      debugInfo: 'symtab',
      dwarfVersion: null,
    });
    const stripped = buildTarget('symbols/names.cpp', ['-g0', '-s'], 'stripped');
    expect(library.library.open(stripped, () => {})).toMatchObject({
      debugInfo: 'none',
    });
    expect(library.find(stripped, '**').filter(({ name }) => !name.startsWith('sub_'))).toEqual([]);
  });
});

describe('a Rust program', () => {
  for (const [title, flags] of [
    ['DWARF 4', []],
    ['DWARF 5', ['-C', 'dwarf-version=5']],
    ['optimised, v0 names', ['-C', 'opt-level=3', '-C', 'symbol-mangling-version=v0']],
  ] as const) {
    itNeeds(
      'rustc',
      `${title}, with the library of the language: sizes and linkage names equal those of binutils`,
      () => {
        using library = new TestLibrary();
        const program = buildTarget('symbols/places.rs', flags);
        const all = library.find(program, '**');
        expect(all.length).toBeGreaterThan(400);
        expect(all.filter((fn) => /\{impl#|17h[0-9a-f]{16}/.test(fn.name))).toEqual([]);
        expect(unknownToBinutils(program, all)).toEqual([]);
      },
    );
  }
});
