import { expect, test } from 'vitest';
import { withoutSecrets } from '../../../src/collector/native/secretShapes.ts';
import { Walks } from '../../../src/collector/native/walkTable.ts';
import type { Shape } from '../../../src/model/values/shape.ts';
import type { ValueType } from '../../../src/model/values/valueType.ts';
import { walkFlag, walkKind, walkStep } from '../../../src/protocol/walk.ts';

type Tree = Extract<ValueType, { kind: 'tree' }>;

const rules = { stringBytes: 256, secretNames: ['password'] };
const int = { kind: 'int', name: 'int', bytes: 4, signed: true } as const;

/** `Owner*` → { Login login; Owner *next } and Login { int id; <field> }. */
function owner(field: string): Tree {
  const shapes: readonly Shape[] = [
    { kind: 'pointer', name: 'Owner*', bytes: 8, at: 0, skip: 0, target: 1 },
    {
      kind: 'record',
      name: 'Owner',
      bytes: 24,
      left: 0,
      fields: [
        { name: 'login', offset: 0, shape: 2 },
        { name: 'next', offset: 16, shape: 0 },
      ],
    },
    {
      kind: 'record',
      name: 'Login',
      bytes: 16,
      left: 0,
      fields: [
        { name: 'id', offset: 0, shape: 3 },
        { name: field, offset: 8, shape: 4 },
      ],
    },
    { kind: 'scalar', bytes: 4, type: int },
    { kind: 'text', name: 'char*', bytes: 8, pointer: 0, length: null },
  ];
  return { kind: 'tree', name: 'Owner*', depth: 2, root: 0, shapes };
}

function kinds(steps: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = 0; at < steps.length; at += walkStep.bytes)
    found.push(steps[at + walkStep.kind] ?? -1);
  return found;
}

test('a type that contains itself is a walk that ends; equal walks are kept once', () => {
  const walks = new Walks();
  expect(walks.add(owner('name'), rules)).toBe(0);
  const { head, follow, text, end } = walkKind;
  // The pointer; the object with its text and the next one; the text's own node.
  expect(kinds(walks.since(0))).toEqual([head, follow, head, text, follow, head, end]);
  const { count } = walks;
  expect(walks.add(owner('title'), rules)).toBe(0);
  expect(walks.count).toBe(count);
  expect(walks.add({ ...owner('name'), depth: 3 }, rules)).toBe(count);
  expect(walks.since(count)).toHaveLength(walks.since(0).length - count * walkStep.bytes);
});

test('what lies deeper than what is wanted whole has a room of its own, which what was asked for has not', () => {
  const head = ({ depth, whole }: { depth: number; whole?: number }): readonly number[] => {
    const walks = new Walks();
    walks.add({ ...owner('name'), depth, ...(whole === undefined ? {} : { whole }) }, rules);
    const steps = walks.since(0);
    const view = new DataView(steps.buffer, steps.byteOffset);
    return [walkStep.a, walkStep.c].map((at) => view.getUint32(at, true));
  };
  expect(head({ depth: 3, whole: 1 })).toEqual([3, 1]);
  expect(head({ depth: 3 })).toEqual([3, 3]);
});

test('[security.redaction] a secret member is wiped in the copy of its object and not followed', () => {
  const { type, secret } = withoutSecrets(owner('password'), rules);
  expect(secret).toBeNull();
  const walks = new Walks();
  walks.add(type, rules);
  const { head, follow, blank, end } = walkKind;
  expect(kinds(walks.since(0))).toEqual([head, follow, head, blank, follow, end]);
  expect(walks.since(0)[walkStep.flags]).toBe(walkFlag.blank);
  expect(withoutSecrets({ ...owner('password'), root: 1 }, rules).secret).toBeNull();
});

test('[security.redaction] what has no fixed place of its own hides the whole object', () => {
  const type = owner('password');
  const shapes = type.shapes.map((shape) =>
    shape.kind === 'record' ? { ...shape, isUnion: true } : shape,
  );
  const { type: hidden } = withoutSecrets({ ...type, shapes }, rules);
  expect(hidden.shapes[2]?.kind).toBe('secret');
  expect(withoutSecrets({ ...type, shapes, root: 2 }, rules).secret).toBe('password');
});
