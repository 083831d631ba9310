import { isWord, readStatement, type SqlStatement } from './sqlStatement.ts';
import type { SqlToken } from './sqlTokens.ts';
import { valueColumnNames } from './valueColumnNames.ts';

/*
 * A statement that means the same, in which values of calls are columns of the table `calls` (native/sql/arguments.c):
 * what `json_extract(arguments, '$.name')`, `arguments ->> 'name'` and the same of `return_value` answer, and sums of
 * `return_value`. So no JSON is written and parsed for each call.
 */

/** What `json_extract` answers of `what` with the path. */
export interface ValueColumn {
  readonly what: 'arguments' | 'return_value';
  readonly path: string;
}

export interface Valued {
  readonly sql: string;
  /** Of the columns by their places. */
  readonly values: readonly ValueColumn[];
}

/** Paths of names and places; of arguments a name comes first. */
const paths = {
  arguments: /^\$\.[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*$/,
  return_value: /^\$(?:\.[A-Za-z_]\w*|\[\d+\])*$/,
} as const;
const label = /^[A-Za-z_]\w*$/;
const sums = ['sum', 'avg', 'total'];

/** Null: there is nothing to gain. */
export function valueColumns(sql: string): Valued | null {
  const statement = readStatement(sql);
  // Other functions tell JSON from text that looks the same.
  if (!statement || statement.tokens.some(isOfJson)) return null;
  const values = new Values(statement);
  statement.tokens.forEach((token, i) => {
    if (isWord(token, 'json_extract')) values.extract(i);
    else if (isWord(token, ...sums)) values.sum(i);
    else if (token.text === '->>') values.operator(i);
  });
  const written = statement.edited();
  return written === null ? null : { sql: written, values: values.columns };
}

function isOfJson({ kind, key }: SqlToken): boolean {
  const isName = kind === 'word' || kind === 'quoted';
  return isName && key !== 'json_extract' && (key.startsWith('json') || key === 'subtype');
}

/** A column of values, and where its name begins and ends. */
interface Operand {
  readonly what: ValueColumn['what'];
  readonly from: number;
  readonly to: number;
}

/** Signs that a bare operand of `->>` may follow: others bind it otherwise. */
const before = new Set(['(', ',', '=', '==', '<>', '!=', '<', '<=', '>', '>=', '*', '/', '%']);

class Values {
  readonly columns: ValueColumn[] = [];
  readonly #statement: SqlStatement;

  constructor(statement: SqlStatement) {
    this.#statement = statement;
  }

  /** `json_extract(column, 'path')` */
  extract(at: number): void {
    const { tokens } = this.#statement;
    const operand = tokens[at + 1]?.text === '(' ? this.#operandFrom(at + 2) : null;
    if (!operand || tokens[operand.to]?.text !== ',' || tokens[operand.to + 2]?.text !== ')')
      return;
    const path = textOf(tokens[operand.to + 1]);
    if (path !== null) this.#replace(at, operand.to + 3, operand.what, path);
  }

  /** `column ->> 'path'` */
  operator(at: number): void {
    const { tokens } = this.#statement;
    const isQualified = tokens[at - 2]?.text === '.';
    const operand = this.#operandFrom(isQualified ? at - 3 : at - 1);
    const path = textOf(tokens[at + 1]);
    const previous = operand && tokens[operand.from - 1];
    if (!operand || operand.to !== at || path === null) return;
    if (
      isWord(tokens[at + 2], 'collate') ||
      (previous?.kind !== 'word' && !before.has(previous?.text ?? ''))
    )
      return;
    this.#replace(operand.from, at + 2, operand.what, label.test(path) ? `$.${path}` : path);
  }

  /** `sum(return_value)` takes the text of JSON for the number that it is. */
  sum(at: number): void {
    const { tokens } = this.#statement;
    const operand = tokens[at + 1]?.text === '(' ? this.#operandFrom(at + 2) : null;
    if (operand?.what === 'return_value' && tokens[operand.to]?.text === ')')
      this.#statement.replace(operand, 'return_number');
  }

  /** One that is of a SELECT that reads `calls` alone. */
  #operandFrom(from: number): Operand | null {
    const { tokens, selects } = this.#statement;
    const isQualified = tokens[from + 1]?.text === '.';
    const column = tokens[isQualified ? from + 2 : from];
    const select = selects.get(this.#statement.enclosing(from));
    const isName = column?.kind === 'word' || column?.kind === 'quoted';
    if (!select || !isName || (isQualified && tokens[from]?.key !== select.source)) return null;
    if (column.key !== 'arguments' && column.key !== 'return_value') return null;
    if (select.items.some(({ alias }) => alias === column.key)) return null;
    return { what: column.key, from, to: from + (isQualified ? 3 : 1) };
  }

  #replace(from: number, to: number, what: ValueColumn['what'], path: string): void {
    if (!paths[what].test(path)) return;
    let column = this.columns.findIndex((one) => one.what === what && one.path === path);
    if (column < 0 && this.columns.length < valueColumnNames.length)
      column = this.columns.push({ what, path }) - 1;
    // With a sign a column is compared as an expression is.
    if (column >= 0) this.#statement.replace({ from, to }, `(+${valueColumnNames[column] ?? ''})`);
  }
}

function textOf(token: SqlToken | undefined): string | null {
  return token?.kind === 'text' ? token.text.slice(1, -1) : null;
}
