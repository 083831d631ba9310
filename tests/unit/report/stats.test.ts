import { expect, test } from 'vitest';
import { fit } from '../../../src/daemon/report/answers/budget.ts';
import { renderStats } from '../../../src/daemon/report/views/stats.ts';
import type { StatsResult } from '../../../src/model/questions/statsResult.ts';
import { answersOf } from './expectAnswer.ts';
import { scene, session, statsRow } from './samples.ts';

const expectAnswer = answersOf(import.meta.dirname, 'stats', 'debug_query');
const given = scene({ request: { sessionId: session().id, view: 'stats' } });

function rendered(result: StatsResult, budget: number) {
  return fit(budget, (room) => renderStats(given, result, { emptiness: null }, room));
}

const rows = [
  statsRow('settle::Worker::settleBatch', 300, 9_000_000_000),
  statsRow('settle::Ledger::book', 11_000, 4_500_000_000, {
    unwound: 3,
    maxNs: 1_200_000_000,
    p50Ns: 12_000,
  }),
  statsRow('settle::Queue::wait', 40, 200_000, { open: 4 }),
  statsRow(
    'std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, settle::Account>::operator[]',
    7,
    900,
  ),
];

test('columns, oddities and where it is', async () => {
  await expectAnswer(
    'columns',
    rendered({ rows, groups: 4, source: 'counters', complete: true }, 2000),
    { twin: true },
  );
});

test('two thousand functions in 400 tokens', async () => {
  const many = Array.from({ length: 500 }, (_, at) =>
    statsRow(`settle::module${at}::run`, 1000 - at, 1e9 / (at + 1)),
  );
  const answer = rendered({ rows: many, groups: 2000, source: 'scan', complete: false }, 400);
  await expectAnswer('many', answer, { budget: 400 });
  expect(answer.shown).toBeGreaterThan(0);
});

test('what is left out can be had with more room, never with less', async () => {
  const many = Array.from({ length: 500 }, (_, at) => statsRow(`settle::run${at}`, 9, 1e9));
  const result = { rows: many, groups: 2000, source: 'counters', complete: true } as const;
  const more = (request: Readonly<Record<string, unknown>>): string => {
    const asked = scene({ request: { sessionId: session().id, view: 'stats', ...request } });
    const { text } = renderStats(asked, result, { emptiness: null }, 2000);
    return /^… [\d,]+ more: (.*)$/m.exec(text)?.[1] ?? '';
  };
  expect(more({})).toContain('"budget":8000,"limit":500}');
  expect(more({ budget: 30_000 })).toContain('"budget":50000,"limit":500}');
  expect(more({ budget: 50_000 })).toContain('"budget":50000,"limit":500}');
  expect(more({ budget: 50_000, limit: 500 })).toMatch(/^narrow it with function/);
});

test('an answer of which exceptions alone are missing does not speak of the index', () => {
  const state = {
    kind: 'ended',
    exit: { kind: 'exited', code: 0 },
    at: 2e9,
    by: 'itself',
  } as const;
  const told = (indexedTo: number): string => {
    const asked = scene({ session: session({ state }), indexedTo });
    const result = { rows, groups: 4, source: 'counters', complete: true } as const;
    return renderStats(asked, result, { emptiness: null }, 2000).text;
  };
  expect(told(1.5e9)).toContain('The index is 500 ms behind (read up to +1.500s)');
  expect(told(3e9)).toContain('The last exceptions are still being read; ask again for them.');
  expect(told(3e9)).not.toContain('The index is');
});
