import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answeringText, fit } from '../../../src/daemon/report/answers/budget.ts';
import { answerTokens } from '../../support/tokens.ts';
import { renderEvents } from '../../../src/daemon/report/views/events.ts';
import type { Emptiness } from '../../../src/daemon/report/views/emptiness.ts';
import type { Scene } from '../../../src/daemon/report/answers/scene.ts';
import type { HooksSummary } from '../../../src/model/session.ts';
import type { EventsPage, EventView } from '../../../src/model/questions/eventView.ts';
import { answersOf } from './expectAnswer.ts';
import { bool, call, ended, int, nothing, scene, session, summary, text } from './samples.ts';

const expectAnswer = answersOf(import.meta.dirname, 'events', 'debug_query');

function page(events: readonly EventView[], changes: Partial<EventsPage> = {}): EventsPage {
  return {
    events,
    cursors: events.map((_, at) => `e${at}`),
    cursor: null,
    hasMore: false,
    total: events.length,
    totalIsExact: true,
    pids: [4711],
    complete: true,
    lookedUntil: 12_400_000_000,
    ...changes,
  };
}

function callEvent(...args: Parameters<typeof call>): EventView {
  const made = call(...args);
  return { type: 'call', time: made.time, call: made };
}

function rendered(
  given: Scene,
  of: EventsPage,
  budget: number,
  emptiness: Emptiness | null = null,
) {
  return fit(budget, renderEvents(given, of, emptiness));
}

const mixed: readonly EventView[] = [
  { type: 'process', time: 1_200_000_000, pid: 4711, text: 'started' },
  callEvent(0, 'settle::Queue::take', {
    arguments: [],
    returns: { kind: 'pointer', address: '0x7f1200aa10', isNull: true },
  }),
  callEvent(1, 'settle::Ledger::book', {
    arguments: [
      { name: 'memo', value: text('Miete\n"März" 🏠 €500') },
      { name: 'cents', value: int(-1) },
    ],
  }),
  callEvent(2, 'settle::Ledger::book', {
    end: 'unwound',
    returns: nothing,
    parent: call(0, 'a').id,
  }),
  {
    type: 'stderr',
    time: 1_204_100_000,
    id: 'o17',
    pid: 4711,
    text: 'settle: payment 17 booked twice',
    base64: null,
  },
  callEvent(4, 'std::vector<settle::Payment, std::allocator<settle::Payment> >::push_back', {
    tid: 4714,
    threadName: 'worker-2',
    returns: nothing,
  }),
  callEvent(5, 'settle::Queue::wait', {
    end: 'open',
    durationNs: null,
    returns: nothing,
    arguments: [],
  }),
  {
    type: 'loss',
    time: 1_204_200_000,
    text: 'the ring was overwritten before it was read',
    count: 1018,
  },
];

test('[break.log] the text of a breakpoint has all its values, also those that are the same in all hits', () => {
  const basket = { owner: text('Bob of Ulm on Danube'), city: text('Ulm'), cents: int(300) };
  const fields = Object.entries(basket).map(([name, value]) => ({ name, value }));
  const hits = [1, 2, 3].map((at) =>
    callEvent(at, 'shop.c:7', {
      end: 'unseen',
      durationNs: null,
      arguments: [
        { name: 'this', value: { kind: 'pointer', address: '0x7f1200aa10', isNull: false } },
        { name: 'rate', value: text('the same in each of them') },
        { name: 'basket', value: { kind: 'object', object: { fields, left: 0 } } },
        { name: 'round', value: int(at) },
      ],
      probe: { id: 'b1', log: '{round}: {rate} of {this} has {basket}' },
    }),
  );
  const answer = rendered(scene(), page(hits), 2000);
  const whole = '{owner="Bob of Ulm on Danube", city="Ulm", cents=300}';
  const said = '"the same in each of them" of 0x7f1200aa10 has';
  expect(answer.text).toContain(`● shop.c:7  1: ${said} #1 ${whole}`);
  expect(answer.text).toContain(`● shop.c:7  2: ${said} #1  `);
  expect(answer.structured).toMatchObject({
    events: [1, 2, 3].map((at) => ({ message: `${at}: ${said} ${whole}` })),
  });
});

