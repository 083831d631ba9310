import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { citationsOf, readCitations } from '../../support/citations.ts';
import { needs } from '../../support/needs.ts';
import { packageRoot } from '../../support/strobe.ts';

const citations = readCitations(packageRoot);
const cited = new Set(citations.flatMap((citation) => citation.ids));

/** The lines of each area of docs/features.md. */
const areas = readFileSync(join(packageRoot, 'docs', 'features.md'), 'utf8')
  .split(/^## .*\n/m)
  .slice(1)
  .map((area) => area.split('\n').filter((line) => line !== ''));
const promises = areas.map((lines) =>
  lines.map((line) => /^- `([a-z]+\.[a-z0-9-]+)`: .+\.$/.exec(line)?.[1] ?? line),
);

it('every line of docs/features.md is a promise of its area, made once [workbench.promises]', () => {
  const all = promises.flat();
  expect(all.length).toBeGreaterThan(300);
  expect(all.filter((id) => !/^[a-z]+\.[a-z0-9-]+$/.test(id))).toEqual([]);
  expect(all.filter((id, at) => all.indexOf(id) !== at)).toEqual([]);
  const prefixes = promises.map((ids) => new Set(ids.map((id) => id.split('.')[0])));
  expect(prefixes.filter((names) => names.size !== 1)).toEqual([]);
});

it('every promise is named by a test [workbench.promises]', () => {
  expect(promises.flat().filter((id) => !cited.has(id))).toEqual([]);
});

it('every id that a test names is a promise [workbench.promises]', () => {
  expect([...cited].filter((id) => !promises.flat().includes(id))).toEqual([]);
});

it('every need of a test is declared with its reason', () => {
  const named = citations.flatMap((citation) => citation.need ?? []);
  expect(named.filter((need) => !(need in needs))).toEqual([]);
});

it('reads titles in all their forms', () => {
  const text = `
    test('[a.one] plain', () => {});
    it.each([1])(\`[a.two] of \${era} [a.three]\`, () => {});
    itNeeds('rustc', 'needs [a.four]', () => {});
    describe('[a.five]', () => call('[b.not-a-title]'));
    itHolds('[a.six] by a function of their own', async () => {});
    test('[noDot] and text[0.1]', () => {});
  `;
  expect(citationsOf('x.test.ts', text).map(({ ids, need }) => [ids, need])).toEqual([
    [['a.one'], null],
    [['a.two', 'a.three'], null],
    [['a.four'], 'rustc'],
    [['a.five'], null],
    [['a.six'], null],
  ]);
});
