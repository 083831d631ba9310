import { expect, test } from 'vitest';
import { valueOf, unknown } from '../../../src/collector/node/preload/expressionValue.ts';
import type { WireExpression } from '../../../src/protocol/nodeTracer.ts';

const name = (text: string): WireExpression => ({ kind: 'name', name: text });
const member = (of: string, field: string): WireExpression => ({
  kind: 'member',
  of: name(of),
  field,
});
const walk: WireExpression = {
  kind: 'forall',
  head: name('head'),
  step: member('it', 'next'),
  test: {
    kind: 'binary',
    operator: '<=',
    left: member('it', 'key'),
    right: member('next', 'key'),
  },
};

function list(...keys: readonly number[]): object | null {
  return keys.reduceRight<object | null>((next, key) => ({ key, next }), null);
}

function walked(head: object | null): unknown {
  return valueOf(walk, {
    parameters: ['head'],
    values: [head],
    result: unknown,
    variable: () => unknown,
  });
}

test('[inside.returns] forall with `next` asks every element of a list but the last', () => {
  expect(walked(null)).toBe(true);
  expect(walked(list(1))).toBe(true);
  expect(walked(list(1, 2, 2))).toBe(true);
  expect(walked(list(1, 3, 2))).toBe(false);
});
