import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  nameText,
  parseFunctionName,
  separator,
  withoutParameters,
} from '../../../src/model/names/functionName.ts';
import {
  canonicalType,
  fileMatcher,
  isUserCode,
  matchesModule,
  modulePathExpression,
  matchesName,
  parsePattern,
} from '../../../src/model/names/pattern.ts';
import { patternAdvice } from '../../../src/model/names/patternAdvice.ts';
import { StrobeError } from '../../../src/model/errors.ts';

const matching: readonly (readonly [pattern: string, names: readonly string[]])[] = [
  ['audio::*', ['audio::mix', 'audio::Mixer<int>', 'audio::operator<<']],
  ['*::draw', ['Shape::draw', 'Shape<a::b>::draw', 'Shape::draw(int)']],
  ['**::draw', ['Shape::draw', 'gui::Shape::draw', 'gui::Shape<int>::draw<char>']],
  [
    'draw',
    [
      'draw',
      'Shape::draw',
      'gui::Shape::draw(int, char const*)',
      'draw<int>',
      '<gui::Shape as gui::Draw>::draw',
    ],
  ],
  ['dr*', ['draw', 'gui::drop']],
  ['dr?w', ['draw', 'gui::drew', 'dräw']],
  ['tag00?::run', ['tag001::run', 'tag002::run(int)', 'tag003<int>::run']],
  ['Foo<?>::bar', ['Foo<T>::bar']],
  ['**', ['a', 'a::b::c', '(anonymous namespace)::f']],
  ['*', ['a', 'a::b', 'a::b::operator()']],
  ['Foo<*>::bar', ['Foo<int>::bar', 'Foo<a::b<c>, d>::bar', 'Foo<int>::bar<char>(int)']],
  ['Foo<int>::bar', ['Foo<int>::bar', 'Foo< int >::bar']],
  [
    'Foo::bar',
    [
      'Foo::bar',
      'Foo<int>::bar',
      'Foo::bar<int>',
      'Foo::bar(int) const',
      '<Foo as Trait>::bar',
      '<Foo>::bar',
      '<Foo<T> as Trait<U>>::bar',
    ],
  ],
  ['Foo::bar(int)', ['Foo::bar(int)', 'Foo<char>::bar(int)', 'void Foo::bar<int>(int)']],
  ['Foo::bar()', ['Foo::bar()', 'Foo::bar(void)']],
  ['Foo::bar(*)', ['Foo::bar()', 'Foo::bar(int, char)']],
  ['f(const char *, unsigned)', ['f(char const*, unsigned int)']],
  ['f(*, long)', ['f(std::map<int, int>, long int)']],
  ['f(string)', ['f(std::string)']],
  [
    '<Foo as Trait>::bar',
    ['<Foo as Trait>::bar', '<app::Foo as app::Trait>::bar', '<app::Foo<T> as Trait>::bar'],
  ],
  ['<* as Trait>::bar', ['<a::B as Trait>::bar']],
  ['app::Foo::bar', ['<app::Foo as core::fmt::Display>::bar', '<app::Foo>::bar', 'app::Foo::bar']],
  [
    'operator()',
    [
      'main::{lambda(int)#1}::operator()(int) const',
      'Foo::operator()',
      "main::'lambda'(int)::operator()(int)",
    ],
  ],
  ['Foo::operator<', ['Foo::operator<(Foo const&) const', 'Foo::operator<']],
  [
    'operator<<',
    ['operator<<(std::ostream&, Foo const&)', 'std::operator<< <std::char_traits<char> >'],
  ],
  ['operator->', ['Ptr<int>::operator->']],
  ['operator!', ['Foo::operator!()']],
  ['Foo::operator bool', ['Foo::operator bool() const']],
  [
    '(anonymous namespace)::hidden',
    ['(anonymous namespace)::hidden()', 'int (anonymous namespace)::hidden<int>(int)'],
  ],
  ['**::hidden', ['(anonymous namespace)::hidden(int)']],
  [
    'main::**',
    [
      'main::{lambda(int)#1}::operator()',
      'main()::{lambda()#1}::operator()() const',
      'main::<lambda(int)>::operator()',
    ],
  ],
  ['Foo::bar', ['Foo::bar[abi:cxx11]() const']],
  ['::main', ['main']],
  ['app::**::{closure#0}', ['app::run::{closure#0}']],
  ['run::*', ['run::{closure#0}']],
];

