import { expect, it } from 'vitest';
import { requirements } from '../../requirements.ts';
import { citationsOf, readCitations } from '../../support/citations.ts';
import { needs } from '../../support/needs.ts';
import { packageRoot } from '../../support/strobe.ts';

const citations = readCitations(packageRoot);
const cited = new Set(citations.flatMap((citation) => citation.ids));

it('every requirement is named by a test [workbench.requirements]', () => {
  expect(Object.keys(requirements).filter((id) => !cited.has(id))).toEqual([]);
});

it('every id that a test names is a requirement [workbench.requirements]', () => {
  expect([...cited].filter((id) => !(id in requirements))).toEqual([]);
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
