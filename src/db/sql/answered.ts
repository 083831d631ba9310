import type { ReadingStatement, Sqlite } from '../sqlite.ts';
import type { GroupedBy } from './groupedBy.ts';
import { quicker } from './quicker.ts';

/** What a statement of a client answers, in the quickest way there is. Throws what SQLite says of it. */
export function answered<T>(
  asked: Sqlite,
  sql: string,
  read: (statement: ReadingStatement) => T,
): T {
  const statement = asked.prepareReading(sql);
  const other = quicker(sql);
  if (!other) return read(statement);
  try {
    other.computed.forEach((column, i) => define(asked, i, column));
    const quick = asked.prepareReading(other.sql);
    return read({ columns: statement.columns, iterate: (parameters) => quick.iterate(parameters) });
  } catch {
    // Too many values, say.
    return read(statement);
  }
}

function define(asked: Sqlite, column: number, { expression, inputs, rises }: GroupedBy): void {
  const more = inputs.map(() => ', ?').join('');
  const statement = asked.prepare(`SELECT strobe_compute(?, ?, ?${more})`);
  statement.get(column, expression, Number(rises), ...inputs);
}