const rejecting: readonly (readonly [pattern: string, names: readonly string[]])[] = [
  ['audio::*', ['audio', 'audio::fx::gain', 'my::audio::mix', 'audiox::mix']],
  ['*::draw', ['draw', 'a::b::draw', 'Shape::redraw']],
  ['draw', ['redraw', 'draw::line', 'Shape::drawn', 'f(draw)']],
  ['dr?w', ['drw', 'draaw']],
  ['a?b', ['a::b', 'ab']],
  ['drawing', ['draw<int>ing']],
  ['Foo<*>::bar', ['Foo::bar', 'Foo<int>::baz']],
  ['Foo<int>::bar', ['Foo<char>::bar', 'Foo::bar']],
  ['Foo::bar', ['ns::Foo::bar', 'Foo::bar::baz', 'Bar<Foo::bar>::f', '<Bar as Foo>::bar']],
  ['Foo::bar(int)', ['Foo::bar', 'Foo::bar(long)', 'Foo::bar(int, int)', 'Foo::bar()']],
  ['f(char*)', ['f(char**)', 'f(char)']],
  ['operator<', ['operator<<(int, int)', 'operator<=(int)']],
  ['<Foo as Trait>::bar', ['<Foo as Other>::bar', 'Foo::bar', '<XFoo as Trait>::bar']],
  ['a.b', ['a::b']],
];

describe('a name pattern [pattern.wildcards]', () => {
  test.each(matching)('%s matches', (pattern, names) => {
    const parsed = parsePattern(pattern);
    expect(names.filter((name) => !matchesName(parsed, name))).toEqual([]);
  });

  test.each(rejecting)('%s does not match', (pattern, names) => {
    const parsed = parsePattern(pattern);
    expect(names.filter((name) => matchesName(parsed, name))).toEqual([]);
  });

  test('treats . and :: alike in dotted names', () => {
    for (const pattern of [
      'app.Bank.deposit',
      'app::Bank::deposit',
      'app.*.deposit',
      'deposit',
      '**::deposit',
    ]) {
      expect(matchesName(parsePattern(pattern), 'app.Bank.deposit', 'dotted'), pattern).toBe(true);
    }
    expect(matchesName(parsePattern('app.*'), 'app.Bank.deposit', 'dotted')).toBe(false);
  });

  test.each(['', '   ', '@nothing', '@file:', 'x'.repeat(2000), '!f', 'libc.so!', 'module:'])(
    '%j is refused with its reason',
    (text) => {
      expect(() => parsePattern(text)).toThrow(StrobeError);
      expect(() => parsePattern(text)).toThrow(/cannot be read as a pattern/);
    },
  );
});

