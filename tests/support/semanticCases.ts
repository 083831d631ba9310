/** Programs that print what rewriting could change: a title and a text each. A text may return a promise. */
export const semanticCases: readonly (readonly [string, string])[] = [
  [
    'this in strict and in sloppy code',
    `
function strict() { 'use strict'; return this === undefined }
function sloppy() { return this === globalThis }
print(strict(), sloppy(), strict.call(3), typeof sloppy.call.call(function () { return this }, 3));`,
  ],
  [
    'arguments, also those that follow parameters',
    `
function alias(a) { arguments[0] = 9; return a }
function apart(a) { 'use strict'; arguments[0] = 9; return a }
function inner() { const f = () => arguments[0]; return f(2) }
function count(a, b = arguments.length, { c } = { c: 4 }) { return [a, b, c, arguments.length, count.length] }
print(alias(1), apart(1), inner(1), count(1), count(1, 2, { c: 3 }));`,
  ],
  [
    'new.target and objects from constructors',
    `
function Ctor() { if (!new.target) return new Ctor(); this.z = 1 }
function Other() { return { a: 1 } }
class B { constructor() { this.name = new.target.name } }
class D extends B { constructor() { super(); this.more = 1 } }
class R extends B { constructor() { return { q: 1 } } }
class E { constructor() { return; } }
print(Ctor().z, new Ctor() instanceof Ctor, new Other().a, new D().name, new R().q, new E() instanceof E);`,
  ],
  [
    'a derived constructor before super()',
    `
class B { constructor(x) { this.x = x } }
class D extends B { constructor(x) { if (x < 0) throw new RangeError('low'); const twice = () => x * 2; super(twice()); } }
class N extends B { constructor() { } }
class T extends B { constructor() { try { this.x } catch (e) { print(e.name) } finally { super(5) } } }
print(new D(2).x, new T().x);
try { new D(-1) } catch (e) { print(e.message) }
try { new N() } catch (e) { print(e.name, e.message) }`,
  ],
  [
    'super in methods, accessors, object literals and static members',
    `
class B { get g() { return 'g' } m() { return 'm' } static s() { return this.name } }
class D extends B { get g() { return super.g + 1 } m() { return super.m() + (() => super.m())() } static s() { return super.s() } }
const o = { __proto__: { k() { return 'k' } }, k() { return super.k() + 'o' } };
print(new D().g, new D().m(), D.s(), o.k());`,
  ],
  [
    'private members, fields and static blocks',
    `
class A { #p = 3; static #q = 4; f = () => this.#p; #m() { return this.#p + 1 } get r() { return this.#m() } static { this.t = (() => A.#q)() } static has(x) { return #p in x } static async *#g() { yield 1 } static g() { return A.#g() } }
const a = new A(); print(a.f(), a.r, A.t, A.has(a), A.has({}), Object.keys(a));`,
  ],
  [
    'default parameters and their scope',
    `
let x = 'outer';
function f(a = () => x, b = a()) { var x = 'inner'; return [b, a(), x] }
function g(a, b = () => a) { a = 2; return b() }
function h(a, b = () => a) { var a; a = 3; return b() }
print(f(), g(1), h(1), f.length, g.length);
try { (function (a = b, b = 1) { })() } catch (e) { print(e.name) }`,
  ],
  [
    'hoisting of functions and variables',
    `
print(typeof later, typeof v); function later() { } var v = 1;
function hoist() { return typeof inner + typeof w + inner(); function inner() { return 1 } var w = 1 }
function block() { { function z() { return 1 } } return z() }
function twice() { function z() { return 0 } { function z() { return 1 } } return z() }
function maybe(x) { if (x) { function z() { return 1 } } return typeof z }
print(hoist(), block(), twice(), maybe(true), maybe(false));`,
  ],
  [
    'function declarations that share names',
    `
function one() { var k = 1; function k() { } return typeof k }
function two(k) { function k() { } return typeof k + typeof arguments[0] }
function three() { 'use strict'; function a() { return 1 } function a() { return 2 } return a() }
function four() { return typeof arguments; function arguments() { } }
function five() { function a() { return 1 } for (var a of [7]); return a }
print(one(), two(1), three(), four(), five());`,
  ],
  [
    'direct eval',
    `
function declares() { eval('var q = 5'); return q + eval('1 + 1') }
function shares() { function g() { return 1 } eval('var g = 2'); return g }
function reads(a) { const b = 2; return eval('a + b + arguments.length') }
function strict() { 'use strict'; eval('var q = 1'); return typeof q }
print(declares(), shares(), reads(1), strict(), (0, eval)('typeof q'));`,
  ],
  [
    'with',
    `
var seen = [];
const o = new Proxy({ a: 1 }, { has(t, k) { if (typeof k === 'string') seen.push(k); return k in t } });
function f() { with (o) { const g = () => a; return g() } }
print(f(), seen.join());`,
  ],
  [
    'name and length of functions',
    `
const arrow = (a, b) => { }, named = function other() { }, cls = class { static m() { } };
let assigned; assigned = () => { };
const o = { p: () => { }, q() { }, get r() { return 1 }, ['c' + 1]() { }, async *s() { }, 't u': class { } };
const { d = () => { } } = {};
print(arrow.name, arrow.length, named.name, cls.name, assigned.name, o.p.name, o.q.name, o.c1.name, o.s.name, o['t u'].name, d.name);
print(Object.getOwnPropertyDescriptor(o, 'r').get.name);
function gives() { return function () { } } const cl = () => class { }, ar = () => () => 1, cond = (x) => x ? () => 1 : function () { }, comma = () => (0, () => 1);
print([gives().name, cl().name, ar().name, cond(1).name, cond(0).name, comma().name].map((n) => JSON.stringify(n)));
class Own { static name = 'mine'; get() { return class { static name() { } } } } print(Own.name, typeof new Own().get().name);`,
  ],
  [
    'what stack traces call functions',
    `
const call = (e) => e.stack.split('\\n')[1].trim().replace(/ ?\\(?case.js.*|<anonymous>.*/, '');
function gives() { return () => { throw new Error() } }
const holder = { run: () => { throw new Error() }, both(f) { return f() } };
function chosen(x) { return x ? () => { throw new Error() } : null }
for (const f of [gives(), holder.run, () => holder.both(() => { throw new Error() }), chosen(1)]) { try { f() } catch (e) { print(call(e)) } }`,
  ],
  [
    'directives',
    `
function f() { 'use strict'
  try { undeclared = 1 } catch (e) { return e.name } }
function g() { "a"; 'b'
  return 1 }
const h = () => { 'use strict'; return this === undefined };
print(f(), g(), h(), (function () { 'use strict' })());`,
  ],
  [
    'asm.js',
    `
function Module(stdlib) { 'use asm'; function add(a, b) { a = a | 0; b = b | 0; return (a + b) | 0 } return { add: add } }
function own() { return Module(globalThis).add(1, 2) }
print(own(), Module.toString().includes('strobe'));`,
  ],
  [
    'semicolons that are not written',
    `
const out = []
const f = async () => {
  out.push('a')
  await null
  out.push('b')
  if (1) await 0; else await 1
  const v = await (async () => 4)() + 1
  await f2` +
      '`x`' +
      `
  return v
}
function f2() { return 2 }
function asi() { return
  1 }
function* gen() {
  let a = 1
  yield a
  yield
  ;[1, 2].forEach((x) => out.push(x))
}
const g = () => out
;(() => out.push('c'))()
const d = (a) => a
, e = 1
print(asi(), e, [...gen()], g().length)
return f().then((v) => print(v, out))`,
  ],
  [
    'labelled statements',
    `
const out = [];
function f() { lab: for (const i of [1, 2, 3]) { (() => { out.push(i) })(); for (;;) { if (i === 2) break lab; continue lab } } block: { if (out.length) break block; out.push('no') } return out }
function g() { l2: { function lf() { return 1 } return lf() } }
function h() { a: b: for (;;) { break a } return 'h' }
print(f(), g(), h());`,
  ],
  [
    'finally that overrides',
    `
function f() { try { return 1 } finally { return 2 } }
function g() { try { return 1 } finally { try { throw 3 } catch (e) { print('c' + e) } } }
function h() { try { return 1 } finally { throw new Error('x') } }
function i() { for (;;) { try { return 1 } finally { break } } return 3 }
function j() { for (const x of [1, 2]) { try { continue } finally { if (x === 2) return x } } }
function k() { try { throw 1 } catch { return 'k' } finally { } }
function l() { o: try { return 1 } finally { break o } return 'l' }
print(f(), g(), i(), j(), k(), l()); try { h() } catch (e) { print(e.message) }`,
  ],
  [
    'generators',
    `
function* gen(a) { const x = yield a; try { yield x * 2 } finally { print('fin') } return 7 }
{ const g = gen(3); print(JSON.stringify([g.next(), g.next(5), g.return(9), g.next()])) }
{ const g = gen(3); g.next(); g.next(1); try { g.throw(new Error('t')) } catch (e) { print(e.message) } print(g.next().done) }
function* catches() { for (;;) { try { yield 1 } catch (e) { print('caught', e); yield 'c' } } }
{ const g = catches(); g.next(); print(g.throw(1).value, g.next().value, g.return(4).value) }
function* outer() { const r = yield* inner(); print('r', r); yield* [5, 6]; yield; return yield yield 8 }
function* inner() { try { yield 1; return 2 } finally { print('inner fin') } }
print([...outer()]); for (const x of outer()) { if (x === 1) break }
const o = { *m() { yield this.v }, v: 3 }; print([...o.m()], Object.prototype.toString.call(gen()), gen.prototype === Object.getPrototypeOf(gen()));
const lazy = (function* (a = print('default')) { print('body') })(); print('made'); lazy.next();`,
  ],
  [
    'generator arguments, this and destructured yields',
    `
function* g({ a, b: [c] }, ...rest) { const { d } = yield [a, c, rest.length, arguments.length]; const [e = yield d] = []; return e }
const i = g({ a: 1, b: [2] }, 3, 4); print(i.next().value, i.next({ d: 5 }).value, i.next(6).value);
try { g() } catch (e) { print(e.name) }`,
  ],
  [
    'async functions and their order',
    `
const out = [];
async function a(n) { out.push('a' + n); await null; out.push('b' + n); return n }
async function t() { throw new Error('t') }
async function late() { await 1; throw new TypeError('late') }
const arrow = async (x) => await x, thenable = { then(f) { out.push('then'); f(4) } };
const tick = Promise.resolve(); tick.then(() => out.push('t1')).then(() => out.push('t2')).then(() => out.push('t3'));
return Promise.all([a(1), a(2), arrow(thenable), (async () => a(3))(), t().catch((e) => e.message), late().catch((e) => e.name), (async () => { try { return await t() } catch (e) { return 'c' } finally { await 0; out.push('f') } })()]).then((v) => print(v, out));`,
  ],
  [
    'async functions: errors in parameters, this, arguments',
    `
async function p(a = (() => { throw new Error('p') })()) { }
const o = { async m() { await 0; return [this === o, arguments.length, (() => arguments[0])()] } };
class B { async m() { return 'b' } } class D extends B { async m() { return (await super.m()) + 'd' } }
return Promise.all([p().catch((e) => e.message), o.m(1, 2), new D().m(), p('x')]).then((v) => print(JSON.stringify(v)));`,
  ],
  [
    'async generators and for await',
    `
class C { async *g() { try { yield 1; const r = yield Promise.resolve(2); yield* [3, r] } finally { print('fin') } } }
async function all() { const r = []; for await (const x of new C().g()) r.push(x); return r }
async function left() { for await (const x of new C().g()) { if (x === 2) return x } }
async function labelled() { const r = []; if (1) outer: for await (const x of [1, 2, 3]) { for await (const y of [x]) { if (y === 2) continue outer } r.push(x) } return r }
async function breaks() { l: for await (const { a = 4 } of [{}, { a: 1 }]) { function z() { return a } print(z()); break l } return 'br' }
async function fails() { try { for await (const x of [Promise.reject(new Error('no'))]) print('never'); } catch (e) { return e.message } }
async function* rethrows() { try { yield 1 } catch (e) { yield 'c' + e } return Promise.resolve(5) }
return (async () => { print(await all(), await left(), await labelled(), await breaks(), await fails());
  const i = rethrows(); print((await i.next()).value, (await i.throw('t')).value, JSON.stringify(await i.next()), JSON.stringify(await i.return(Promise.resolve(6)))) })();`,
  ],
  [
    'the number of ticks',
    `
const out = []; let n = 0; const count = () => { if (++n < 14) Promise.resolve().then(count) }; count();
const mark = (what) => () => out.push(what + n);
async function plain() { } async function value() { return 1 } async function promise() { return Promise.resolve(1) }
async function* bare(x) { if (x) return; else yield 1 } async function* falls() { } async function* says() { return undefined }
async function waits() { await null; await null } async function* gen() { yield 1; yield Promise.resolve(2); return Promise.resolve(3) }
return Promise.all([bare(1).next().then(mark('b')), falls().next().then(mark('f')), says().next().then(mark('s')), plain().then(mark('p')), value().then(mark('v')), promise().then(mark('r')), waits().then(mark('w')), (async () => { for await (const x of gen()) mark('g' + x)(); })().then(mark('e'))]).then(() => print(out));`,
  ],
  [
    'catch clauses',
    `
function f(x) { try { throw x } catch { return 'bare' } }
function g(x) { try { throw x } catch ({ message: m = 'none', ...rest }) { return m + Object.keys(rest) } }
function h(x) { try { throw x } catch (e) { var e = 2; e = 3; return e } }
function i() { try { null.x } catch (e) { try { throw e } catch (f) { return f === e } } }
function j(e) { try { throw 1 } catch (e) { { let e = 4; return e } } }
print(f(1), g({ message: 'm', k: 1 }), g({}), h(1), i(), j(9));`,
  ],
  [
    'decorated by hand, computed keys and their order',
    `
const out = []; const k = (x) => { out.push(x); return x };
class A { [k('a')]() { return 'A' } static [k('b')] = k('c'); get [k('d')]() { return 'D' } [k('e')] = k('f') }
new A(); print(out, new A().a(), new A().d);
const o = { [k('x')]: k('y'), get [k('z')]() { return 1 } }; print(o.x, o.z, out.join(''));`,
  ],
  [
    'expressions of many forms',
    `
const f = (x) => ({ v: x }), g = (x) => [x, ...[x]], h = (a) => (b) => a + b, i = () => void 0, j = (x) => x ? 1 : 2, k = (a, b) => (a, b), l = (x) => x in { q: 1 };
function r1() { return /* a */ ( // b
  3 // c
) /* d */ }
function r2() { return 1, 2 } function r3() { return/x/.test('x') } function r4() { return[1][0] } function r5() { return"s" } function r6() { return-1 } function r7() { return\`t\${1}\` }
const m = async (x) => (await x, await 2), n = (x) => x?.y?.z ?? 'none', t = (x) => { throw(x) };
print(f(1).v, g(2), h(1)(2), i(), j(0), k(1, 2), l('q'), r1(), r2(), r3(), r4(), r5(), r6(), r7(), n(null)); try { t(5) } catch (e) { print(e) }
for (let f = (x) => (x in {}), n = 0; n < 1; n++) print(f('toString'));
if (1) function inIf() { return 'if' }
return m(1).then((v) => print(v, typeof inIf));`,
  ],
  [
    'deep recursion',
    `
let depth = 0; (function deep() { depth++; try { deep() } catch (e) { if (e.name !== 'RangeError') throw e } })();
function rec(n) { return n ? rec(n - 1) : 0 } print(depth > 300, rec(300));`,
  ],
  [
    'proxies and getters are not run',
    `
const seen = []; const p = new Proxy({}, { get(t, k) { seen.push(String(k)); return 1 }, has() { seen.push('has'); return true }, getPrototypeOf() { seen.push('proto'); return null } });
function f(a, { b } = a) { return a } const o = { get x() { seen.push('x'); return 2 } }; function g({ x }) { return 1 }
f(p); f(o, {}); print(seen); g(o); print(seen);`,
  ],
  [
    'names that the inserted code has',
    `
const $s_ = 1, $s0_F = 2; function f($s_h, $s_r) { return [$s_, $s0_F, $s_h, $s_r] } print(f(3, 4));
print(typeof $strobe === 'undefined' || Object.getOwnPropertyNames($strobe).length > 0);`,
  ],
  [
    'nothing is left on the global object',
    `
function f() { return Object.keys(globalThis).filter((k) => k.startsWith('$s')).filter((k) => k !== '$strobe') } print(f().length);`,
  ],
];
