import { describe, expect, it } from 'vitest';
import type { Value } from '../../../src/model/questions/query.ts';
import { jsonText, plainMembers, plainValue } from '../../../src/db/reader/values/plainValues.ts';

const seven: Value = { kind: 'int', text: '7' };
const removed: Value = { kind: 'notCaptured', reason: 'the compiler removed it' };
const nothing: Value = { kind: 'null' };

describe('values as JSON', () => {
  it('null is what is null in the program; what was not captured is left out', () => {
    const named = { seven, removed, nothing };
    const values = Object.entries(named).map(([name, value]) => ({ name, value }));
    expect(Object.fromEntries(plainMembers(values))).toEqual({ seven: 7, nothing: null });
    const object: Value = { kind: 'object', object: { fields: values, left: 3 } };
    expect(plainValue(object)).toEqual({ seven: 7, nothing: null, '…': '3 more' });
    expect(plainValue(removed)).toBeUndefined();
    expect(plainValue({ kind: 'void' })).toBeUndefined();
  });

  it('elements keep their places', () => {
    const list: Value = { kind: 'list', items: [seven, removed, nothing], total: 3 };
    expect(plainValue(list)).toEqual([7, '?', null]);
    expect(plainValue({ kind: 'variant', name: 'Some', value: removed })).toEqual({ Some: '?' });
  });

  it('what was cut, torn or hidden says so', () => {
    expect(plainValue({ kind: 'string', text: 'be', truncated: true })).toBe('be…');
    const torn = '<torn: it changed while it was copied>';
    expect(plainValue({ kind: 'list', items: [seven], total: 9, torn: true })).toEqual([
      7,
      '…(+8)',
      torn,
    ]);
    const entries = [{ key: seven, value: removed }];
    expect(plainValue({ kind: 'map', entries, total: 2 })).toEqual([[7, '?'], '…(+1)']);
    expect(plainValue({ kind: 'redacted', word: 'token' })).toBe('<redacted: named "token">');
  });

  it('their text is what JSON has for them', () => {
    const fields = [
      { name: 'a "b"\n', value: seven },
      { name: 'twice', value: seven },
      { name: 'lost', value: removed },
      { name: 'twice', value: nothing },
      { name: 'address', value: { kind: 'float', value: -0.5, bytes: 8 } },
    ] as const;
    const object: Value = { kind: 'object', object: { fields, left: 1 } };
    const pointer = { kind: 'pointer', address: '0x10', isNull: false } as const;
    const values: readonly Value[] = [
      object,
      { kind: 'list', items: [object, removed, nothing], total: 5 },
      { kind: 'variant', name: 'Some', value: object },
      { kind: 'map', entries: [{ key: object, value: removed }], total: 1 },
      { kind: 'string', text: 'é"\u0001\ud800', truncated: true },
      { kind: 'int', text: '18446744073709551615' },
      { kind: 'float', value: Number.NaN, bytes: 8 },
      { kind: 'bool', value: true },
      { ...pointer, target: object },
      { ...pointer, target: seven },
      pointer,
    ];
    for (const value of values) {
      expect(jsonText.value(value)).toBe(JSON.stringify(plainValue(value)));
    }
    expect(jsonText.object(fields)).toBe(JSON.stringify(Object.fromEntries(plainMembers(fields))));
    expect(jsonText.value(removed)).toBeUndefined();
  });
});
