import type { ChosenTest } from './adapter.ts';

/* Ids of tests of JavaScript: `src/cart.test.js > Cart > sums up`. */

export const joint = ' > ';

/** The names of a test without its file. */
export function namesOf(test: ChosenTest): string[] {
  const parts = test.id.split(joint);
  return parts.length > 1 && isFileName(parts[0] ?? '') ? parts.slice(1) : parts;
}

export function isFileName(text: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(text);
}

export function escapedPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
