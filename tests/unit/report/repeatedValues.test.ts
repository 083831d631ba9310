import { expect, test } from 'vitest';
import type { CallView, Value } from '../../../src/model/questions/query.ts';
import { sharedLines, callText, type CallStyle } from '../../../src/daemon/report/text/callText.ts';
import { RepeatedValues } from '../../../src/daemon/report/text/repeatedValues.ts';
import { SharedArguments } from '../../../src/daemon/report/text/sharedArguments.ts';
import { withShown } from '../../../src/model/questions/shownValues.ts';
import { call, int, pointer, text } from './samples.ts';

const plain: CallStyle = {
  verbose: false,
  shortName: (name) => name,
  projectRoot: '/',
  endedAt: null,
  now: 0,
};

function object(fields: Readonly<Record<string, Value>>): Value {
  const all = Object.entries(fields).map(([name, value]) => ({ name, value }));
  return { kind: 'object', object: { fields: all, left: 0 } };
}

function pointerAt(address: string, target: Value): Value {
  return { kind: 'pointer', address, isNull: false, target };
}

const customer = (balance: number): Value =>
  pointerAt(
    '0x7f20',
    object({ id: int(7), name: text('Bob'), city: text('Ulm'), balance: int(balance) }),
  );

function written(calls: readonly CallView[]): string[] {
  const style = { ...plain, repeated: new RepeatedValues(calls) };
  return calls.map((one) => callText(one, style).split('  ')[0] ?? '');
}

test('a value that the text of a breakpoint holds again is written out in the first of them', () => {
  const hit = (id: string): CallView =>
    call(1, 'b.c:7', {
      arguments: [{ name: 'c', value: customer(5) }],
      probe: { id, log: 'c={c}' },
    });
  const style = { ...plain, repeated: new RepeatedValues([hit('b1'), hit('b2')]) };
  const [first, second] = [hit('b1'), hit('b2')].map((one) => callText(one, style));
  expect(first).toMatch(/● b\.c:7 {2}c=#1 0x7f20\{/);
  expect(second).not.toContain('0x7f20');
});

const paying = (balance: number): CallView =>
  call(balance, 'pay', {
    arguments: [{ name: 'c', value: customer(balance) }],
    returns: int(0),
  });

test('[query.objects] an object is written out once, then by its number with what has changed in it', () => {
  expect(written([paying(9), paying(9), paying(8)])).toEqual([
    'pay(c=#1 0x7f20{id=7, name="Bob", city="Ulm", balance=9}) = 0',
    'pay(c=#1) = 0',
    'pay(c=#1{balance=8}) = 0',
  ]);
});

test('[query.objects] a number stands behind its value also where arguments are written briefly or left out', () => {
  const wide = (first: number): Value =>
    object(
      Object.fromEntries(
        Array.from({ length: 8 }, (_, at) => [
          `member${at}`,
          text(`value ${first + at} of some length`),
        ]),
      ),
    );
  const calls = [1, 2, 3].map((at) =>
    call(at, 'quote', {
      arguments: ['parcel', 'rate', 'zone', 'extras'].map((name, i) => ({
        name,
        value: wide(i === 0 ? 0 : i * 100 + (i === 3 ? at : 0)),
      })),
      returns: int(0),
    }),
  );
  const known = new Set<string>();
  for (const line of written([...calls, ...calls])) {
    for (const [, number = '', follows = ''] of line.matchAll(/#(\d+)(.?)/g)) {
      if (follows === ' ') known.add(number);
      expect([line, known.has(number)]).toEqual([line, true]);
    }
  }
  expect(known.size).toBeGreaterThan(1);
});

test('[query.objects] one that is shown once has no number, and none does in another object at the same place', () => {
  const other = call(2, 'see', {
    arguments: [
      {
        name: 'x',
        value: pointerAt(
          '0x7f20',
          object({ a: int(1), b: text('something of some length'), c: int(3) }),
        ),
      },
    ],
    returns: int(0),
  });
  expect(written([paying(9), other]).join('\n')).not.toContain('#');
});

test('[query.shared] arguments and fields that are the same in all calls are written ahead of them', () => {
  const calls = [1, 2, 3, 4].map((cents) =>
    call(cents, 'pay', {
      arguments: [
        { name: 'state', value: pointer('0x55d0c0a81f40') },
        {
          name: 'to',
          value: object({ kind: text('account'), cents: int(cents), fee: int(1_000_000) }),
        },
      ],
      returns: int(0),
    }),
  );
  const shared = SharedArguments.of(calls.map((one) => ({ call: one, varying: [] })));
  expect(sharedLines(shared, plain)).toEqual([
    'the same in all calls: state=0x55d0c0a81f40, to.kind="account", to.fee=1000000',
  ]);
  expect(calls.map((one) => callText(shared.without(one), plain).split('  ')[0])).toEqual(
    [1, 2, 3, 4].map((cents) => `pay(to={cents=${cents}}) = 0`),
  );
});

test('[query.unions] a union shows the member its tag names, else the first; padding is left out', () => {
  const union = object({ circle: int(2), square: int(1_073_741_824) });
  const asUnion = (value: Value): Value =>
    value.kind === 'object' ? { ...value, object: { ...value.object, isUnion: true } } : value;
  const shape = (tag: Value): string =>
    callText(
      call(1, 'draw', {
        arguments: [{ name: 's', value: object({ kind: tag, pad_: int(0), as: asUnion(union) }) }],
        returns: { kind: 'void' },
      }),
      plain,
    ).split('  ')[0] ?? '';
  const kind = (name: string): Value => ({ kind: 'enum', name, text: '1', type: 'Kind' });
  expect(shape(kind('SHAPE_SQUARE'))).toBe(
    'draw(s={kind=SHAPE_SQUARE, as={square=1073741824|circle}})',
  );
  expect(shape(int(4))).toBe('draw(s={kind=4, as={circle=2|square}})');
});

test('[query.show] only the values that are asked for are written', () => {
  const one = { ...paying(9), returns: object({ offset: int(24464), size: int(3) }) };
  const shown = withShown(one, ['c.balance', 'return.offset', 'nothing']);
  expect(callText(shown, plain).split('  ')[0]).toBe('pay(c.balance=9) = {offset=24464}');
  for (const path of ['c.name', 'args[0].name'])
    expect(callText(withShown(one, [path]), plain).split('  ')[0]).toBe('pay(c.name="Bob")');
});
