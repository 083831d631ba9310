import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readableFromLinkage } from '../../../src/symbols/names/readableName.ts';
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