test('calls, output, exceptions and losses on one timeline', async () => {
  const answer = rendered(scene(), page(mixed), 2000);
  await expectAnswer('mixed', answer, { twin: true });
});

test('a page that goes on names the call for the rest and what the rest is', async () => {
  const events = Array.from({ length: 60 }, (_, at) =>
    callEvent(at, at % 3 === 0 ? 'settle::Ledger::balance' : 'settle::Ledger::book'),
  );
  const request = {
    ...scene().request,
    function: { pattern: 'settle::Ledger::*' },
    returnValue: { equals: true },
  };
  const answer = rendered(
    scene({ request }),
    page(events, { total: 12_054, hasMore: true, cursor: 'eyJ0IjoxMjA0fQ' }),
    800,
  );
  await expectAnswer('page', answer, { budget: 800 });
  expect(answer.shown).toBeLessThan(60);
});

test('ten thousand events in 300 tokens', async () => {
  const events = Array.from({ length: 10_000 }, (_, at) => callEvent(at, 'settle::Ledger::book'));
  const answer = rendered(scene(), page(events, { total: 10_000, cursor: 'eyJ0IjoxMjA0fQ' }), 300);
  await expectAnswer('tenThousand', answer, { budget: 300 });
  expect(answer.shown).toBeGreaterThan(0);
});

test('huge strings and many arguments stay within 300 tokens', async () => {
  const many = Array.from({ length: 40 }, (_, at) => ({
    name: `argument_number_${at}`,
    value: text('漢字かな交じり文😀'.repeat(80), true),
  }));
  const answer = rendered(
    scene(),
    page([callEvent(0, 'settle::import', { arguments: many, returns: text('x'.repeat(60_000)) })]),
    300,
  );
  await expectAnswer('huge', answer, { budget: 300 });
});

test('losses and a lagging index are said first', async () => {
  const counters = {
    seen: 24_108,
    stored: 23_078,
    lost: 1030,
    sampled: 0,
    byCause: { ringOverwritten: 1018, torn: 12 },
  };
  const answer = rendered(
    scene({ summary: summary({ counters }), indexedTo: 12_000_000_000 }),
    page(mixed.slice(1, 3), { complete: false, totalIsExact: false, lookedUntil: 3e9 }),
    2000,
  );
  await expectAnswer('losses', answer, { twin: true });
});

test('verbose shows every field', async () => {
  const answer = rendered(scene({ verbose: true }), page(mixed.slice(2, 4)), 2000);
  await expectAnswer('verbose', answer, { twin: true });
});

test('enters and exits', async () => {
  const made = call(7, 'settle::Ledger::book', { returns: bool(false) });
  const events: EventView[] = [
    { type: 'function_enter', time: made.time, call: made },
    { type: 'function_exit', time: made.time + 12_300, call: made },
  ];
  await expectAnswer('entersAndExits', rendered(scene(), page(events), 2000), { twin: true });
});

const silent = {
  calls: 0,
  counters: { seen: 0, stored: 0, lost: 0, sampled: 0, byCause: {} },
};

/** A session in which nothing was called. */
function quiet(change: Parameters<typeof session>[0] = {}): Scene {
  return scene({ session: session(change), summary: summary(silent) });
}

function hooks(patterns: readonly string[], change: Partial<HooksSummary>): HooksSummary {
  const none = { matched: 0, hooked: 0, inlined: 0, refused: 0, leftOut: 0, waiting: 0 };
  return { patterns, ...none, ...change };
}

