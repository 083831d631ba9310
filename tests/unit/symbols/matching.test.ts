import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFunctionName, pathSegments } from '../../../src/model/names/functionName.ts';
import { matchesParsedName, parsePattern } from '../../../src/model/names/pattern.ts';
import { matchingNames } from '../../../src/symbols/native/index/matching.ts';
import { NameNumbers, nameAt } from '../../../src/symbols/native/names/nameTree.ts';

const segment = fc.constantFrom(
  'std',
  'bank',
  'f',
  'find',
  'fold',
  'push_back',
  '~Row',
  'Row',
  '_M_x',
  'é',
  'vector<int>',
  'vector<std::pair<int, char> >',
  'Row<(anonymous namespace)::T>',
  'g<(a)1>',
  'h<A, B<C> const*, unsigned long>',
  'k<-1>',
  'm<x->y>',
  'cut<int',
  'after<int>x',
  'two<a><b>',
  'push_back<std::find>',
  'find<int>_back',
  'operator()',
  'operator<',
  'operator<< <char>',
  'operator bool',
  'operator std::string',
  'operator',
  'operator()<int>',
  'operator<<<std::find>',
  'operator->*',
  'operator""_km',
  'operators',
  '(anonymous namespace)',
  '{unnamed type}',
  '{closure#0}',
  '<lambda(int)>',
  'tag[abi:cxx11]',
  '<app::Shape as core::fmt::Display>',
  '<bank::Account<T>>',
  'main()',
  'f() const',
);
const names = fc.array(fc.array(segment, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 30,
});
const pattern = fc.oneof(
  fc.constantFrom(
    '*',
    '**',
    'f',
    'f*d',
    '*::f*d',
    '**::f*d',
    'std::**',
    '*::push_back',
    'vector::*',
    'vector<int>::*',
    'vector<*>::*',
    '**<*>',
    '**<int,char>**',
    '<* as *>::*',
    'Shape::*',
    '<Shape as Display>::f',
    '(anonymous namespace)::*',
    'operator()',
    '*::operator*',
    '**::~*',
    'Row<(anonymous namespace)::T>::f',
    'h<A,B<C>const*,unsigned long>',
    '*::*::*',
    'std::f',
    '{closure#0}',
    '**::{*}',
    'tag',
    'm<x->y>',
    'k<-1>',
    '*o*',
    '**o**::*',
    'operator<<',
    'find',
    '*ind*',
    'find**',
    'push_back<*>',
    'find<*',
    '*back<*find*',
    'fi?d',
    '**::?o?d',
    '?',
    'find_back',
    '*back',
    'operator<<<*>',
    'operator->?',
    'operator*',
    'vector<?nt>',
    '**::*find>',
  ),
  fc
    .array(fc.oneof(segment, fc.constantFrom('*', '**', 'f*', '*r*')), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.join('::')),
);

test('a pattern matches a name by its segments as it matches the whole', () => {
  fc.assert(
    fc.property(names, pattern, (paths, text) => {
      const { selection } = parsePattern(text);
      if (selection.kind !== 'name') return;
      const program = { ...selection.native, parameters: null };
      const numbers = new NameNumbers();
      const wholes = paths.map((path) => path.join('::'));
      const own = wholes.map((whole) => numbers.path(whole));
      const marks = matchingNames(numbers.tree(), program);
      expect(own.map((number) => marks[number] === 1)).toEqual(
        wholes.map((whole) => matchesParsedName(program, parseFunctionName(whole))),
      );
    }),
    { numRuns: 1500 },
  );
});

test('a name is its segments, in the tree too', () => {
  fc.assert(
    fc.property(names, (paths) => {
      const numbers = new NameNumbers();
      const wholes = paths.map((path) => path.join('::'));
      const own = wholes.map((whole) => numbers.path(whole));
      const tree = numbers.tree();
      wholes.forEach((whole, i) => {
        expect(pathSegments(whole).join('::')).toBe(whole);
        expect(numbers.text(own[i] ?? 0)).toBe(whole);
        expect(nameAt(tree, own[i] ?? 0)).toBe(whole);
      });
    }),
  );
});
