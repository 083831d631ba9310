import { expect, test } from 'vitest';
import { pythonStatements } from '../../../src/symbols/python/pythonStatements.ts';

const text = `import os.path as path, sys
limit: int = 3

def outer(first, *rest):
    "What it does."
    global total
    unused: int
    for word, (left, right) in rest:
        total = word; other = left
    def inner(third):
        return first + third
    with open(first) as file, inner(1):
        if (size := len(rest)) > 1:
            pass
        elif size:
            return None
    try:
        inner(2)
    except OSError as error:
        pass
    return [
        one for one in rest
    ]

class Shop(object):
    count = 0
    def sell(self): return self
`;
const all = pythonStatements(text);
const at = (line: number) => all.filter((one) => one.line === line);

test('statements are lines that run, with the code that holds them', () => {
  const places = all.map(({ line, holder }) => `${line} ${holder?.qualifiedName ?? ''}`.trim());
  expect(places).toEqual(
    [
      ['1', '2', '4', '8 outer', '9 outer', '10 outer', '11 outer.<locals>.inner', '12 outer'],
      ['13 outer', '14 outer', '15 outer', '16 outer', '17 outer', '18 outer', '19 outer'],
      ['20 outer', '21 outer', '25', '26 Shop', '27 Shop', '27 Shop.sell'],
    ].flat(),
  );
});

test('names are those of the function, of functions outside that it uses, and of the module', () => {
  const [last] = at(21);
  expect(last?.locals).toEqual([
    'first',
    'rest',
    'unused',
    'word',
    'left',
    'right',
    'other',
    'inner',
    'file',
    'size',
    'error',
  ]);
  expect(last?.globals).toEqual(['path', 'sys', 'limit', 'outer', 'Shop', 'total']);
  expect(at(11)[0]?.locals).toEqual(['third', 'first']);
  expect(at(26)[0]?.locals).toEqual([]);
});
