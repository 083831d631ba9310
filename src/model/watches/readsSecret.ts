import { secretIn } from '../values/redaction.ts';
import { eachPart, type Expression } from './expression.ts';

/**
 * Which name in an expression looks like a secret, as a clause; null: none does. `isWhole`: only what the whole of it
 * names counts, not what that is in.
 */
export function readsSecret(
  expression: Expression,
  secretNames: readonly string[],
  isWhole = false,
): string | null {
  const named: string[] = [];
  eachPart(expression, (one) => {
    if (one.kind === 'name') named.push(one.name);
    if (one.kind === 'member') named.push(one.field);
  });
  for (const name of isWhole ? named.slice(0, 1) : named) {
    const word = secretIn(name, secretNames);
    if (word !== null) return secretClause(name, word);
  }
  return null;
}

/** Why what has this name is not read: `word` of the list is in it. */
export function secretClause(name: string, word: string): string {
  return `${name} looks like a secret ("${word}" of the setting redaction.names): it is not read`;
}
