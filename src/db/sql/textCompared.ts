import { jsonColumns } from './groupedBy.ts';
import { sqlTokens, type SqlToken } from './sqlTokens.ts';

/** What takes a part of such text. */
const parts = new Set(['->', '->>']);
const comparisons = new Set(['<', '>', '<=', '>=', '=', '==', '!=', '<>']);

/**
 * The column of JSON text that a statement compares with a number or puts in order, as in `return_value > 5`,
 * `max(return_value)`: SQLite takes it for the text that it is. Null: there is none.
 */
export function textCompared(sql: string): string | null {
  const tokens = sqlTokens(sql) ?? [];
  for (const [at, { kind, key }] of tokens.entries()) {
    if (kind === 'text' || !jsonColumns.includes(key)) continue;
    const begin = tokens[at - 1]?.text === '.' ? at - 2 : at;
    if (isFollowedByNumber(tokens, at) || isBehindNumber(tokens, begin)) return key;
    if (isPutInOrder(tokens, begin) && !parts.has(tokens[at + 1]?.text ?? '')) return key;
  }
  return null;
}

function isFollowedByNumber(tokens: readonly SqlToken[], at: number): boolean {
  const next = tokens[at + 1];
  if (!next || !(comparisons.has(next.text) || next.key === 'between')) return false;
  return tokens[tokens[at + 2]?.text === '-' ? at + 3 : at + 2]?.kind === 'number';
}

function isBehindNumber(tokens: readonly SqlToken[], begin: number): boolean {
  return comparisons.has(tokens[begin - 1]?.text ?? '') && tokens[begin - 2]?.kind === 'number';
}

function isPutInOrder(tokens: readonly SqlToken[], begin: number): boolean {
  const before = tokens.slice(Math.max(0, begin - 2), begin).map(({ key }) => key);
  return ['min (', 'max (', 'order by'].includes(before.join(' '));
}
