import { expect, test } from 'vitest';
import { likelyLines } from '../../../src/db/reader/tree/likelyLines.ts';

interface Line {
  readonly name: string;
  readonly times: number;
  readonly totalNs: number;
  readonly end: string;
  readonly children: readonly Line[];
}

function line(name: string, totalNs: number, children: readonly Line[] = [], end = ''): Line {
  return { name, times: 1, totalNs, end, children };
}

function likely(roots: readonly Line[], most: number): string[] {
  const found = likelyLines(roots, most, ({ name, times, totalNs, end }) => ({
    function: name,
    times,
    totalNs,
    oddity: end === '' ? null : `${end} ${name}`,
  }));
  return [...found].map(({ name }) => name).toSorted();
}

test('shallow before deep, long before short, each below one that is there', () => {
  const leaves = Array.from({ length: 10 }, (_, i) => line(`leaf${i}`, 0));
  const long = line('long', 90, [line('inner', 90, [line('core', 90)])]);
  const tree = [line('main', 100, [long, line('short', 1, leaves)])];
  expect(likely(tree, 1)).toEqual(['main']);
  expect(likely(tree, 2)).toEqual(['long', 'main']);
  expect(likely(tree, 3)).toEqual(['inner', 'long', 'main']);
  expect(likely(tree, 100)).toHaveLength(15);
});

test('what ended oddly is there with the way to it, however short it took', () => {
  const thrown = line('thrown', 0, [], 'unwound');
  const way = line('a', 1, [line('b', 1, [line('c', 1, [line('d', 1, [thrown])])])]);
  const others = Array.from({ length: 50 }, (_, i) => line(`other${i}`, 100));
  expect(likely([line('main', 100, [...others, way])], 12)).toEqual(
    expect.arrayContaining(['main', 'a', 'b', 'c', 'd', 'thrown']),
  );
});

test('where the way is too long, the odd one is there alone', () => {
  const thrown = line('thrown', 0, [], 'unwound');
  let inner = thrown;
  for (let i = 0; i < 30; i++) inner = line(`level${i}`, 1, [inner]);
  expect(likely([line('main', 100, [inner])], 5)).toEqual([
    'level27',
    'level28',
    'level29',
    'main',
    'thrown',
  ]);
});

test('of each oddity the one that stands for most calls', () => {
  const few = line('thrown', 5, [], 'unwound');
  const many = { ...few, times: 9 };
  const busy = Array.from({ length: 20 }, (_, i) => line(`busy${i}`, 100));
  const found = likelyLines(
    [line('main', 100, [...busy, line('x', 0, [few]), line('y', 0, [many])])],
    8,
    ({ name, times, totalNs, end }) => ({
      function: name,
      times,
      totalNs,
      oddity: end === '' ? null : end,
    }),
  );
  expect([found.has(few), found.has(many)]).toEqual([false, true]);
});
