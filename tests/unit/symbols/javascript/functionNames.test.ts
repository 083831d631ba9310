import { expect, test } from 'vitest';
import { rewritten } from '../../../support/rewrittenScript.ts';

function named(text: string, more: Parameters<typeof rewritten>[1] = {}): string[] {
  return rewritten(text, more).functions.map(
    ({ qualifiedName, parameters }) => `${qualifiedName}(${parameters.join(', ')})`,
  );
}

test.each([
  ['declarations', 'function outer(a) { function inner(b) {} }', ['outer(a)', 'outer.inner(b)']],
  [
    'variables',
    'const f = (a) => a, g = function () {}, h = function own() {}',
    ['f(a)', 'g()', 'own()'],
  ],
  [
    'assignments',
    'let f; f = () => 1; a.b.c = () => 1; a["d"] = () => 1',
    ['f()', 'a.b.c()', 'a.d()'],
  ],
  [
    'exports',
    'exports.f = () => 1; module.exports.g = () => 1; module.exports = () => 1',
    ['f()', 'g()', 'module.exports()'],
  ],
  ['an exported object', 'module.exports = { f() {}, g: { h: () => 1 } }', ['f()', 'g.h()']],
  [
    'object literals',
    'const api = { get(id) {}, "a b": () => 1, v1: { put() {} }, get size() { return 1 }, *[Symbol.iterator]() {} }',
    ['api.get(id)', 'api.a b()', 'api.v1.put()', 'api.size()', 'api.[Symbol.iterator]()'],
  ],
  [
    'prototypes',
    'function P() { this.x = () => 1 } P.prototype.m = function () {}; P.prototype = { n() {} }; P.s = () => 1',
    ['P(this)', 'P.x()', 'P.m()', 'P.n()', 'P.s()'],
  ],
  [
    'classes',
    'class A { constructor(a) { this.f = () => a } m(b) { return this } static s() {} get g() { return 1 } set g(v) {} #p() {} f2 = () => 1; async *w() {} static { const q = () => 1 } }',
    [
      'A.constructor(a)',
      'A.f()',
      'A.m(this, b)',
      'A.s()',
      'A.g()',
      'A.g(v)',
      'A.#p()',
      'A.f2()',
      'A.w()',
      'A.q()',
    ],
  ],
  [
    'class expressions',
    'const A = class { m() {} }, B = class C { m() {} }; foo(class { m() {} })',
    ['A.m()', 'C.m()', 'm()'],
  ],
  [
    'callbacks',
    'items.map((x) => x); function f() { return () => 1 } const g = wrap(() => 1); (function () { function in2() {} })()',
    ['<anonymous>(x)', 'f()', 'f.<anonymous>()', '<anonymous>()', '<anonymous>()', 'in2()'],
  ],
  [
    'default values and choices',
    'const { a = () => 1 } = x, b = y ? () => 1 : null; c ??= () => 1; function f(cb = () => 1) {}',
    ['a()', 'b()', 'c()', 'f(cb)', 'f.cb()'],
  ],
  [
    'parameters',
    'function f(a, { b, c: { d } = {}, ...e }, [g, , h = 1], ...i) {}',
    ['f(a, b, d, e, g, h, i)'],
  ],
  [
    'many parameters',
    'function f(a, b, c, d, e, f, g, h, i, j) { this.x }',
    ['f(this, a, b, c, d, e, f, g, h)'],
  ],
])('[node.names] %s', (_title, text, names) => {
  expect(named(text)).toEqual(names);
});

test('[node.names] default exports', () => {
  const more = { format: 'module' } as const;
  expect(named('export default function () {}', more)).toEqual(['default()']);
  expect(named('export default () => 1', more)).toEqual(['default()']);
  expect(named('export default { setup() {} }; export function f() {}', more)).toEqual([
    'setup()',
    'f()',
  ]);
  expect(named('export default class { m() {} }', more)).toEqual(['m()']);
});

test('[node.names] TypeScript', () => {
  const text = `import type { A } from './a';
namespace Shapes { export function area<T extends A>(this: T, side: number): number { return side } }
function over(a: string): void; function over(a: number): void; function over(a: unknown) {}
abstract class C<T> { abstract m(): void; constructor(private readonly a: T, public b = 1) {} @log() n(@inject() x?: T): x is T { return true } declare z: number; accessor y = () => 1 }
declare function nothing(): void; enum E { A = 1 }
const f = <T,>(x: T) => x as unknown as (y: number) => void, g = (() => 1) satisfies () => number;`;
  expect(named(text, { file: '/t/a.ts', format: 'module' })).toEqual([
    'Shapes.area(side)',
    'over(a)',
    'C.constructor(a, b)',
    'C.n(x)',
    'C.y()',
    'f(x)',
    'g()',
  ]);
});

test('[node.names] what a test runner puts around a module is no function of it', () => {
  const jest =
    '({"Object.<anonymous>":function(module,exports,require){function f(a) { return a }\n}});';
  expect(named(jest, { format: 'script' })).toEqual(['f(a)']);
  const vitest = `'use strict';async (__vi_import_meta__) => {{const g = () => 1\n}}`;
  expect(named(vitest, { format: 'script' })).toEqual(['g()']);
});

test('[node.names] places are those of the definition', () => {
  const text = '  const f = () => 1;\nclass A {\n  static async m() {}\n}';
  expect(rewritten(text).functions).toMatchObject([
    { line: 1, column: 13, offset: 12, end: 19, kind: 'function' },
    { line: 3, column: 3, offset: 33, kind: 'coroutine' },
  ]);
});
