import {
  bare,
  closing,
  columnFor,
  groupedBy,
  jsonColumns,
  unqualified,
  type GroupedBy,
} from './groupedBy.ts';
import {
  isWord,
  readStatement,
  type Item,
  type Select,
  type Span,
  type SqlStatement,
} from './sqlStatement.ts';
import { valueColumns, type ValueColumn } from './valueColumns.ts';

/*
 * A statement that means the same and takes less time over `calls` (native/sql): what it groups by is a column that
 * the table gives in order, where it is an expression of columns; distinct values are counted without an index.
 * Whoever asks has SQLite answer the statement as it was written where this one fails.
 */

/** What the table defines (native/sql/plan.h). */
const mostComputed = 4;

export interface Quicker {
  readonly sql: string;
  /** Of the table's columns `argument_0` and so on. */
  readonly values: readonly ValueColumn[];
  /** Of the table's columns `computed_0` and so on. */
  readonly computed: readonly GroupedBy[];
}

/** The quickest first; each may fail. None: there is nothing to gain. */
export function quicker(sql: string): Quicker[] {
  const valued = valueColumns(sql);
  const values = valued?.values ?? [];
  const grouped = withGroups(valued?.sql ?? sql);
  return [
    ...(grouped ? [{ ...grouped, values }] : []),
    ...(valued ? [{ ...valued, computed: [] }] : []),
  ];
}

function withGroups(sql: string): Pick<Quicker, 'sql' | 'computed'> | null {
  const statement = readStatement(sql);
  return statement && new Writer(statement).written();
}

/** Names of columns: what is called so in GROUP BY is none of the items. */
const callColumns = new Set([
  ...['id', 'parent_id', 'function_name', 'signature', 'module', 'source_file', 'line_number'],
  ...['thread_id', 'thread_name', 'pid', 'depth', 'timestamp_ns', 'duration_ns', 'end'],
  ...['arguments', 'return_value', 'watch_values', 'timestamp_us', 'timestamp_ms', 'timestamp_s'],
  ...['duration_us', 'duration_ms', 'function_pattern', 'time_from_ns', 'time_to_ns'],
]);

class Writer {
  readonly #statement: SqlStatement;
  readonly #computed: GroupedBy[] = [];

  constructor(statement: SqlStatement) {
    this.#statement = statement;
  }

  written(): Pick<Quicker, 'sql' | 'computed'> | null {
    for (const select of this.#statement.selects.values()) {
      if (select.isDistinct) this.#distinct(select);
      else this.#groups(select);
    }
    this.#statement.tokens.forEach((token, i) => {
      if (isWord(token, 'count')) this.#count(i);
    });
    const sql = this.#statement.edited();
    return sql === null ? null : { sql, computed: this.#computed };
  }

  #groups(select: Select): void {
    const columns = select.terms.map((term) =>
      this.#columnOf(select, this.#expressionOf(select, term)),
    );
    if (columns.every((column) => column === 'as written') || columns.includes(null)) return;
    select.terms.forEach((term, i) => {
      const column = columns[i] ?? 'as written';
      if (column === 'as written') return;
      const expression = this.#expressionOf(select, term);
      this.#statement.replace(term, column);
      for (const item of select.items) {
        if (this.#written(item) === this.#written(expression)) this.#replaceItem(item, column);
      }
    });
  }

  /** Rows that differ in the items: groups by them. */
  #distinct(select: Select): void {
    const { items, terms } = select;
    const columns = terms.length > 0 ? [null] : items.map((item) => this.#columnOf(select, item));
    if (columns.includes(null)) return;
    columns.forEach((column, i) => {
      const item = items[i];
      if (item && column !== null && column !== 'as written') this.#replaceItem(item, column);
    });
  }

  /** `count(DISTINCT x)` at a place. */
  #count(at: number): void {
    const isDistinct =
      this.#statement.tokens[at + 1]?.text === '(' &&
      isWord(this.#statement.tokens[at + 2], 'distinct');
    const end = isDistinct ? closing(this.#statement.tokens, at + 1) : -1;
    const counted = this.#statement.tokens.slice(at + 3, end);
    if (end < 0 || counted.some((token) => isWord(token, 'collate'))) return;
    const select = this.#statement.selects.get(this.#statement.enclosing(at));
    const last = counted.at(-1)?.key;
    const isOwn =
      counted.length === 1 || (counted.length === 3 && counted[0]?.key === select?.source);
    const number = { id: 'call_number', parent_id: 'parent_number' }[last ?? ''];
    const what =
      select && isOwn && number ? number : this.#statement.textOf({ from: at + 3, to: end });
    this.#statement.replace({ from: at, to: end + 1 }, `strobe_count_distinct(${what})`);
  }

  /** A column of the table; null: there is none, and nothing is gained by the others. */
  #columnOf(select: Select, expression: Span): string | null {
    const written = bare(this.#statement.tokens.slice(expression.from, expression.to));
    const tokens = unqualified(written, select.source);
    const [first, ...more] = tokens;
    if (first && more.length === 0 && !jsonColumns.includes(first.key))
      return first.kind === 'number' ? null : 'as written';
    const column = columnFor(tokens);
    if (column !== null) return column;
    const computed = groupedBy(tokens);
    if (!computed || this.#computed.length === mostComputed) return null;
    return `computed_${this.#computed.push(computed) - 1}`;
  }

  /** What a term stands for: an item by its place or name, or itself. */
  #expressionOf({ items }: Select, term: Span): Span {
    const [token, ...more] = bare(this.#statement.tokens.slice(term.from, term.to));
    if (!token || more.length > 0 || callColumns.has(token.key)) return term;
    if (token.kind === 'number') return this.#numbered(items, Number(token.text)) ?? term;
    return items.find(({ alias }) => alias === token.key) ?? term;
  }

  #numbered(items: readonly Item[], number: number): Item | undefined {
    const isAll = ({ to }: Item): boolean => this.#statement.tokens[to - 1]?.text === '*';
    return items.some(isAll) ? undefined : items[number - 1];
  }

  #written({ from, to }: Span): string {
    return this.#statement.tokens
      .slice(from, to)
      .map(({ kind, key, text }) => (kind === 'text' ? text : key))
      .join(' ');
  }

  #replaceItem(item: Item, column: string): void {
    const tokens = bare(this.#statement.tokens.slice(item.from, item.to));
    const isCast = isWord(tokens[0], 'cast') && closing(tokens, 1) === tokens.length - 1;
    // What is cast has a type of its own, which comparisons go by.
    const value = isCast ? `CAST(${column} AS ${tokens.at(-2)?.text ?? ''})` : column;
    const name = this.#statement.textOf(item).replaceAll('"', '""');
    this.#statement.replace(item, item.alias === null ? `${value} AS "${name}"` : value);
  }
}
