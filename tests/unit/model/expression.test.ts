import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StrobeError } from '../../../src/model/errors.ts';
import { parseExpression, type Expression } from '../../../src/model/watches/expression.ts';

/** As nested lists: operator first. */
function shape(of: Expression): unknown {
  switch (of.kind) {
    case 'integer':
      return Number(of.value);
    case 'decimal':
    case 'text':
      return of.value;
    case 'name':
      return `$${of.name}`;
    case 'member':
      return ['.', shape(of.of), of.field];
    case 'index':
      return ['[]', shape(of.of), shape(of.at)];
    case 'forall':
      return ['forall', shape(of.head), shape(of.step), shape(of.test)];
    case 'unary':
      return [of.operator, shape(of.of)];
    case 'cast':
      return [`(${of.type}${'*'.repeat(of.stars)})`, shape(of.of)];
    case 'binary':
      return [of.operator, shape(of.left), shape(of.right)];
    case 'call':
      return [of.name, ...of.args.map(shape)];
  }
}

test.each([
  ['size > 4096', ['>', '$size', 4096]],
  ['a || b && c', ['||', '$a', ['&&', '$b', '$c']]],
  ['1 + 2 * 3 - 4', ['-', ['+', 1, ['*', 2, 3]], 4]],
  ['a & 3 == 1', ['&', '$a', ['==', 3, 1]]],
  ['!(a < -b)', ['!', ['<', '$a', ['-', '$b']]]],
  ['this->config.rate >= 0.5', ['>=', ['.', ['.', '$this', 'config'], 'rate'], 0.5]],
  ['*(double*)((char*)z->h + 24)', ['*', ['(double*)', ['+', ['(char*)', ['.', '$z', 'h']], 24]]]],
  ['((struct node *)p)->next', ['.', ['(node*)', '$p'], 'next']],
  ['(unsigned char)a + (b) * c', ['+', ['(unsigned char)', '$a'], ['*', '$b', '$c']]],
  ['args[0] == 0x1F', ['==', ['[]', '$args', 0], 31]],
  [
    'contains(name, "a\\"b") && len(name) != 0',
    ['&&', ['contains', '$name', 'a"b'], ['!=', ['len', '$name'], 0]],
  ],
  ["c == 'x' || isNull(p)", ['||', ['==', '$c', 120], ['isNull', '$p']]],
  ['*p == true', ['==', ['*', '$p'], 1]],
  ['bank::total + ::gCount', ['+', '$bank::total', '$::gCount']],
  ['"a b.c"::state.size', ['.', '$"a b.c"::state', 'size']],
  ['name == "a::b"', ['==', '$name', 'a::b']],
])('%s', (source, wanted) => {
  expect(shape(parseExpression(source))).toEqual(wanted);
});

test.each([
  '',
  'a >',
  'a b',
  '(a',
  'len(a, b)',
  'eval(a)',
  'a = 3',
  '"open',
  'a.',
  '#',
  '('.repeat(80),
])('refuses %j and says why', (source) => {
  expect(() => parseExpression(source)).toThrow(StrobeError);
});

test('any text is read or refused, and nothing else is thrown', () => {
  const words = [
    'a',
    '1',
    '&&',
    '(',
    ')',
    '->',
    '"x"',
    '!',
    '*',
    '[',
    ']',
    'len',
    ',',
    '.',
    '0x',
    ' ',
  ];
  const sources = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...words)).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(sources, (source) => {
      try {
        parseExpression(source);
      } catch (error) {
        expect(error).toMatchObject({ code: 'BAD_EXPRESSION' });
      }
    }),
  );
});

test.each([
  ['sum > @', '"@" at column 7 cannot be read'],
  ['sum  )', '")" at column 6 does not belong there'],
  ['a == "x" "y"', '"y" at column 10 does not belong there'],
])('names the column where %s cannot be read', (source, why) => {
  expect(() => parseExpression(source)).toThrow(`"${source}" cannot be read: ${why}.`);
});
