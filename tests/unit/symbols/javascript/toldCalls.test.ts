import { expect, test } from 'vitest';
import { rewriteModule } from '../../../../src/symbols/javascript/rewriteModule.ts';
import { rewritten, traced } from '../../../support/rewrittenScript.ts';

async function told(text: string): Promise<readonly string[]> {
  return (await traced(text)).hooks.lines;
}

test('[node.calls] arguments, results and what is thrown', async () => {
  const text = `function f(a, { b }) { if (a > 1) throw new Error('big'); return a + b }
    f(1, { b: 2 }); try { f(2, { b: 0 }) } catch {} function g() {} g();`;
  expect(await told(text)).toEqual([
    'f(a=1, b=2)',
    'f → 3',
    'f(a=2, b=0)',
    'f raises Error: big',
    'f !',
    'g()',
    'g → undefined',
  ]);
});

test('[node.calls] what is caught, also without a name', async () => {
  const text = `function t() { throw 'x' } function f() { try { t() } catch (e) { return e } }
    function g() { try { t() } catch { } } function h() { try { null.x } catch ({ name }) { return name } finally { 1 } } f(); g(); h();`;
  expect(await told(text)).toEqual([
    'f()',
    't()',
    "t raises 'x'",
    't !',
    "f catches 'x'",
    "f → 'x'",
    'g()',
    't()',
    "t raises 'x'",
    't !',
    "g catches 'x'",
    'g → undefined',
    'h()',
    'h resumes',
    "h → 'TypeError'",
  ]);
});

test('[node.calls] a result that a finally block replaces, and one that is lost', async () => {
  const text = `function f() { try { return 1 } finally { return 2 } } function g() { try { return 1 } finally { null.x } }
    function h() { try { try { return 1 } finally { null.x } } catch (e) { } null.y } f(); try { g() } catch {} try { h() } catch {}`;
  expect(await told(text)).toEqual([
    'f()',
    'f → 2',
    'g()',
    'g !',
    'h()',
    expect.stringMatching(/^h catches TypeError/),
    'h !',
  ]);
});

test('[node.calls] constructors give the object they made', async () => {
  const text = `class A { constructor(x) { this.x = x } } class B extends A { constructor() { super(2) } } new A(1); new B();`;
  expect(await told(text)).toEqual([
    'A.constructor(x=1)',
    'A.constructor → A { x: 1 }',
    'B.constructor()',
    'A.constructor(x=2)',
    'A.constructor → B { x: 2 }',
    'B.constructor → B { x: 2 }',
  ]);
});

test('[node.calls] waiting and the end of async functions', async () => {
  const text = `async function f(x) { const y = await x; return y + 1 } async function g() { try { await Promise.reject(new Error('no')) } catch (e) { return 'c' } }
    return f(1).then(g)`;
  expect(await told(text)).toEqual([
    'f(x=1)',
    'f awaits 1',
    'f resumes 1',
    'f → 2',
    'g()',
    'g awaits promise',
    'g catches Error: no',
    "g → 'c'",
  ]);
});

test('[node.calls] generators that are read, left and thrown into', async () => {
  const text = `function* g(a) { try { const b = yield a; yield b } catch (e) { yield e } }
    const i = g(1); i.next(); i.next(5); i.throw('t'); i.next(); for (const x of g(2)) break; g(3).next()`;
  const { hooks } = await traced(text);
  expect(hooks.lines).toEqual([
    'g(a=1)',
    'g yields 1',
    'g resumes 5',
    'g yields 5',
    "g catches 't'",
    "g yields 't'",
    'g resumes',
    'g → undefined',
    'g(a=2)',
    'g yields 2',
    'g closed',
    'g(a=3)',
    'g yields 3',
  ]);
  expect(hooks.open).toEqual(['g']);
});

test('[node.calls] for await waits before each round', async () => {
  const text = `async function f() { for await (const x of 'ab') { if (x === 'b') return x } } return f()`;
  expect(await told(text)).toEqual([
    'f()',
    "f awaits 'ab'",
    'f resumes',
    'f awaits',
    'f resumes',
    'f awaits',
    "f → 'b'",
  ]);
});

test('[node.calls] functions that are off tell nothing', async () => {
  const text = `async function f() { try { await 1; throw 2 } catch (e) { return e } } return f()`;
  const { hooks } = await traced(`const off = () => { $strobe().flags.fill(0) }; off(); ${text}`);
  expect(hooks.lines).toEqual(['off()', 'off → undefined']);
});

test.each([
  ['a function in a with statement', 'function f(o) { with (o) { (() => 1)() } }', 'with'],
  ['names that are shared', 'function f(a) { function a() {} }', 'shares its name'],
  ['eval beside functions', 'function f() { function g() {} eval("") }', 'eval'],
])('[node.refused] %s', (_title, text, reason) => {
  const { functions, inserts } = rewritten(text);
  expect(functions[0]?.refusal).toContain(reason);
  expect(inserts.some(({ text: inserted }) => inserted.includes('E(0'))).toBe(false);
});

test('[node.refused] a module that does not parse, or is nested too deep, is left alone', () => {
  const broken = rewriteModule({ text: 'function f( {', file: '/t/a.js', format: 'commonjs' });
  expect('refusal' in broken && broken.refusal).toContain('it does not parse');
  const text = `function f() { return ${'['.repeat(20_000)}${']'.repeat(20_000)} }`;
  const deep = rewriteModule({ text, file: '/t/a.js', format: 'commonjs' });
  expect(deep).toEqual({ refusal: 'its code is nested too deep' });
});

test('[node.calls] inserts hold no line break and leave directives first', () => {
  const text = `#!/usr/bin/env node\n'use strict'\nfunction f() {\n  'use strict'\n  return 1\n}`;
  const { inserts } = rewritten(text);
  expect(inserts.map(({ text: inserted }) => inserted).join('')).not.toContain('\n');
  expect(inserts[0]?.position).toBe(text.indexOf("'\n") + 1);
});
