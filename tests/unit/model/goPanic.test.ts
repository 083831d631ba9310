import { expect, test } from 'vitest';
import { goPanicOf } from '../../../src/model/endings/goPanic.ts';
import type { Value } from '../../../src/model/questions/query.ts';

const plain = (value: Value): string => `<${value.kind}>`;

function int(text: string): Value {
  return { kind: 'int', text };
}

function object(fields: Readonly<Record<string, Value>>): Value {
  const named = Object.entries(fields).map(([name, value]) => ({ name, value }));
  return { kind: 'object', object: { fields: named, left: 0 } };
}

function held(name: string, value: Value | null): Value {
  return { kind: 'variant', name, value };
}

function bounds(x: string, y: string, code: string): Value {
  const fields = { x: int(x), signed: { kind: 'bool', value: true } as const, y: int(y) };
  return held('runtime.boundsError', object({ ...fields, code: int(code) }));
}

test("[go.panic-events] says of bounds what Go's runtime says", () => {
  const messages = [bounds('5', '3', '0'), bounds('-1', '3', '0'), bounds('9', '4', '3')].map(
    (value) => goPanicOf(value, plain).message,
  );
  expect(messages).toEqual([
    'runtime error: index out of range [5] with length 3',
    'runtime error: index out of range [-1]',
    'runtime error: slice bounds out of range [9:4]',
  ]);
});

test('[go.panic-events] a value that is no text is shown itself, and nothing is said of one that was not read', () => {
  const own = goPanicOf(held('*main.Refused', object({ Code: int('3') })), plain);
  expect(own).toEqual({ type: '*main.Refused', message: '<object>', isMessageFound: true });
  const address: Value = { kind: 'pointer', address: '0x1', isNull: false };
  expect(goPanicOf(held('main.Unread', address), plain)).toEqual({
    type: 'main.Unread',
    message: null,
    isMessageFound: false,
  });
  expect(goPanicOf({ kind: 'notCaptured', reason: 'cut' }, plain).type).toBeNull();
  expect(goPanicOf(held('runtime.boundsError', object({ x: int('1') })), plain)).toMatchObject({
    message: '<object>',
    isMessageFound: true,
  });
});