describe('a pattern that is not what was meant [pattern.advice]', () => {
  test.each([
    ['ma(in', 'its ( is never closed'],
    ['[', 'its [ is never closed'],
    ['f(int, (char)', 'its ( is never closed'],
    ['main*)', 'its ) closes nothing'],
    ['a::{lambda', 'its { is never closed'],
    ['std::', 'it ends with ::'],
    ['libc.so!f(', 'its ( is never closed'],
  ])('%s is refused: %s', (text, why) => {
    expect(() => parsePattern(text)).toThrow(why);
  });

  test.each([
    'operator()',
    'operator[]',
    'operator<<',
    'operator->*',
    'cut<int',
    "Parser<'('>::run",
    '(anonymous namespace)::f',
    '<[T] as Sort>::sort',
    '{closure#0}',
    'f(int (*)(char))',
  ])('%s can be read', (text) => {
    expect(parsePattern(text).text).toBe(text);
  });

  test.each([
    ['parse_.*', '"parse_*"'],
    ['foo.*bar', '"foo*bar"'],
    ['^main$', '"main"'],
    ['parse_[lm]ine', '"parse_?ine"'],
    ['\\w+_line', '"*_line"'],
    ['/main/', '"main"'],
    ['main|helper', '"main", "helper"'],
    ['^(main|help.*)$', '"main", "help*"'],
    ['helper, main', '"helper", "main"'],
    ['src/a.c', '@file:src/a.c'],
    ['a.cpp:31', '@file:a.cpp'],
    ['lib.rs', '@file:lib.rs'],
  ])('for %s without a match the advice is %s', (text, expected) => {
    expect(patternAdvice(text)).toContain(expected);
  });

  test.each([
    'main',
    'app::*::draw',
    'f(int, char)',
    'operator|',
    'Map<int, char>::at',
    'app.Bank.put',
    'tag[abi:cxx11]',
    '(anonymous namespace)::f',
    'libc.so!malloc',
    '{closure#0}',
  ])('for %s there is none', (text) => {
    expect(patternAdvice(text)).toBeNull();
  });
});

describe('the parts of a pattern', () => {
  test.each([
    ['libc.so!malloc', 'libc.so'],
    ['module:libssl*!SSL_*', 'libssl*'],
    ['module:libssl*', 'libssl*'],
    ['operator!=', null],
    ['Foo::operator!', null],
    ['malloc', null],
  ])('%s names the library %s', (text, module) => {
    expect(parsePattern(text).module).toBe(module);
  });

  test.each([
    ['libc.so', '/lib/x86_64-linux-gnu/libc.so.6', true],
    ['libc', '/lib/x86_64-linux-gnu/libc.so.6', true],
    ['libssl*', '/usr/lib/libssl.so.3', true],
    ['libc.so', '/lib/libcrypt.so.1', false],
    ['/usr/lib/*.so', '/usr/lib/libx.so', true],
    ['libc-2.31.so', '/lib/libc-2.31.so', true],
    ['lib{ssl,crypto}', '/lib/libcrypto.so.1.1', true],
    ['lib{ssl,crypto}', '/lib/libcurl.so.4', false],
    ['libgeometry.so', '/p/libgeometry.so', true],
    ['libgeometry.so', '/p/mylibgeometry.so', false],
  ])('library %s names %s: %s', (module, path, expected) => {
    expect(matchesModule(module, path)).toBe(expected);
    // The agent knows by this that a program waits for the library's hooks.
    expect(new RegExp(modulePathExpression(['libother', module])).test(path)).toBe(expected);
  });

  test.each([
    ['a.c', '/p/src/a.c', true],
    ['a.c', '/p/src/data.cpp', false],
    ['a.c', '/p/src/aa.c', false],
    ['src/render/*.rs', '/p/src/render/mesh.rs', true],
    ['src/render/*.rs', '/p/src/render/deep/mesh.rs', false],
    ['src/**/*.rs', '/p/src/render/deep/mesh.rs', true],
    ['render/mesh.rs', '/p/src/render/mesh.rs', true],
    ['./src/a.c', '/p/src/a.c', true],
    ['src/render', '/p/src/render/mesh.rs', true],
    ['p', '/p/src/a.c', false],
    ['/p/src/*.c', '/p/src/a.c', true],
    ['*.{c,h}', '/p/x/a.h', true],
    ['vector', '/usr/include/c++/12/vector', true],
  ])('@file:%s and %s: %s', (glob, path, expected) => {
    const pattern = parsePattern(`@file:${glob}`);
    const text = pattern.selection.kind === 'file' ? pattern.selection.glob : '';
    expect(fileMatcher(text, '/p')(path)).toBe(expected);
  });

  test.each([
    ['/p/src/a.cpp', true],
    ['/p2/src/a.cpp', false],
    ['/usr/include/c++/12/vector', false],
    ['/rustc/0123/library/core/src/fmt/mod.rs', false],
    ['/p/node_modules/x/a.cc', false],
    ['/p/build/_deps/gtest/a.cc', false],
    ['/p/third_party/z/a.c', false],
    ['/p/target/debug/build/x-1/out/gen.rs', false],
    ['/p/src/target/aim.c', true],
    ['/p/src/a.pb.cc', false],
    ['/proc/self/cwd/src/a.cc', true],
    ['src/a.cc', true],
    ['../other/a.cc', false],
    ['<built-in>', false],
  ])('@usercode and %s: %s', (path, expected) => {
    expect(isUserCode(path, '/p')).toBe(expected);
  });

  test.each([
    ['char const *', 'const char*'],
    ['long unsigned int', 'unsigned long'],
    ['unsigned', 'unsigned int'],
    ['std::vector<int> const &', 'const std::vector<int>&'],
    ['struct Foo *', 'Foo*'],
  ])('the type %s is %s', (text, canonical) => {
    expect(canonicalType(text)).toBe(canonical);
  });

  test.each([
    ['bank::Account::deposit(long)', 'bank::Account::deposit'],
    ['Foo::operator()(int) const', 'Foo::operator()'],
    ['(anonymous namespace)::f(int)', '(anonymous namespace)::f'],
    ['int* foo<int>(int)', 'foo<int>'],
    ['main::{lambda(int)#1}::operator()(int) const', 'main::{lambda(int)#1}::operator()'],
    ['Foo::operator std::string() const', 'Foo::operator std::string'],
    ['operator new[](unsigned long)', 'operator new[]'],
    ['main', 'main'],
  ])('%s without parameters is %s', (text, name) => {
    expect(withoutParameters(text)).toBe(name);
  });
});

