import { expect, test } from 'vitest';
import { fit } from '../../../src/daemon/report/answers/budget.ts';
import { answerTokens } from '../../support/tokens.ts';
import { renderSql } from '../../../src/daemon/report/views/sql.ts';
import { scene, session } from './samples.ts';

const given = scene({
  request: { sessionId: session().id, view: 'sql', sql: 'SELECT * FROM calls' },
});

test('a row of many long cells is shown within a small budget, shortened', async () => {
  const columns = Array.from({ length: 12 }, (_, at) => `c${at}`);
  const long = 'settle::Ledger::book(settle::Account const&, long) in src/ledger.cpp '.repeat(3);
  const rows = [columns.map((name, at) => (at % 2 === 0 ? long : at)), columns.map(() => 1)];
  const budget = 500;
  const answer = fit(budget, (room) => renderSql(given, { columns, rows, hasMore: false }, room));
  expect(answer.shown).toBe(1);
  expect(answer.text).toContain('settle::Ledger');
  expect(answer.text).toMatch(/… more: debug_query/);
  expect(answerTokens(answer).larger).toBeLessThanOrEqual(budget);
});
