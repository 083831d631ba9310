import { describe, expect, test, vi } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { at, listAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** An expression and its number (as text above 2^53); null: it has none; else why it is refused. */
type Case = readonly [expression: string, wanted: number | string | null | RegExp];

/** What main() of the target passes; widths, signs and kinds are in its source. */
const cases: readonly Case[] = [
  // Comparisons: as the numbers are, whatever their types.
  ...signs([
    ['i8 == -5', 1],
    ['i8 != -5', 0],
    ['i8 < 0', 1],
    ['i8 <= -5', 1],
    ['i8 > -6', 1],
    ['i8 >= -4', 0],
    ['u8 == 200', 1],
    ['u8 > 127', 1],
    ['u8 < 0', 0],
    ['u32 == 4000000000', 1],
    ['u32 > -1', 1],
    ['u32 == 0xEE6B2800', 1],
    ['i64 == -9007199254740993', 1],
    ['i64 == -9007199254740992', 0],
    ['i64 < 0xfffffffffffffff0', 1],
    ['u64 == 18446744073709551615', 1],
    ['u64 > -1', 1],
    ['u64 == -1', 0],
    ['u64 > i8', 1],
    ['i64 < u64', 1],
    ['i8 <= u64', 1],
    ['u64 > 0x7fffffffffffffff', 1],
  ]),
  ...signs([
    ['o->i16 == -300', 1],
    ['o->u16 == 65535', 1],
    ['o->i32 == -70000', 1],
    ['o->small - 5 < 0', 1],
    ['o->row[1] == -8', 1],
    ['o->row[2] * o->row[0] == 63', 1],
  ]),
  // Arithmetic: exact, or none.
  ['i8 + u8', 195],
  ['i8 - u8', -205],
  ['u8 - i8', 205],
  ['o->small - 5', -2],
  ['i8 * u32', -20_000_000_000],
  ['i8 / 2', -2],
  ['i8 % 3', -2],
  ['u8 / i8', -40],
  ['u8 % i8', 0],
  ['i64 / o->small', -3_002_399_751_580_331],
  ['u64 / 2', '9223372036854775807'],
  ['u64 - 1 == 18446744073709551614', 1],
  ['u64 % 10', 5],
  ['u64 + 1', null],
  ['u64 * 2', null],
  ['i64 * i64', null],
  ['i8 / (u8 - u8)', null],
  ['u8 % (i8 - i8)', null],
  ['-9223372036854775808 / -1 == 9223372036854775808', 1],
  ['-i8', 5],
  ['-u8', -200],
  ['-u64', null],
  ['~i8', 4],
  ['~u8', -201],
  ['u8 & 0x0f', 8],
  ['i8 & 0xff', 251],
  ['u64 & 0xff', 255],
  ['u8 | 7', 207],
  ['u8 ^ 0xff', 55],
  ['u8 << 2', 800],
  ['u8 >> 3', 25],
  ['i8 >> 1', -3],
  ['i64 >> o->small', -1_125_899_906_842_625],
  ['i8 << 62', null],
  ['u8 << 64', null],
  ['u8 >> i8', null],
  ['2 + 3 * 4 - 1', 13],
  // Logic: what decides need not be known on the other side.
  ['i8 && u8', 1],
  ['i8 && o->no', 0],
  ['o->no || o->yes', 1],
  ['!i8', 0],
  ['!o->no', 1],
  ['o->no && i8 / (u8 - u8)', 0],
  ['o->yes || i8 / (u8 - u8)', 1],
  ['o->yes && i8 / (u8 - u8)', null],
  ['!(i8 / (u8 - u8))', null],
  ['o->yes == true', 1],
  ['o->yes == false', 0],
  // Floating-point numbers are compared.
  ['d == -2.5', 1],
  ['d < -2', 1],
  ['d > 0', 0],
  ['d <= -2.5', 1],
  ['f == 0.1', 1],
  ['f < 0.1', 0],
  ['f > 0.05', 1],
  ['o->single == 0.1', 1],
  ['o->whole == 16', 1],
  ['o->whole >= 16.5', 0],
  ['nan == 1.5', 0],
  ['nan != 1.5', 1],
  ['nan > 1.5', 0],
  ['nan <= 1.5', 0],
  ['o->nan >= 0', 0],
  ['!(nan < 0)', 1],
  ['d && 1', 1],
  ['d + 1 > 0', /only compared/],
  ['-d > 0', /only compared/],
  ['d > i8', /compared with a whole one/],
  // Enumerations and characters by number and name.
  ['o->colour == 200', 1],
  ['o->colour == "blue"', 1],
  ['o->colour != "red"', 1],
  ['o->colour == "yellow"', /has no "yellow": it has red, green, blue/],
  ["o->letter == 'x'", 1],
  ['o->letter == "x"', 1],
  ['o->letter == "xy"', /not one character/],
  // Text.
  ['o->name == "item"', 1],
  ['o->name != "item"', 0],
  ['o->title == "a title"', 1],
  ['contains(o->title, "tit")', 1],
  ['contains(o->name, "x")', 0],
  ['len(o->title)', 7],
  ['len(o->name) - 5', -1],
  ['isNull(o->name)', 0],
  ['o->none == "item"', 0],
  ['o->none != "item"', 1],
  ['contains(o->none, "")', 0],
  ['len(o->none)', null],
  ['isNull(o->none)', 1],
  ['o->name > 3', /text stands where a number is wanted/],
  ['o->i16 == "item"', /number is compared with a text/],
  ['len(i8)', /len\(\) is of text/],
  ['contains(i8, "x")', /number is compared with a text/],
  // Pointers, and what is behind none.
  ['isNull(o)', 0],
  ['o != null', 1],
  ['isNull(o->next)', 1],
  ['o->next == nullptr', 1],
  ['o->next->i16 == 0', null],
  ['o->next && o->next->i16 == 0', 0],
  ['o->gone', /has no field "gone"/],
  ['gone', /no parameter "gone"/],
  ['o->bits == 5', /bit-field/],
  ['o->row[3]', /has 3 elements/],
  ['i8 == 99999999999999999999', /more than 64 bits/],
];

/** Each with the sides changed, too. */
function signs(all: readonly Case[]): Case[] {
  const turned: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
  return all.flatMap(([expression, wanted]) => {
    const [, left, sign = '', right] = /^(.+) (==|!=|<=?|>=?) (.+)$/.exec(expression) ?? [];
    return [
      [expression, wanted],
      [`${right} ${turned[sign] ?? sign} ${left}`, wanted],
    ] as const;
  });
}

function parts<T>(all: readonly T[], size: number): T[][] {
  const found: T[][] = [];
  for (let from = 0; from < all.length; from += size) found.push(all.slice(from, from + size));
  return found;
}

describe('expressions', () => {
  const { home, client } = withClient();

  const program = (): string => buildTarget('e2e/operands.cpp', ['-O1']);
  const known = cases.filter(
    (one): one is readonly [string, number | string | null] => !(one[1] instanceof RegExp),
  );

  test('[trace.expressions] conditions: every operator and function with operands of every kind', async () => {
    for (const some of parts(known, 30)) {
      const when = some.flatMap(([expression]) => [expression, `!(${expression})`]);
      const patterns = when.map((one, i) => ({
        pattern: `yard::check${i + 10}`,
        when: one,
        depth: 1,
      }));
      const { sessionId, exit } = await runToEnd(client, home, program(), { patterns });
      expect(exit).toEqual({ kind: 'exited', code: 0 });
      const calls = await callsOf(client, sessionId);
      const met = new Set(calls.map((call) => Number(call.function.slice(-2)) - 10));
      const isMet = (i: number): string => `${met.has(2 * i)}, turned ${met.has(2 * i + 1)}`;
      const wanted = (value: number | string | null): string =>
        value === null
          ? 'true, turned true'
          : `${Number(value) !== 0}, turned ${Number(value) === 0}`;
      expect(some.map(([expression], i) => `${expression}: ${isMet(i)}`)).toEqual(
        some.map(([expression, value]) => `${expression}: ${wanted(value)}`),
      );
    }
  });

  test('[trace.expressions] watches: the number itself, or that there is none', async () => {
    for (const some of parts(known, 32)) {
      const add = some.map(([expr], i) => ({
        expr,
        label: `w${i}`,
        at: 'enter',
        on: 'yard::look',
      }));
      await client.ok('debug_trace', {
        pending: true,
        add: [{ pattern: 'yard::look', depth: 1 }],
        watches: { add },
      });
      const { sessionId } = await runToEnd(client, home, program());
      const { structured } = await client.ok('debug_query', {
        view: 'events',
        sessionId,
        eventType: ['call'],
        budget: 20_000,
      });
      const seen = at(listAt(structured, 'events')[0], 'watchValues');
      expect(some.map(([expression], i) => [expression, plain(at(seen, `w${i}`))])).toEqual(
        some.map(([expression, value]) => [expression, value]),
      );
    }
  });

  test('[trace.expressions] what cannot be decided is refused with the reason', async () => {
    for (const [expression, why] of cases) {
      if (!(why instanceof RegExp)) continue;
      const patterns = [{ pattern: 'yard::check10', when: expression, depth: 1 }];
      const { text } = await runToEnd(client, home, program(), { patterns });
      expect([expression, text]).toEqual([expression, expect.stringMatching(why)]);
    }
  });

  test('[trace.expressions] filters of what is stored say the same', async () => {
    const { sessionId } = await runToEnd(client, home, program(), { patterns: ['yard::look'] });
    const operators = { '==': 'equals', '<': 'lt', '>': 'gt' } as const;
    for (const [expression, wanted] of known) {
      const [, name, sign = '', literal = ''] =
        /^(i8|u8|u32|i64|u64|d|f|nan) (==|<|>) (-?[\d.]+|0x[\da-f]+)$/i.exec(expression) ?? [];
      const operator = Object.entries(operators).find(([one]) => one === sign)?.[1];
      if (name === undefined || operator === undefined) continue;
      const argument = [{ name, [operator]: literal }];
      const calls = await callsOf(client, sessionId, { argument });
      expect([expression, calls.length]).toEqual([expression, wanted]);
    }
    for (const [filter, wanted] of [
      [{ name: 'colour', equals: 'green' }, 1],
      [{ name: 'colour', equals: 1 }, 1],
      [{ name: 'letter', equals: 'x' }, 1],
      [{ name: 'yes', equals: true }, 1],
      [{ name: 'name', equals: 'item' }, 1],
      [{ name: 'name', contains: 'te' }, 1],
      [{ name: 'none', equals: 'item' }, 0],
      [{ name: 'none', isNull: true }, 1],
      [{ name: 'name', isNull: true }, 0],
    ] as const)
      expect([filter, (await callsOf(client, sessionId, { argument: [filter] })).length]).toEqual([
        filter,
        wanted,
      ]);
  });
});

/** As cases have it; behind a null pointer it is told where nothing could be read. */
function plain(value: unknown): unknown {
  const isNone = String(at(value, 'notCaptured')).startsWith('it has no value');
  return isNone || at(value, 'unreadable') === '0x0' ? null : value;
}
