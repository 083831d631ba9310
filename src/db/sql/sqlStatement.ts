import { closing, endsOperand } from './groupedBy.ts';
import { sqlTokens, type SqlToken } from './sqlTokens.ts';

/** Where the parts of one SELECT that reads `calls` alone lie: tokens from, and up to. */
export interface Select {
  readonly items: readonly Item[];
  readonly terms: readonly Span[];
  readonly isDistinct: boolean;
  /** What its table is called. */
  readonly source: string;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Item extends Span {
  readonly alias: string | null;
}

const compound = ['union', 'except', 'intersect'];
const ends = ['where', 'group', 'having', 'order', 'limit', 'window', ...compound];

/** Words that end an expression. */
const isOperand = new Set(['end', 'null', 'isnull', 'notnull', 'true', 'false']);

export function isWord(token: SqlToken | undefined, ...keys: readonly string[]): boolean {
  return token?.kind === 'word' && keys.includes(token.key);
}

/** The statement of a client, read as far as it can be changed without changing what it means. */
export function readStatement(sql: string): SqlStatement | null {
  const tokens = sqlTokens(sql);
  return !tokens || tokens[0]?.key === 'explain' || namesCalls(tokens)
    ? null
    : new SqlStatement(sql, tokens);
}

/** Whether the statement calls something of its own so. */
function namesCalls(tokens: readonly SqlToken[]): boolean {
  return tokens.some(
    ({ key }, i) =>
      key === 'calls' && ['with', 'recursive', ','].includes(tokens[i - 1]?.key ?? ''),
  );
}

interface Edit extends Span {
  readonly text: string;
}

/** The words of a statement, which SELECTs in it read `calls` alone, and what is written in place of some words. */
export class SqlStatement {
  readonly sql: string;
  readonly tokens: readonly SqlToken[];
  readonly #edits: Edit[] = [];
  /** Those that read `calls` alone, by where they begin. */
  readonly selects = new Map<number, Select>();

  constructor(sql: string, tokens: readonly SqlToken[]) {
    this.sql = sql;
    this.tokens = tokens;
    tokens.forEach((token, i) => {
      const select = isWord(token, 'select') ? this.#selectAt(i) : null;
      if (select) this.selects.set(i, select);
    });
  }

  replace({ from, to }: Span, text: string): void {
    const first = this.tokens[from];
    const last = this.tokens[to - 1];
    if (first && last) this.#edits.push({ from: first.from, to: last.to, text });
  }

  /** With what was replaced; null: nothing was, or it cannot be. */
  edited(): string | null {
    if (this.#edits.length === 0) return null;
    let sql = '';
    let at = 0;
    for (const { from, to, text } of this.#edits.toSorted((a, b) => a.from - b.from)) {
      // One within another.
      if (from < at) return null;
      sql += this.sql.slice(at, from) + text;
      at = to;
    }
    return sql + this.sql.slice(at);
  }

  /** As it was written. */
  textOf({ from, to }: Span): string {
    return this.sql.slice(this.tokens[from]?.from ?? 0, this.tokens[to - 1]?.to ?? 0);
  }

  /** The SELECT that begins at a place; null: it reads anything else than `calls`. */
  #selectAt(at: number): Select | null {
    const first = isWord(this.tokens[at + 1], 'distinct') ? at + 2 : at + 1;
    const from = this.#find(first, 'from');
    if (from < 0) return null;
    const source = this.#sourceAt(from + 1);
    if (!source) return null;
    const group = this.#find(source.to, 'group');
    const items = this.#list(first, from).map((span) => this.#item(span));
    const isGrouped = group >= 0 && isWord(this.tokens[group + 1], 'by');
    if (group >= 0 && !isGrouped) return null;
    const terms = isGrouped ? this.#list(group + 2, this.#endOf(group + 1)) : [];
    return { items, terms, isDistinct: first > at + 1, source: source.name };
  }

  /** `calls` and nothing beside it. */
  #sourceAt(at: number): { readonly name: string; readonly to: number } | null {
    if (this.tokens[at]?.key !== 'calls') return null;
    const end = this.tokens[at + 1]?.text === '(' ? closing(this.tokens, at + 1) : at;
    if (end < 0) return null;
    let next = end + 1;
    let name = 'calls';
    const isAs = isWord(this.tokens[next], 'as');
    const alias = this.tokens[isAs ? next + 1 : next];
    if (
      alias &&
      (isAs || !this.#isEnd(next)) &&
      (alias.kind === 'word' || alias.kind === 'quoted')
    ) {
      name = alias.key;
      next += isAs ? 2 : 1;
    }
    return this.#isEnd(next) ? { name, to: next } : null;
  }

  #isEnd(at: number): boolean {
    const token = this.tokens[at];
    return !token || [')', ';'].includes(token.text) || isWord(token, ...ends);
  }

  /** The first such word from there on that is not in brackets; -1: the SELECT ends before. */
  #find(at: number, key: string): number {
    for (let i = at; i >= 0 && i < this.tokens.length;) {
      const token = this.tokens[i];
      if (isWord(token, key)) return i;
      if (token?.text === ')' || token?.text === ';' || isWord(token, ...compound)) return -1;
      i = token?.text === '(' ? this.#after(i) : i + 1;
    }
    return -1;
  }

  /** Where what begins there ends: at the next clause, or with the SELECT. */
  #endOf(at: number): number {
    let i = at;
    while (i >= 0 && !this.#isEnd(i)) i = this.tokens[i]?.text === '(' ? this.#after(i) : i + 1;
    return i < 0 ? this.tokens.length : i;
  }

  /** Behind the bracket that closes this one; -1: none does. */
  #after(opening: number): number {
    const end = closing(this.tokens, opening);
    return end < 0 ? -1 : end + 1;
  }

  /** The SELECT that a place lies in, and in none within it; -1: none. */
  enclosing(at: number): number {
    let closed = 0;
    for (let i = at - 1; i >= 0; i--) {
      const token = this.tokens[i];
      if (token?.text === ')') closed++;
      else if (token?.text === '(') closed = Math.max(0, closed - 1);
      else if (closed === 0 && isWord(token, 'select')) return i;
    }
    return -1;
  }

  #list(from: number, to: number): Span[] {
    const spans: Span[] = [];
    let first = from;
    for (let i = from; i >= 0 && i < to;) {
      if (this.tokens[i]?.text === ',') {
        spans.push({ from: first, to: i });
        first = i + 1;
      }
      i = this.tokens[i]?.text === '(' ? this.#after(i) : i + 1;
    }
    return [...spans, { from: first, to }];
  }

  #item({ from, to }: Span): Item {
    const [before, last] = [this.tokens[to - 2], this.tokens[to - 1]];
    const isName = last?.kind === 'quoted' || (last?.kind === 'word' && !isOperand.has(last.key));
    if (!isName || to - from < 2) return { from, to, alias: null };
    if (isWord(before, 'as')) return { from, to: to - 2, alias: last.key };
    return endsOperand(before ?? null)
      ? { from, to: to - 1, alias: last.key }
      : { from, to, alias: null };
  }
}
