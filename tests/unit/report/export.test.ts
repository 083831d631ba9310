import { expect, test } from 'vitest';
import { exportFormat } from '../../../src/db/export/formats.ts';
import type { ExportState } from '../../../src/daemon/export/exports.ts';
import { fit } from '../../../src/daemon/report/answers/budget.ts';
import { renderExport } from '../../../src/daemon/report/answers/export.ts';
import { answersOf } from './expectAnswer.ts';
import { scene, session } from './samples.ts';

const expectAnswer = answersOf(import.meta.dirname, 'export', 'debug_session');
const given = scene({ request: { sessionId: session().id, action: 'export', format: 'jsonl' } });

const written = {
  kind: 'written',
  path: '/home/me/settle/settle.jsonl',
  result: {
    totals: { calls: 9_981_938, events: 679, open: 3, dropped: 0 },
    bytes: 3_910_000_000,
    notes: [],
  },
} as const;

test.each<[string, ExportState]>([
  [
    'running',
    {
      kind: 'running',
      progress: { calls: 4_100_000, events: 37, bytes: 1_630_000_000, done: 251, of: 611 },
    },
  ],
  ['written', written],
])('[export.long] an export that is %s', async (name, state) => {
  const facts = { format: exportFormat('jsonl'), state, collector: null };
  const answer = fit(2000, (room) => renderExport(given, facts, room));
  await expectAnswer(name, answer, { twin: true });
});

test.each([
  ['chrome', 3_910_000_000, true],
  ['chrome', 391_000_000, false],
  ['csv', 3_910_000_000, false],
] as const)(
  '[export.told] %s of %i bytes: a browser may not take it: %s',
  async (format, bytes, isTold) => {
    const state = { ...written, result: { ...written.result, bytes } };
    const facts = { format: exportFormat(format), state, collector: null };
    const { text } = fit(2000, (room) => renderExport(given, facts, room));
    expect(text.includes('This may be too large for a browser')).toBe(isTold);
  },
);
