import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeDynamic, type DefinedNames } from '../../../src/model/decoding/dynamic.ts';
import { typeFlags } from '../../../src/model/functions/definition.ts';
import type { DefinedLanguage } from '../../../src/model/functions/definition.ts';
import type { Value } from '../../../src/model/questions/query.ts';
import { plainText } from '../../../src/db/reader/values/capturedValues.ts';
import { plainValue } from '../../../src/db/reader/values/plainValues.ts';
import { immediateTag } from '../../../src/model/values/dynamicValue.ts';
import { dynamicBytes, item, type Dynamic } from '../../support/dynamicBytes.ts';

const types = [
  { name: 'User', flags: 0 },
  { name: 'Color', flags: typeFlags.enum },
  { name: 'ValueError', flags: typeFlags.exception },
  { name: 'ndarray', flags: typeFlags.ndarray },
  { name: 'Point', flags: 0 },
];

const names: DefinedNames = {
  type: (number) => {
    const type = types[number];
    return type ? { kind: 'type', number, language: 'python', module: 'shop', ...type } : null;
  },
  name: (number) => ['name', 'password'][number] ?? null,
  strand: () => null,
};

function decoded(value: Dynamic, language: DefinedLanguage = 'python'): Value {
  const bytes = dynamicBytes(value, 7);
  const first = decodeDynamic({ kind: 'dynamic', language }, names, bytes, 0, bytes.length);
  const next = decodeDynamic({ kind: 'dynamic', language }, names, bytes, first.next, bytes.length);
  expect(next).toEqual({ value: { kind: 'int', text: '7' }, next: bytes.length });
  return first.value;
}

const shown = [
  [null, 'None', null],
  [undefined, 'undefined', null],
  [true, 'true', true],
  [-8_388_607, '-8388607', -8_388_607],
  [10 ** 12, '1000000000000', 10 ** 12],
  [2n ** 100n, '1267650600228229401496703205376', '1267650600228229401496703205376'],
  [-(2n ** 64n), '-18446744073709551616', '-18446744073709551616'],
  [1.5, '1.5', 1.5],
  ['tea', '"tea"', 'tea'],
  ['München 雪', '"München 雪"', 'München 雪'],
  [{ bytes: [116, 101, 97] }, '"tea"', 'tea'],
  [[1, 'a', null], '[1, "a", None]', [1, 'a', null]],
  [{ tuple: [1, 2] }, '(1, 2)', [1, 2]],
  [{ set: [1] }, '{1}', [1]],
  [{ map: [['a', 1]] }, '{"a": 1}', [['a', 1]]],
  [
    {
      object: 0,
      fields: [
        [{ name: 0 }, 'Ann'],
        ['items', [1]],
      ],
    },
    'User{name="Ann", items=[1]}',
    { name: 'Ann', items: [1] },
  ],
  [
    {
      object: 1,
      as: 'enumeration',
      fields: [
        ['_value_', 1],
        ['_name_', 'RED'],
      ],
    },
    'Color.RED',
    'Color.RED',
  ],
  [
    { exception: 2, of: { tuple: ['no such item'] } },
    'ValueError("no such item")',
    { ValueError: 'no such item' },
  ],
  [{ exception: 2, of: { tuple: [] } }, 'ValueError', 'ValueError'],
  [{ subclass: 4, of: { tuple: [1, 2] } }, 'Point((1, 2))', { Point: [1, 2] }],
  [{ other: 0 }, '<User>', '<User>'],
  [{ tag: 'function', rest: item('main') }, '<function main>', '<function main>'],
  [{ tag: 'array', rest: [3, 102, 56, 60, 2, 3, 4] }, '<ndarray <f8[3, 4]>', '<ndarray <f8[3, 4]>'],
  [{ tag: 'cycle', rest: [2] }, '<circular, 2 up>', '<circular, 2 up>'],
  [{ tag: 'getter' }, '<getter>', '<getter>'],
  [{ tag: 'proxy' }, '<proxy>', '<proxy>'],
  [{ tag: 'unset' }, '<unset>', '<unset>'],
  [{ tag: 'symbol', rest: item('id') }, 'Symbol(id)', 'Symbol(id)'],
] satisfies readonly (readonly [Dynamic, string, unknown])[];

