import { expect, test } from 'vitest';
import type { Value } from '../../../src/model/questions/query.ts';
import { checkStored, isMet } from '../../../src/model/watches/evaluate.ts';
import { parseExpression } from '../../../src/model/watches/expression.ts';

const int = (text: string): Value => ({ kind: 'int', text });
const view = (offset: string): Value => ({
  kind: 'object',
  object: { fields: [{ name: 'offset', value: int(offset) }], left: 0 },
});
const given: Readonly<Record<string, Value>> = {
  a: view('60000'),
  return: view('24464'),
  start: int('30000'),
  name: { kind: 'string', text: 'item-7', truncated: false },
  cut: { kind: 'string', text: 'item', truncated: true },
  single: { kind: 'float', value: Math.fround(0.1), bytes: 4 },
  colour: { kind: 'enum', name: 'red', text: '1', type: 'Colour' },
  letter: { kind: 'char', code: 120, bytes: 1 },
  next: { kind: 'pointer', address: '0x10', isNull: false, target: view('7') },
  none: { kind: 'pointer', address: '0x0', isNull: true },
  list: { kind: 'list', items: [int('4'), int('5')], total: 9 },
  gone: { kind: 'notCaptured', reason: 'optimised out' },
  big: int('18446744073709551615'),
};

const met = (expression: string): boolean =>
  isMet(parseExpression(expression), {
    value: (name) => given[name],
    argument: (index) => Object.values(given)[index],
  });

test.each([
  'return.offset != a.offset + start',
  '(unsigned short)(a.offset + start) == return.offset',
  'args[2] == 30000 && args[0].offset == 60000',
  'name == "item-7" && contains(name, "-7") && len(name) == 6',
  'contains(cut, "it")',
  'single == 0.1 && single < 1',
  'colour == "red" && colour == 1 && colour != "blue"',
  'letter == "x"',
  'next->offset == 7 && !isNull(next) && isNull(none)',
  'list[1] == 5 && len(list) == 9',
  'big == 18446744073709551615 && big > start',
  'start || gone',
  'start / 7 == 4285 && -start < 0 && ~start == -30001',
])('[query.where] is met: %s', (expression) => expect(met(expression)).toBe(true));

test.each([
  'return.offset == a.offset + start',
  'gone == 0',
  'gone != 0',
  '!gone',
  'start / (start - start) == 1',
  'contains(cut, "none")',
  'len(cut) == 4',
  'name == 3',
  'none->offset == 0',
])('[query.where] is not met: %s', (expression) => expect(met(expression)).toBe(false));

test('[query.where] an address is not cast: what is stored has no memory', () => {
  const source = '*(int*)next == 3';
  expect(() => checkStored(source, parseExpression(source))).toThrow('casts an address');
});
