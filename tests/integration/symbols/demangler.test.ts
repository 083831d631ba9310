import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LambdaNames } from '../../../src/symbols/native/names/lambdaNames.ts';
import { readableFromLinkage } from '../../../src/symbols/native/names/readableName.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';

test.each([
  ['_ZN4bank7Account7depositEl', 'bank::Account::deposit(long)'],
  ['_ZN12_GLOBAL__N_13fooEv', '(anonymous namespace)::foo()'],
  ['_ZZ4mainENKUliE_clEi', 'main::{lambda(int)#1}::operator()(int) const'],
  ['_ZN3foo3bar17h05af221e174051e9E', 'foo::bar'],
  ['_ZN3foo3bar17h05af221e174051e9E.llvm.1234', 'foo::bar'],
  ['_RNvCs1234_7mycrate3foo', 'mycrate::foo'],
  ['_Z3foov.isra.0', 'foo()'],
  ['_Z3foov.constprop.0.cold', 'foo()'],
  ['_ZN3foo3bar17h05af221e174051e9E.1996', 'foo::bar'],
  // A word of an ending inside a legacy Rust name is none.
  [
    '_ZN59_$LT$naga..ir..Expression$u20$as$u20$core..clone..Clone$GT$5clone17ha2339450d17240deE',
    '<naga::ir::Expression as core::clone::Clone>::clone',
  ],
  ['_Z', '_Z'],
  ['_Znonsense', '_Znonsense'],
  // Functions of Go.
  ['main.part', 'main.part'],
  ['example.com/tea.clone', 'example.com/tea.clone'],
  ['_foo', '_foo'],
  ['main', 'main'],
  ['', ''],
])('%s is %s', (name, expected) => {
  using library = new TestLibrary();
  expect(library.demangler.demangle(name)).toBe(expected);
});

test('no text breaks it, and names after it are still read', () => {
  using library = new TestLibrary();
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^_(?:Z|R)[NKSTIEJLvi0-9_a-z]{0,40}$/)),
      (text) => {
        library.demangler.demangle(text);
        expect(library.demangler.demangle('_Z3foov')).toBe('foo()');
      },
    ),
    { numRuns: 2000 },
  );
  expect(library.demangler.demangle(`_Z${'P'.repeat(15_000)}`)).toContain('P');
  expect(library.demangler.demangle('_Z3foov')).toBe('foo()');
});

test.each([
  [
    'a::{impl#0}::area',
    '_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE',
    '<alloc::string::String as core::fmt::Display>::fmt',
  ],
  [
    'p::q::{impl#0}::scaled',
    '_ZN1p1q48_$LT$impl$u20$p..Shape$u20$for$u20$p..Square$GT$6scaled17hd9b58e38fa498989E',
    '<p::Square as p::Shape>::scaled',
  ],
  [
    'a::{impl#0}::run::{closure#3}',
    '_ZN1a3run28_$u7b$$u7b$closure$u7d$$u7d$17h446b7e81ab865007E',
    'a::run::{closure#3}',
  ],
  ['a::{impl#0}::f', 'unreadable', 'a::{impl#0}::f'],
])('the path %s is read with its linkage name', (path, linkage, expected) => {
  using library = new TestLibrary();
  expect(readableFromLinkage(path, linkage, library.demangler)).toBe(expected);
});

/** As gcc and clang call them: alike but for a number, with signatures and scopes in which the same letters stand, inside each other. */
const lambdas = [
  ...['', '0', '1', '9', '10', '99'].map((n) => `_ZZ3allIJLi1ELi2EEEivENKUlvE${n}_clEv`),
  ...['', '4'].map((n) => `_ZZL4nestiENKUlPKcE${n}_clES0_`),
  ...['', '5'].map((n) => `_ZZL4nestiENKUlN3foo4E5_xEE${n}_clES0_`),
  ...['', '6'].map((n) => `_ZZL4nestiENKUlN3foo4E6_xEE${n}_clES0_`),
  ...['', '0'].map((n) => `_ZZL4nestiENKUlT_E${n}_clIiEEDaS_`),
  ...['', '0', '3'].map((n) => `_ZZ5UlvE_iENKUlvE${n}_clEv`),
  ...['', '0', '3'].map((n) => `_ZZN5UlE3_1rEvENKUlvE${n}_clEv`),
  ...['', '0'].map((n) => `_ZZZL4nestiENKUlvE${n}_clEvENKUlvE_clEv`),
  ...['', '0', '00', 'x'].map((n) => `_ZNKUlvE${n}_clEv`),
  '_ZNK1S1mMUlvE_clEv',
  '_Z4callIZL4nestiEUlvE0_EiT_',
  '_Z5UlvE_v',
  'Ul',
];

test('a lambda that is named like the one before has the name that it has alone', () => {
  using library = new TestLibrary();
  const readable = (name: string): string => readableFromLinkage('', name, library.demangler);
  const found: string[] = [];
  for (const before of lambdas) {
    for (const name of lambdas) {
      const names = new LambdaNames();
      names.note(1, before, readable(before));
      expect(names.find(2, name)).toBe(null);
      const text = names.find(1, name);
      if (text === null) continue;
      expect([before, name, text]).toEqual([before, name, readable(name)]);
      if (name !== before) found.push(name);
    }
  }
  expect(found).toContain('_ZZ3allIJLi1ELi2EEEivENKUlvE99_clEv');
  expect(found).toContain('_ZZL4nestiENKUlPKcE4_clES0_');
});
