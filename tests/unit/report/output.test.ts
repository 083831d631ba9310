import { expect, test } from 'vitest';
import { escaped } from '../../../src/base/visible.ts';
import { fit } from '../../../src/daemon/report/answers/budget.ts';
import { renderOutput } from '../../../src/daemon/report/views/output.ts';
import type { OutputPage } from '../../../src/model/questions/query.ts';
import { answersOf } from './expectAnswer.ts';
import { ended, line, scene, session, summary } from './samples.ts';

const expectAnswer = answersOf(import.meta.dirname, 'output', 'debug_query');
const request = { sessionId: session().id, view: 'output' };

function page(lines: OutputPage['lines'], changes: Partial<OutputPage> = {}): OutputPage {
  const cursors = lines.map(({ id }) => `o${id}`);
  return { lines, cursors, cursor: null, hasMore: false, total: lines.length, ...changes };
}

const lines = [
  line(1, 'settle: 4 workers'),
  line(2, '\u001b[31merror\u001b[0m: payment 17 booked twice', { stream: 'stderr' }),
  line(3, 'caf\uFFFD', { bytes: Uint8Array.from([0x63, 0x61, 0x66, 0xe9]) }),
  line(4, `{"batch":[${'1,'.repeat(5000)}0]}`),
];

test('lines of both streams', async () => {
  const answer = fit(2000, renderOutput(scene({ request }), page(lines)));
  await expectAnswer('lines', answer, { twin: true });
});

test('[output.long] a long line is shown from where it was found, and whole where the budget allows', async () => {
  const text = `${'ab😀'.repeat(800)}needle${'z'.repeat(700)}`;
  const found = line(1, text, { foundAt: 3200 });
  const other = line(2, 'x'.repeat(1000));
  const shown = fit(2000, renderOutput(scene({ request }), page([found, other, other])));
  expect(shown.text).toMatch(/out\| \(2325\+\)…(?:ab😀)+needlez+…\(\+\d+\)\n/u);
  expect(shown.text).not.toContain('\uFFFD');
  expect(shown.text).toContain(`${'x'.repeat(400)}…(+600)`);
  const alone = fit(2000, renderOutput(scene({ request }), page([other])));
  expect(alone.text).toContain('x'.repeat(1000));
  const roomy = { ...request, budget: 8000 };
  const whole = fit(8000, renderOutput(scene({ request: roomy }), page([found])));
  expect(whole.text).toContain(escaped(text));
});

const many = Array.from({ length: 500 }, (_, at) => line(at, `batch ${at} settled`));

test('the first lines stay and a cursor leads on', async () => {
  const answer = fit(
    500,
    renderOutput(scene({ request }), page(many, { total: 9000, hasMore: true, cursor: 'o500' })),
  );
  await expectAnswer('first', answer, { budget: 500 });
});

test('with tail the last lines stay', async () => {
  const answer = fit(
    500,
    renderOutput(scene({ request: { ...request, tail: 500 } }), page(many, { total: 9000 })),
  );
  await expectAnswer('tail', answer, { budget: 500 });
  expect(answer.text).toContain('batch 499 settled');
});

test('no output, running and ended', async () => {
  const silent = summary({ outputLines: 0, outputBytes: 0 });
  await expectAnswer(
    'silent',
    fit(2000, renderOutput(scene({ request, summary: silent }), page([]))),
  );
  const over = scene({ request, summary: silent, session: session({ state: ended }) });
  await expectAnswer('nothing', fit(2000, renderOutput(over, page([]))));
});
