import { expect, test } from 'vitest';
import { withKnownNames } from '../../../src/db/sql/knownNames.ts';

/** As SQLite does: the first name that is no column of the table. */
function prepare(columns: readonly string[]): (sql: string) => string {
  return (sql) => {
    const bare = sql.replaceAll(/'[^']*'|\bas \w+/gi, '');
    const unknown = [...bare.matchAll(/\b[a-z]\w*\b/gi)]
      .map(([word]) => word)
      .find(
        (word) => !/^(?:select|from|where|calls|output)$/i.test(word) && !columns.includes(word),
      );
    if (unknown !== undefined) throw new Error(`no such column: ${unknown}`);
    return sql;
  };
}

test('[query.sql-names] names as JSON spells them mean the columns, outside of texts and aliases', () => {
  const calls = prepare(['return_value', 'timestamp_ns', 'parent_id']);
  const output = prepare(['time_ns', 'text']);
  for (const [sql, known, by] of [
    ['SELECT returnValue FROM calls', 'SELECT return_value FROM calls', calls],
    [
      "SELECT timestampNs AS timestampNs FROM calls WHERE 'returnValue' < returnValue",
      "SELECT timestamp_ns AS timestampNs FROM calls WHERE 'returnValue' < return_value",
      calls,
    ],
    ['SELECT parentEventId FROM calls', 'SELECT parent_id FROM calls', calls],
    ['SELECT timestampNs, text FROM output', 'SELECT time_ns, text FROM output', output],
    ['SELECT time_ns FROM calls', 'SELECT timestamp_ns FROM calls', calls],
  ] as const)
    expect(withKnownNames(sql, by)).toBe(known);
  expect(() => withKnownNames('SELECT nothingSuch FROM calls', calls)).toThrow(
    'no such column: nothingSuch',
  );
  // Not the name that would have been understood.
  expect(() => withKnownNames('SELECT timestampNs FROM calls WHERE nothing', calls)).toThrow(
    'no such column: nothing',
  );
});
