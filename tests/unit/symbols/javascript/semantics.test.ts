import { expect, test } from 'vitest';
import { printed, traced } from '../../../support/rewrittenScript.ts';
import { semanticCases } from '../../../support/semanticCases.ts';

test.each(semanticCases)('[node.semantics] %s', async (_title, text) => {
  const plain = await printed(text);
  expect(plain.length).toBeGreaterThan(0);
  const { lines, hooks } = await traced(text);
  expect(lines).toEqual(plain);
  expect(hooks.lines.length).toBeGreaterThan(0);
});
