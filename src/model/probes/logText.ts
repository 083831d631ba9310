import { StrobeError } from '../errors.ts';

/** An expression of a log text, with its braces. */
const braced = /\{([^{}]*)\}/g;

/** The expressions in a log text, in their order. Throws BAD_EXPRESSION where a brace has no other, naming the column. */
export function logExpressions(log: string): string[] {
  const open: number[] = [];
  for (const { 0: brace, index } of log.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index);
    else if (open.pop() === undefined) throw lonely(log, index, '}', '{');
  }
  const [first] = open;
  if (first !== undefined) throw lonely(log, first, '{', '}');
  return Array.from(log.matchAll(braced), ([, text = '']) => text.trim());
}

/** A log text with its expressions replaced. */
export function withExpressions(log: string, shown: (expression: string) => string | null): string {
  return log.replaceAll(braced, (text, name: string) => shown(name.trim()) ?? text);
}

function lonely(log: string, at: number, brace: string, other: string): StrobeError {
  return new StrobeError(
    'BAD_EXPRESSION',
    `"${log}" cannot be read: "${brace}" at column ${at + 1} has no "${other}".`,
    'An expression stands in braces: "{account->name}: {cents}".',
  );
}
