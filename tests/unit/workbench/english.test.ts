import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { userTexts } from '../../support/userTexts.ts';

/** Words that read as if they had been translated, and words of the inside that a user does not know. */
const refused: readonly RegExp[] = [
  /\b(?:is|are|was|were) told\b/i,
  /\blies\b/i,
  /\banew\b/i,
  /\bso many\b/i,
  /\bgo(?:es)? on\b|\bgone on\b/i,
  /\bwhoever\b/i,
  /\b(?:no|some)body\b/i,
  /\blives on\b/i,
  /\bof yours\b/i,
  /\bcannot happen any more\b|\bnot \w+ any more\b/i,
  /, too[.;:]?$/,
  /^Of (?:a|an|the|it|them|each|all)\b/,
  /\bkeeper\b|\bisland\b|\bguard process\b/i,
];

test('sentences for users have none of the words that we do without', () => {
  const texts = userTexts();
  expect(texts.length).toBeGreaterThan(2000);
  const found = texts
    .filter(({ text }) => refused.some((word) => word.test(text)))
    .map(({ place, text }) => `${place} ${text}`);
  expect(found).toEqual([]);
}, 120_000); // It parses all sources.

test('a sentence with such a word is found', () => {
  const planted = 'The program lives on, and nobody is told.';
  expect(refused.filter((word) => word.test(planted)).length).toBe(3);
  expect(readFileSync(new URL(import.meta.url), 'utf8')).toContain('lives on');
});
