import type { ReadingStatement, Sqlite } from '../sqlite.ts';
import type { GroupedBy } from './groupedBy.ts';
import { quicker, type Quicker } from './quicker.ts';
import type { ValueColumn } from './valueColumns.ts';

/** What a statement of a client answers, in the quickest way there is. Throws what SQLite says of it. */
export function answered<T>(
  asked: Sqlite,
  sql: string,
  read: (statement: ReadingStatement) => T,
): T {
  const statement = asked.prepareReading(sql);
  for (const other of quicker(sql)) {
    try {
      const quick = prepareQuicker(asked, other);
      return read({ columns: statement.columns, iterate: (given) => quick.iterate(given) });
    } catch {
      // Too many values, say.
    }
  }
  return read(statement);
}

/** The statement with the columns that it reads; its own are named otherwise. */
export function prepareQuicker(
  asked: Sqlite,
  { sql, values, computed }: Quicker,
): ReadingStatement {
  values.forEach((column, i) => defineValue(asked, i, column));
  computed.forEach((column, i) => defineComputed(asked, i, column));
  return asked.prepareReading(sql);
}

function defineValue(asked: Sqlite, column: number, { what, path }: ValueColumn): void {
  asked.prepare('SELECT strobe_argument(?, ?, ?)').get(column, what, path);
}

function defineComputed(
  asked: Sqlite,
  column: number,
  { expression, inputs, rises }: GroupedBy,
): void {
  const more = inputs.map(() => ', ?').join('');
  const statement = asked.prepare(`SELECT strobe_compute(?, ?, ?${more})`);
  statement.get(column, expression, Number(rises), ...inputs);
}