/** The same rules by plain backtracking: exponential, but obviously right. */
function naive(pattern: string, name: Uint32Array, p = 0, n = 0): boolean {
  if (p === pattern.length) return n === name.length;
  if (pattern.startsWith('**', p)) {
    return naive(pattern, name, p + 2, n) || (n < name.length && naive(pattern, name, p, n + 1));
  }
  if (pattern[p] === '*') {
    return (
      naive(pattern, name, p + 1, n) ||
      (n < name.length && name[n] !== separator && naive(pattern, name, p, n + 1))
    );
  }
  if (pattern.startsWith('::', p))
    return name[n] === separator && naive(pattern, name, p + 2, n + 1);
  return name[n] === pattern.charCodeAt(p) && naive(pattern, name, p + 1, n + 1);
}

describe('properties of the matcher', () => {
  const segment = fc.stringMatching(/^[ab]{1,4}$/);
  const names = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('::'));
  const wildSegment = fc.stringMatching(/^[ab]{0,2}\*{0,2}[ab]{0,2}\*?[ab]{1,2}$/);
  const patterns = fc
    .array(wildSegment, { minLength: 2, maxLength: 4 })
    .map((parts) => parts.join('::'));

  test('it equals a naive reference on qualified patterns', () => {
    fc.assert(
      fc.property(patterns, names, (pattern, name) => {
        // `***` reads as `**` and `*`, which is `**`.
        const expected = naive(pattern, parseFunctionName(name).codes);
        expect(matchesName(parsePattern(pattern), name)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('a name matches itself', () => {
    fc.assert(
      fc.property(names, (name) => {
        expect(matchesName(parsePattern(name), name)).toBe(true);
      }),
    );
  });

  test('no text makes it throw anything but BAD_PATTERN, and the parser gives every name back', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'ab:<>(){}[]*&, -operatr~"\'.#as'.split('')) }),
    );
    fc.assert(
      fc.property(texts, texts, (pattern, name) => {
        nameText(parseFunctionName(name));
        try {
          matchesName(parsePattern(pattern), name);
        } catch (error) {
          expect(error).toBeInstanceOf(StrobeError);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('[pattern.linear] a pattern that defeats backtracking is answered', () => {
    const pattern = parsePattern(`${'*a'.repeat(60)}::**b${'**a'.repeat(60)}`);
    expect(matchesName(pattern, `${'a'.repeat(5000)}::${'a'.repeat(5000)}`)).toBe(false);
  });
});
