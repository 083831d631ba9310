import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeDynamic, type DefinedNames } from '../../../src/model/decoding/dynamic.ts';
import { SecretCutter } from '../../../src/model/decoding/secretCutter.ts';
import { SecretKeys } from '../../../src/model/decoding/secretKeys.ts';
import { immediateTag, itemTag } from '../../../src/model/values/dynamicValue.ts';
import { secretIn, secretNames } from '../../../src/model/values/redaction.ts';
import { plainText } from '../../../src/db/reader/values/capturedValues.ts';
import { dynamicBytes, item, type Dynamic } from '../../support/dynamicBytes.ts';

const numbered = ['name', 'password', 'items'];
const names: DefinedNames = {
  type: () => null,
  name: (number) => numbered[number] ?? null,
  strand: () => null,
};

const keysOfSecrets = new SecretKeys(secretNames);
const isSecret = (name: string): boolean => secretIn(name, secretNames) !== null;

function cut(bytes: Buffer, secrets: readonly boolean[]): Buffer {
  const cutter = new SecretCutter(bytes, names, keysOfSecrets);
  let at = 0;
  for (const secret of secrets) at = cutter.value(at, bytes.length, secret);
  return cutter.kept(bytes.length) ?? bytes;
}

type Pair = readonly [Dynamic, Dynamic];
const redacted: Dynamic = { tag: 'redacted' };

function isHarmless(value: Dynamic): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true;
  if (typeof value !== 'object') return false;
  return 'other' in value || ('tag' in value && value.tag === 'function');
}

function isList(value: Dynamic): value is readonly Dynamic[] {
  return Array.isArray(value);
}

/** What should be left, worked out on the values instead of their bytes. */
function withoutSecrets(value: Dynamic): Dynamic {
  if (typeof value !== 'object' || value === null) return value;
  const pairs = (all: readonly Pair[]): Pair[] =>
    all.map(([key, inside]) => [withoutSecrets(key), hidden(key, inside)]);
  if (isList(value)) return value.map(withoutSecrets);
  if ('map' in value) return { map: pairs(value.map) };
  if ('object' in value) return { ...value, fields: pairs(value.fields) };
  if ('subclass' in value)
    return { ...value, of: withoutSecrets(value.of), fields: pairs(value.fields ?? []) };
  if ('tuple' in value) return { tuple: value.tuple.map(withoutSecrets) };
  if ('exception' in value) return { ...value, of: withoutSecrets(value.of) };
  return value;
}

function hidden(key: Dynamic, value: Dynamic): Dynamic {
  const name = nameOf(key);
  if (name === null || !isSecret(name) || isHarmless(value)) return withoutSecrets(value);
  return redacted;
}

function nameOf(key: Dynamic): string | null {
  if (typeof key === 'string') return key;
  if (typeof key !== 'object' || key === null) return null;
  return 'name' in key ? (numbered[key.name] ?? null) : null;
}

const keys = fc.oneof(
  fc.constantFrom<Dynamic>('user', 'password', 'db_password', 'apiKey', 'пароль password', ''),
  fc.constantFrom<Dynamic>({ name: 0 }, { name: 1 }, { name: 2 }, { name: 9 }, 7, 2.5, null),
  fc.string(),
);

const values = fc.letrec<{ value: Dynamic; pairs: Pair[] }>((tie) => ({
  pairs: fc.array(fc.tuple(fc.oneof(keys, tie('value')), tie('value')), { maxLength: 4 }),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Dynamic>(null, undefined, true, false, '', 'hunter2', 'хантер'),
    fc.constantFrom<Dynamic>({ other: 300 }, { tag: 'function', rest: item('main') }, { name: 1 }),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }).filter((value) => value !== 0n),
    fc.double({ noNaN: true }),
    fc.string({ maxLength: 40 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(tie('value'), { maxLength: 3 }).map((tuple) => ({ tuple })),
    tie('value').map((of) => ({ exception: 4, of })),
    tie('pairs').map((map) => ({ map })),
    tie('pairs').map((fields) => ({ object: 200, fields })),
    fc.tuple(tie('value'), tie('pairs')).map(([of, fields]) => ({ subclass: 3, of, fields })),
  ),
})).value;

test('[dynamic.secrets] of any values exactly the secrets are cut out', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(values, fc.boolean()), { maxLength: 4 }), (all) => {
      const bytes = dynamicBytes(...all.map(([value]) => value));
      const before = Buffer.from(bytes);
      const wanted = all.map(([value, secret]) => {
        if (!secret || isHarmless(value)) return dynamicBytes(withoutSecrets(value));
        const header = Buffer.alloc(8);
        header[4] = immediateTag.redacted << 3;
        return header;
      });
      const left = cut(
        bytes,
        all.map(([, secret]) => secret),
      );
      expect(left.toString('hex')).toBe(Buffer.concat(wanted).toString('hex'));
      expect(bytes).toEqual(before);
    }),
    { numRuns: 3000 },
  );
});

test('[dynamic.secrets] values of one function without secrets are not copied', () => {
  const bytes = dynamicBytes({ map: [['user', 'Ann']] }, 7, 'text');
  expect(cut(bytes, [false, false, false])).toBe(bytes);
});

test('[dynamic.secrets] damaged bytes hide what they hold, and read as before or as damaged', () => {
  fc.assert(
    fc.property(
      values,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      (value, changes) => {
        const bytes = dynamicBytes(value);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const left = cut(bytes, [false]);
        expect(left.length).toBeLessThanOrEqual(bytes.length);
        expect(left.length % 8).toBe(0);
        const type = { kind: 'dynamic', language: 'python' } as const;
        const shown = plainText(decodeDynamic(type, names, left, 0, left.length).value);
        expect(shown).not.toContain('password=hunter2');
        expect(shown).not.toContain('"password": "hunter2"');
      },
    ),
    { numRuns: 3000 },
  );
  // What is said to be longer than it is.
  const torn = dynamicBytes({ map: [['password', 'hunter2 is long enough']] }).subarray(0, 24);
  expect(cut(torn, [false]).toString('latin1')).not.toContain('hunter2');
  const unknown = Buffer.from([9, 0, 0, 0, 0, 0, 0, 0, itemTag.map, 6, 0, 1, 200, 104, 117, 110]);
  expect(
    cut(Buffer.concat([unknown, Buffer.from('ter2    ')]), [false]).toString('latin1'),
  ).not.toContain('hun');
});