test.each(shown.map(([value, text, plain]) => ({ value, text, plain })))(
  '[dynamic.values] $text',
  ({ value, text, plain }) => {
    expect(plainText(decoded(value))).toBe(text);
    expect(plainValue(decoded(value))).toEqual(plain);
  },
);

test('[dynamic.values] nothing is named as its language does; a cut text and a cut list say so', () => {
  expect(plainText(decoded(null, 'javascript'))).toBe('null');
  expect(plainText(decoded(null, 'go'))).toBe('nil');
  const text = { tag: 'text1', rest: [9, 2, 104, 105] } as const;
  expect(decoded(text)).toEqual({ kind: 'string', text: 'hi', truncated: true });
  const list = { tag: 'list', rest: [3, 0, 9, 4, 1] } as const;
  expect(plainText(decoded(list))).toBe('[1, …(+8)]');
});

test('[dynamic.secrets] what is redacted says by which name', () => {
  const secret = { tag: 'redacted' } as const;
  const user: Dynamic = {
    object: 0,
    fields: [
      [{ name: 1 }, secret],
      ['settings', { map: [['api_key', secret]] }],
    ],
  };
  expect(plainValue(decoded(user))).toEqual({
    password: '<redacted: named "password">',
    settings: [['api_key', '<redacted: named "api_key">']],
  });
  const header = Buffer.alloc(8);
  header[4] = immediateTag.redacted << 3;
  const type = { kind: 'dynamic', language: 'python', secret: 'auth token' } as const;
  expect(decodeDynamic(type, names, header, 0, 8).value).toEqual({
    kind: 'redacted',
    word: 'auth token',
  });
});

const dynamics = fc.letrec<{ value: Dynamic }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Dynamic>(null, undefined, true, false, ''),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }).filter((value) => value !== 0n),
    fc.double({ noNaN: true }),
    fc.string(),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 4 }).map((map) => ({ map })),
    fc
      .array(fc.tuple(fc.string(), tie('value')), { maxLength: 4 })
      .map((fields) => ({ object: 0, fields })),
  ),
})).value;

test('[dynamic.damaged] whatever bytes were captured, a value or that they are damaged is told, in time of their length', () => {
  fc.assert(
    fc.property(
      dynamics,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }),
      fc.nat(),
      (value, changes, cut) => {
        const bytes = dynamicBytes(value);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const end = cut % 3 === 0 ? Math.max(8, cut % bytes.length) : bytes.length;
        const { value: found, next } = decodeDynamic(
          { kind: 'dynamic', language: 'javascript' },
          names,
          bytes,
          0,
          end,
        );
        expect(next).toBeGreaterThanOrEqual(8);
        expect(next).toBeLessThanOrEqual(end);
        expect(plainText(found).length).toBeLessThan(400_000);
      },
    ),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 300 }), (random) => {
      const bytes = Buffer.from(random);
      expect(
        plainText(
          decodeDynamic({ kind: 'dynamic', language: 'python' }, names, bytes, 0, bytes.length)
            .value,
        ),
      ).toBeDefined();
    }),
    { numRuns: 2000 },
  );
  // Containers in containers, to the last byte.
  const deep = Buffer.alloc(60_008);
  deep.writeUInt32LE(60_000, 0);
  for (let at = 8; at + 4 < deep.length; at += 4) {
    deep[at] = 14;
    deep.writeUInt16LE(deep.length - at - 3, at + 1);
    deep[at + 3] = 1;
  }
  expect(
    plainText(
      decodeDynamic({ kind: 'dynamic', language: 'python' }, names, deep, 0, deep.length).value,
    ),
  ).toContain('?');
});
