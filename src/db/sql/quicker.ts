import {
  bare,
  closing,
  columnFor,
  endsOperand,
  groupedBy,
  unqualified,
  type GroupedBy,
} from './groupedBy.ts';
import { sqlTokens, type SqlToken } from './sqlTokens.ts';

/*
 * A statement that means the same and takes less time over `calls` (native/sql): what it groups by is a column that
 * the table gives in order, where it is an expression of columns; distinct values are counted without an index.
 * Whoever asks has SQLite answer the statement as it was written where this one fails.
 */

/** What the table defines (native/sql/plan.h). */
const mostComputed = 4;

export interface Quicker {
  readonly sql: string;
  /** Of the table's columns `computed_0` and so on. */
  readonly computed: readonly GroupedBy[];
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Null: there is nothing to gain. */
export function quicker(sql: string): Quicker | null {
  const tokens = sqlTokens(sql);
  if (!tokens || tokens[0]?.key === 'explain' || namesCalls(tokens)) return null;
  const writer = new Writer(sql, tokens);
  tokens.forEach((token, i) => {
    if (isWord(token, 'select')) writer.select(i);
  });
  tokens.forEach((token, i) => {
    if (isWord(token, 'count')) writer.count(i);
  });
  return writer.done();
}

/** Whether the statement calls something of its own so. */
function namesCalls(tokens: readonly SqlToken[]): boolean {
  return tokens.some(
    ({ key }, i) =>
      key === 'calls' && ['with', 'recursive', ','].includes(tokens[i - 1]?.key ?? ''),
  );
}

function isWord(token: SqlToken | undefined, ...keys: readonly string[]): boolean {
  return token?.kind === 'word' && keys.includes(token.key);
}

/** Where the parts of one SELECT that reads `calls` alone lie: tokens from, and up to. */
interface Select {
  readonly items: readonly Item[];
  readonly terms: readonly Span[];
  /** What its table is called. */
  readonly source: string;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Item extends Span {
  readonly alias: string | null;
}

/** Names of columns: what is called so in GROUP BY is none of the items. */
const callColumns = new Set([
  ...['id', 'parent_id', 'function_name', 'signature', 'module', 'source_file', 'line_number'],
  ...['thread_id', 'thread_name', 'pid', 'depth', 'timestamp_ns', 'duration_ns', 'end'],
  ...['arguments', 'return_value', 'watch_values', 'timestamp_us', 'timestamp_ms', 'timestamp_s'],
  ...['duration_us', 'duration_ms', 'function_pattern', 'time_from_ns', 'time_to_ns'],
]);
const compound = ['union', 'except', 'intersect'];
const ends = ['where', 'group', 'having', 'order', 'limit', 'window', ...compound];

/** Words that end an expression. */
const isOperand = new Set(['end', 'null', 'isnull', 'notnull', 'true', 'false']);

class Writer {
  readonly #sql: string;
  readonly #tokens: readonly SqlToken[];
  readonly #computed: GroupedBy[] = [];
  readonly #edits: Edit[] = [];
  /** Those that read `calls` alone, by where they begin. */
  readonly #selects = new Map<number, Select>();

  constructor(sql: string, tokens: readonly SqlToken[]) {
    this.#sql = sql;
    this.#tokens = tokens;
  }

