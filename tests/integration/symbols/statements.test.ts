import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StatementWhere } from '../../../src/model/functions/foundStatement.ts';
import { findStatements } from '../../../src/symbols/native/index/findStatements.ts';
import { symbolsOf } from '../../support/engineProgram.ts';
import { withLibrary } from '../../support/statements.ts';
import { packageRoot } from '../../support/strobe.ts';

let folder = '';
let program = '';
let optimised = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'strobe-shop-'));
  copyFileSync(join(packageRoot, 'tests/targets/statements/shop.c'), join(folder, 'shop.c'));
  const build = (level: string): string => {
    const path = join(folder, `shop${level}`);
    execFileSync('gcc', ['-g', level, join(folder, 'shop.c'), '-o', path]);
    return path;
  };
  program = build('-O0');
  optimised = build('-O2');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function found(path: string, where: StatementWhere, names: string[] | null = []) {
  return withLibrary((library) => findStatements(library, [path], where, { names, depth: 2 }));
}

function lineOf(text: string): number {
  return (
    readFileSync(join(folder, 'shop.c'), 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  );
}

it('[break.places] a line is where the line table says, with its function and its text', () => {
  const line = lineOf('sum += each');
  const match = found(program, { kind: 'line', file: 'shop.c', line });
  expect(match).toMatchObject({ why: null, moved: null, isStale: false });
  expect(match.statements).toMatchObject([
    { line, text: 'sum += each;', functionName: 'price', holder: 'price' },
  ]);
  const table = execFileSync('objdump', ['--dwarf=decodedline', program]).toString();
  const [, address] = new RegExp(`shop\\.c\\s+${line}\\s+0x([0-9a-f]+)`).exec(table) ?? [];
  expect(match.statements[0]?.address.toString(16)).toBe(address);
});

it('[break.places] a line without code moves to the next one that has some, and says so', () => {
  const brace = lineOf('int sum = 0') - 2;
  const match = found(program, { kind: 'line', file: 'shop.c', line: brace });
  expect(match.moved?.from).toBe(brace);
  expect(match.moved?.why).toContain(`line ${brace} has no code`);
  expect(match.statements).toHaveLength(1);
  const beyond = found(program, { kind: 'line', file: 'shop.c', line: 9999 });
  expect(beyond.statements).toEqual([]);
  expect(beyond.why).toMatch(/shop\.c has \d+ lines/);
  expect(beyond.nearest.length).toBeGreaterThan(0);
  expect(found(program, { kind: 'line', file: 'other.c', line: 1 }).why).toMatch(/other\.c/);
});

it('[break.places] a text finds its line again after an edit', () => {
  const text = readFileSync(join(folder, 'shop.c'), 'utf8');
  const line = lineOf('sum -= 10');
  const expected = { kind: 'line', file: 'shop.c', line: line - 2, expect: 'sum -= 10' } as const;
  expect(found(program, expected).moved).toEqual({
    from: line - 2,
    to: line,
    why: 'its text is there now',
  });
  expect(
    found(program, { kind: 'text', file: 'shop.c', text: 'sum -= 10' }).statements,
  ).toMatchObject([{ line }]);
  expect(found(program, { kind: 'text', file: 'shop.c', text: 'nowhere at all' }).why).toMatch(
    /stands nowhere/,
  );
  expect(found(program, { kind: 'text', file: 'shop.c', text: 'int' }).why).toMatch(
    /stands in lines/,
  );
  writeFileSync(join(folder, 'shop.c'), text);
  expect(found(program, { kind: 'line', file: 'shop.c', line }).isStale).toBe(true);
});

it('[break.places] an inlined function has a place in each function it was inlined into', () => {
  const line = lineOf('return doubled');
  const places = found(optimised, { kind: 'line', file: 'shop.c', line }).statements;
  expect(places.map(({ functionName, holder }) => `${functionName} in ${holder}`)).toContain(
    'twice in main',
  );
});

it('[break.places] a function that begins with an inlined one has names of its own there', () => {
  const source = join(folder, 'basket.c');
  writeFileSync(
    source,
    [
      '#include <stdio.h>',
      'struct basket { double total; };',
      'static inline __attribute__((always_inline)) int taxed(int price) {',
      '  int tax = price / 10;',
      '  return price + tax;',
      '}',
      'static inline __attribute__((always_inline)) void put(struct basket *basket, int cents) {',
      '  basket->total += taxed(cents);',
      '}',
      '__attribute__((noinline)) void add(struct basket *basket, int cents) {',
      '  basket->total += taxed(cents);',
      '}',
      'int main(int argc, char **argv) {',
      '  struct basket basket = {0};',
      '  for (int i = 0; i < argc; i++) {',
      '    put(&basket, argv[i][0]);',
      '    add(&basket, argc);',
      '  }',
      '  printf("%f\\n", basket.total);',
      '}',
    ].join('\n'),
  );
  const path = join(folder, 'basket');
  execFileSync('gcc', ['-g', '-O2', source, '-o', path]);
  const copies = found(path, { kind: 'copies', name: 'put' }).statements;
  expect(copies).toMatchObject([{ functionName: 'put', holder: 'main', isInlined: true }]);
  expect(copies[0]?.inScope.toSorted()).toEqual(['basket', 'cents']);
  const address = Number(symbolsOf(path).get('add')?.address);
  const body = found(path, { kind: 'body', module: path, address }).statements;
  expect(body).toMatchObject([{ functionName: 'add', isInlined: false }]);
  expect(body[0]?.inScope.toSorted()).toEqual(['basket', 'cents']);
});

it('[break.locals] locals are in their frame without optimisation', () => {
  const match = found(program, { kind: 'line', file: 'shop.c', line: lineOf('sum += each') }, null);
  const [statement] = match.statements;
  expect(statement?.inScope).toEqual(['each', 'i', 'item', 'count', 'sum', 'limit']);
  expect(statement?.argumentNames).toEqual(['item', 'count']);
  expect(statement?.variables.map(({ name, place }) => [name, place.kind])).toEqual(
    statement?.inScope.map((name) => [name, 'frame']),
  );
});

it('[break.locals] optimised locals are in registers, or it is said that they are not kept', () => {
  const match = found(
    optimised,
    { kind: 'line', file: 'shop.c', line: lineOf('sum += each') },
    null,
  );
  const [statement] = match.statements;
  const kinds = new Map(statement?.parameters.map(({ name, place }) => [name, place.kind]));
  expect(kinds.get('sum')).toBe('stack');
  for (const { place } of statement?.parameters ?? [])
    if (place.kind === 'none') expect(place.reason).not.toBe('');
});

it('[break.locals] what the compiler made a constant has that value', () => {
  const where = { kind: 'line', file: 'shop.c', line: lineOf('sum += each') } as const;
  const [statement] = found(optimised, where, ['limit']).statements;
  expect(statement?.parameters).toMatchObject([
    { name: 'limit', type: { kind: 'int' }, place: { kind: 'none', constant: 1000n } },
  ]);
});

it('[break.locals] a line where a function has not stored its arguments yet moves behind its prologue', () => {
  const line = lineOf('int price(');
  const where = { kind: 'line', file: 'shop.c', line } as const;
  const { moved, statements } = found(program, where, null);
  const body = lineOf('int sum = 0');
  const why = `at line ${line} the function has not stored its arguments yet`;
  expect(moved).toEqual({ from: line, to: body, why });
  expect(statements).toMatchObject([{ line: body }]);
  const [{ offset, before } = { offset: 0, before: 0 }] = statements;
  const atEntry = { kind: 'offset', module: program, offset: offset - before } as const;
  const [entry] = found(program, atEntry, ['item']).statements;
  const place = entry?.parameters[0]?.place;
  expect(place?.kind === 'none' && place.reason).toMatch(/not stored yet/);
  expect(found(optimised, where, null).moved).toBeNull();
});

it('[break.places] the body of a function begins behind its prologue', () => {
  const line = lineOf('int sum = 0');
  const { address } = found(program, { kind: 'line', file: 'shop.c', line }).statements[0] ?? {
    address: 0,
  };
  const start = found(program, { kind: 'line', file: 'shop.c', line }).statements[0]?.before ?? 0;
  const body = found(program, { kind: 'body', module: program, address: address - start });
  expect(body.statements).toMatchObject([{ line, functionName: 'price' }]);
});
