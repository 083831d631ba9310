import { expect, test } from 'vitest';
import { textCompared } from '../../../src/db/sql/textCompared.ts';

const compared: readonly (readonly [sql: string, column: string | null])[] = [
  ['SELECT * FROM calls WHERE return_value > 5', 'return_value'],
  ['SELECT * FROM calls c WHERE c.Return_Value = -1', 'return_value'],
  ['SELECT * FROM calls WHERE 0 <> calls.return_value', 'return_value'],
  ['SELECT * FROM calls WHERE return_value BETWEEN 1 AND 3', 'return_value'],
  ['SELECT sum("arguments" >= 1.5) FROM calls', 'arguments'],
  ['SELECT function_name, max(return_value) FROM calls GROUP BY 1', 'return_value'],
  ['SELECT * FROM calls c ORDER BY c.return_value DESC LIMIT 10', 'return_value'],
  ["SELECT min(return_value ->> '$') FROM calls", null],
  ["SELECT * FROM calls ORDER BY arguments ->> 'n' LIMIT 5", null],
  ['SELECT return_value, count(*) FROM calls GROUP BY return_value ORDER BY 2', null],
  ["SELECT * FROM calls WHERE return_value ->> '$' > 5", null],
  ["SELECT * FROM calls WHERE json_extract(return_value, '$.a') > 5", null],
  ["SELECT * FROM calls WHERE return_value = '5' AND duration_ns > 5", null],
  ["SELECT 'return_value > 5', return_value FROM calls WHERE 5 > duration_ns", null],
  ['SELECT (return_value', null],
  ['SELECT * FROM calls WHERE returnValue = 0', 'returnValue'],
  ['SELECT * FROM calls WHERE function_name = 3', 'function_name'],
  ["SELECT CASE WHEN 1 THEN 2 END > 5 FROM calls WHERE function_name = '3'", null],
];

test('[query.sql] a column of text that is compared with a number, or JSON that is put in order, is found', () => {
  for (const [sql, column] of compared)
    expect([sql, textCompared(sql)?.column ?? null]).toEqual([sql, column]);
});