const emptyCases: Readonly<Record<string, Scene>> = {
  emptyNothingTraced: quiet({
    tracing: { kind: 'off', reason: 'no patterns were given' },
    hooks: hooks([], {}),
  }),
  emptyNothingHooked: quiet({
    hooks: hooks(['settle::Ledger::valid'], { matched: 1, inlined: 1, refused: 1 }),
  }),
  emptyLibraryTooLate: quiet({
    state: ended,
    hooks: hooks(['ext.so!mean'], { matched: 1, waiting: 1 }),
  }),
  emptyNotCalledYet: quiet(),
  emptyNeverCalled: quiet({ state: ended }),
  emptyNeverCalledFromStart: quiet({
    state: ended,
    hooks: hooks(['@usercode'], { matched: 12, hooked: 12, fromStart: true }),
  }),
  emptyUntraceable: quiet({
    tracing: {
      kind: 'unavailable',
      code: 'STATIC_PROGRAM',
      message: 'The program is statically linked.',
      hint: 'Link it dynamically.',
    },
  }),
};

test.each(Object.entries(emptyCases))('no event says why: %s', async (name, given) => {
  const emptiness = { calledFunctions: [], wantedFunction: null };
  await expectAnswer(name, rendered(given, page([]), 2000, emptiness));
});

test('no event says why: the filters fit none', async () => {
  const wanted = { equals: 'settle::Ledger::bok' };
  const request = { ...scene().request, function: wanted, minDurationNs: 1e6 };
  const answer = rendered(scene({ request }), page([]), 2000, {
    calledFunctions: ['settle::Queue::take', 'settle::Ledger::book', 'settle::Ledger::balance'],
    wantedFunction: 'settle::Ledger::bok',
  });
  await expectAnswer('emptyFiltered', answer);
});

test.each([220, 300, 500, 1000, 2000, 8000])('a budget of %i tokens is kept and used', (budget) => {
  const events = Array.from({ length: 500 }, (_, at) =>
    callEvent(at, at % 7 === 0 ? 'settle::Ledger::balance' : 'settle::Ledger::book'),
  );
  const answer = rendered(
    scene({ session: session({ state: ended }) }),
    page(events, { cursor: 'abc', hasMore: true, total: 90_000 }),
    budget,
  );
  const { larger } = answerTokens(answer);
  expect(larger).toBeLessThanOrEqual(budget);
  if (budget >= 500) expect(larger).toBeGreaterThan(budget * 0.8);
});

test('whatever calls there are, an answer keeps its budget by the exact count, in two renders', () => {
  const word = fc.oneof(
    fc.constantFrom('settle', 'Ledger', 'parseHeader', 'on_event', 'Überweisung', '无法打开文件'),
    fc.stringMatching(/^[a-z]{1,12}$/),
  );
  const value = fc.oneof(fc.integer().map(int), word.map(text), fc.boolean().map(bool));
  const event = fc
    .record({
      names: fc.array(word, { minLength: 1, maxLength: 3 }),
      given: fc.array(fc.record({ name: word, value }), { maxLength: 4 }),
    })
    .map(({ names, given }) => ({ name: names.join('::'), given }));
  const events = fc.array(event, { minLength: 1, maxLength: 120 });
  fc.assert(
    fc.property(events, fc.integer({ min: 400, max: 4000 }), (drawn, budget) => {
      const made = drawn.map(({ name, given }, at) => callEvent(at, name, { arguments: given }));
      const render = renderEvents(scene(), page(made), null);
      let renders = 0;
      const answer = fit(budget, (room) => {
        renders += 1;
        return render(room);
      });
      expect(answerTokens(answer).larger).toBeLessThanOrEqual(budget);
      expect(renders).toBeLessThanOrEqual(2);
    }),
    { numRuns: 100 },
  );
});

test('[query.budget] for a client that reads text alone the budget is of the text', async () => {
  const made = Array.from({ length: 400 }, (_, at) =>
    callEvent(at, `settle::Ledger::book${at}`, {
      arguments: [{ name: 'memo', value: text(`Miete ${at}`) }],
    }),
  );
  const render = renderEvents(scene(), page(made), null);
  const both = fit(2000, render);
  // oxlint-disable-next-line typescript/require-await -- a request is answered later
  const alone = await answeringText(async () => fit(2000, render));
  expect(answerTokens(both).larger).toBeLessThanOrEqual(2000);
  expect(answerTokens(alone).text).toBeLessThanOrEqual(2000);
  expect(answerTokens(alone).text).toBeGreaterThan(1.5 * answerTokens(both).text);
});
