import { expect, test } from 'vitest';
import { className } from '../../../src/model/names/className.ts';

test.each([
  ['4Leaf', 'Leaf'],
  ['N1b4LeafE', 'b::Leaf'],
  ['*N12_GLOBAL__N_15LocalE', '(anonymous namespace)::Local'],
  ['St13runtime_error', 'std::runtime_error'],
  ['NSt8ios_base7failureB5cxx11E', 'std::ios_base::failure'],
  ['N3foo3BarINS_3BazEEE', 'foo::Bar<foo::Baz>'],
  ['3BoxIiLi3ELb1EE', 'Box<int, 3, true>'],
  ['3BoxIJPKcSt6vectorIiSaIiEEEE', 'Box<char const*, std::vector<int, std::allocator<int>>>'],
  ['4PairI3FooS0_LinE', '4PairI3FooS0_LinE'],
  ['4PairI3FooS0_E', 'Pair<Foo, Foo>'],
  ['N4mainEUlvE_', 'N4mainEUlvE_'],
  ['Z4mainEUlvE_', 'Z4mainEUlvE_'],
  ['Z4mainE3$_0', 'main::$_0'],
  ['ZN3app3runEiPKcE5Local_1', 'app::run::Local'],
  ['3BoxIPFiPKcEE', 'Box<int (*)(char const*)>'],
  ['3BoxIPPFvvEE', 'Box<void (**)()>'],
  [
    'NSt3__110__function6__funcIPFiiENS_9allocatorIS3_EES2_EE',
    'std::__1::__function::__func<int (*)(int), std::__1::allocator<int (*)(int)>, int (int)>',
  ],
  [
    'NSt3__110__function6__funcIZ4mainE3$_0NS_9allocatorIS2_EEFiiEEE',
    'std::__1::__function::__func<main::$_0, std::__1::allocator<main::$_0>, int (int)>',
  ],
  ['99short', '99short'],
  ['', ''],
])('the class %s is called %s', (mangled, name) => {
  expect(className(mangled)).toBe(name);
});

test('a name of any length and shape ends', () => {
  expect(className('P'.repeat(100_000))).toBe('P'.repeat(100_000));
  expect(className('Z'.repeat(100_000))).toBe('Z'.repeat(100_000));
  expect(className(`${'N'.repeat(5000)}1aE`)).toContain('1aE');
});
