import { expect, test } from 'vitest';
import { printed, probed } from '../../../support/rewrittenScript.ts';
import { semanticCases } from '../../../support/semanticCases.ts';

test.each(semanticCases)(
  '[inside.written] with breakpoints at all statements: %s',
  async (_title, text) => {
    const plain = await printed(text);
    const { lines, ran, written } = await probed(text);
    expect(lines).toEqual(plain);
    expect(written).toBeGreaterThan(0);
    expect(ran.size).toBeGreaterThan(0);
  },
);

const shapes: readonly (readonly [title: string, text: string, written: number, ran: number])[] = [
  ['bodies without braces', `if (1) print(1); else print(2);\nfor (const x of [1]) print(x)`, 4, 3],
  ['else if', `if (0) print(1)\nelse if (1) print(2)\nelse print(3)`, 5, 3],
  ['lines without semicolons', `let a = 1\nlet b = a\nprint(a + b)\n;[a, b] = [b, a]`, 4, 4],
  ['cases of a switch', `switch (1) { case 0: print(0); break; case 1: print(1); break }`, 5, 3],
  ['a name that has no value yet', `{ const f = () => late; let late = 1; print(f()) }`, 4, 4],
  ['an expression that an arrow function gives', `const f = (x) => ({ x }); print(f(1).x)`, 3, 3],
  ['labels and loops', `out: for (;;) { for (;;) { break out } }`, 1, 1],
  ['with', `with ({ print: 1 }) { print = 2 }`, 0, 0],
  ['a static block', `class A { static { print(1) } }`, 0, 0],
  ['code after a directive', `'use strict'; print(this === undefined)`, 1, 1],
  [
    'this before super()',
    `class A {} class B extends A { constructor() { print(1); super(); print(typeof this) } } new B()`,
    4,
    4,
  ],
];

test.each(shapes)(
  '[inside.written] breakpoints are written at %s',
  async (_title, text, written, ran) => {
    const told = await probed(text);
    expect(told.lines).toEqual(await printed(text));
    expect([told.written, told.ran.size]).toEqual([written, ran]);
  },
);