  done(): Quicker | null {
    if (this.#edits.length === 0) return null;
    let sql = '';
    let at = 0;
    for (const { from, to, text } of this.#edits.toSorted((a, b) => a.from - b.from)) {
      // One within another.
      if (from < at) return null;
      sql += this.#sql.slice(at, from) + text;
      at = to;
    }
    return { sql: sql + this.#sql.slice(at), computed: this.#computed };
  }

  select(at: number): void {
    const select = this.#selectAt(at);
    if (!select) return;
    this.#selects.set(at, select);
    const columns = select.terms.map((term) => this.#columnOf(select, term));
    if (columns.every((column) => column === 'as written') || columns.includes(null)) return;
    select.terms.forEach((term, i) => {
      const column = columns[i] ?? 'as written';
      if (column === 'as written') return;
      const expression = this.#expressionOf(select, term);
      this.#replace(term, column);
      for (const item of select.items) {
        if (this.#written(item) === this.#written(expression)) this.#replaceItem(item, column);
      }
    });
  }

  /** `count(DISTINCT x)` at a place. */
  count(at: number): void {
    const isDistinct =
      this.#tokens[at + 1]?.text === '(' && isWord(this.#tokens[at + 2], 'distinct');
    const end = isDistinct ? closing(this.#tokens, at + 1) : -1;
    const counted = this.#tokens.slice(at + 3, end);
    if (end < 0 || counted.some((token) => isWord(token, 'collate'))) return;
    const select = this.#selects.get(this.#enclosing(at));
    const last = counted.at(-1)?.key;
    const isOwn =
      counted.length === 1 || (counted.length === 3 && counted[0]?.key === select?.source);
    const number = { id: 'call_number', parent_id: 'parent_number' }[last ?? ''];
    const what = select && isOwn && number ? number : this.#textOf({ from: at + 3, to: end });
    this.#replace({ from: at, to: end + 1 }, `strobe_count_distinct(${what})`);
  }

  /** A column of the table; null: there is none, and nothing is gained by the others. */
  #columnOf(select: Select, term: Span): string | null {
    const expression = this.#expressionOf(select, term);
    const written = bare(this.#tokens.slice(expression.from, expression.to));
    const tokens = unqualified(written, select.source);
    if (tokens.length === 1) return tokens[0]?.kind === 'number' ? null : 'as written';
    const column = columnFor(tokens);
    if (column !== null) return column;
    const computed = groupedBy(tokens);
    if (!computed || this.#computed.length === mostComputed) return null;
    return `computed_${this.#computed.push(computed) - 1}`;
  }

  /** What a term stands for: an item by its place or name, or itself. */
  #expressionOf({ items }: Select, term: Span): Span {
    const [token, ...more] = bare(this.#tokens.slice(term.from, term.to));
    if (!token || more.length > 0 || callColumns.has(token.key)) return term;
    if (token.kind === 'number') return this.#numbered(items, Number(token.text)) ?? term;
    return items.find(({ alias }) => alias === token.key) ?? term;
  }

  #numbered(items: readonly Item[], number: number): Item | undefined {
    const isAll = ({ to }: Item): boolean => this.#tokens[to - 1]?.text === '*';
    return items.some(isAll) ? undefined : items[number - 1];
  }

  #written({ from, to }: Span): string {
    return this.#tokens
      .slice(from, to)
      .map(({ kind, key, text }) => (kind === 'text' ? text : key))
      .join(' ');
  }

  /** As it was written. */
  #textOf({ from, to }: Span): string {
    return this.#sql.slice(this.#tokens[from]?.from ?? 0, this.#tokens[to - 1]?.to ?? 0);
  }

  #replace({ from, to }: Span, text: string): void {
    const first = this.#tokens[from];
    const last = this.#tokens[to - 1];
    if (first && last) this.#edits.push({ from: first.from, to: last.to, text });
  }

  /** What is cast has a type of its own, which comparisons go by: it stays. */
  #replaceItem(item: Item, column: string): void {
    if (isWord(bare(this.#tokens.slice(item.from, item.to))[0], 'cast')) return;
    const name = this.#textOf(item).replaceAll('"', '""');
    this.#replace(item, item.alias === null ? `${column} AS "${name}"` : column);
  }

  #selectAt(at: number): Select | null {
    const from = this.#find(at + 1, 'from');
    if (from < 0 || isWord(this.#tokens[at + 1], 'distinct')) return null;
    const source = this.#sourceAt(from + 1);
    if (!source) return null;
    const group = this.#find(source.to, 'group');
    const items = this.#list(at + 1, from).map((span) => this.#item(span));
    const isGrouped = group >= 0 && isWord(this.#tokens[group + 1], 'by');
    if (group >= 0 && !isGrouped) return null;
    const terms = isGrouped ? this.#list(group + 2, this.#endOf(group + 1)) : [];
    return { items, terms, source: source.name };
  }

  /** `calls` and nothing beside it. */
  #sourceAt(at: number): { readonly name: string; readonly to: number } | null {
    if (this.#tokens[at]?.key !== 'calls') return null;
    const end = this.#tokens[at + 1]?.text === '(' ? closing(this.#tokens, at + 1) : at;
    if (end < 0) return null;
    let next = end + 1;
    let name = 'calls';
    const isAs = isWord(this.#tokens[next], 'as');
    const alias = this.#tokens[isAs ? next + 1 : next];
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
    const token = this.#tokens[at];
    return !token || [')', ';'].includes(token.text) || isWord(token, ...ends);
  }

  /** The first such word from there on that is not in brackets; -1: the SELECT ends before. */
  #find(at: number, key: string): number {
    for (let i = at; i >= 0 && i < this.#tokens.length;) {
      const token = this.#tokens[i];
      if (isWord(token, key)) return i;
      if (token?.text === ')' || token?.text === ';' || isWord(token, ...compound)) return -1;
      i = token?.text === '(' ? this.#after(i) : i + 1;
    }
    return -1;
  }

  /** Where what begins there ends: at the next clause, or with the SELECT. */
  #endOf(at: number): number {
    let i = at;
    while (i >= 0 && !this.#isEnd(i)) i = this.#tokens[i]?.text === '(' ? this.#after(i) : i + 1;
    return i < 0 ? this.#tokens.length : i;
  }

  /** Behind the bracket that closes this one; -1: none does. */
  #after(opening: number): number {
    const end = closing(this.#tokens, opening);
    return end < 0 ? -1 : end + 1;
  }

  /** The SELECT that a place lies in, and in none within it; -1: none. */
  #enclosing(at: number): number {
    let closed = 0;
    for (let i = at - 1; i >= 0; i--) {
      const token = this.#tokens[i];
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
      if (this.#tokens[i]?.text === ',') {
        spans.push({ from: first, to: i });
        first = i + 1;
      }
      i = this.#tokens[i]?.text === '(' ? this.#after(i) : i + 1;
    }
    return [...spans, { from: first, to }];
  }

  #item({ from, to }: Span): Item {
    const [before, last] = [this.#tokens[to - 2], this.#tokens[to - 1]];
    const isName = last?.kind === 'quoted' || (last?.kind === 'word' && !isOperand.has(last.key));
    if (!isName || to - from < 2) return { from, to, alias: null };
    if (isWord(before, 'as')) return { from, to: to - 2, alias: last.key };
    return endsOperand(before ?? null)
      ? { from, to: to - 1, alias: last.key }
      : { from, to, alias: null };
  }
}
