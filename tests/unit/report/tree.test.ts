import { expect, test } from 'vitest';
import { fit } from '../../../src/daemon/report/answers/budget.ts';
import { answerTokens } from '../../support/tokens.ts';
import type { Scene } from '../../../src/daemon/report/answers/scene.ts';
import { renderTree } from '../../../src/daemon/report/tree/tree.ts';
import type { Value } from '../../../src/model/questions/query.ts';
import type { TreeNode, TreeResult } from '../../../src/model/questions/treeResult.ts';
import { answersOf } from './expectAnswer.ts';
import {
  bool,
  call,
  ended,
  forest,
  int,
  node,
  nothing,
  scene,
  session,
  summary,
  text,
} from './samples.ts';

const expectAnswer = answersOf(import.meta.dirname, 'tree', 'debug_query');

function rendered(given: Scene, result: TreeResult, budget: number) {
  return fit(budget, (room) =>
    renderTree(given, result, { emptiness: { calledFunctions: [], wantedFunction: null } }, room),
  );
}

const treeScene = scene({
  session: session({ state: ended }),
  request: { sessionId: session().id, view: 'tree' },
});

/** A batch of payments of which one throws, with the call that catches it. */
function batch(first: number): TreeNode {
  const book = (ordinal: number, changes: Parameters<typeof call>[2] = {}) =>
    call(ordinal, 'settle::Ledger::book', {
      arguments: [
        { name: 'id', value: int(ordinal) },
        { name: 'cents', value: int(ordinal * 10) },
      ],
      ...changes,
    });
  return node(
    call(first, 'settle::Worker::settleBatch', {
      arguments: [{ name: 'batch', value: int(7) }],
      returns: int(3),
      durationNs: 4_100_000,
    }),
    [
      node(call(first + 1, 'settle::Queue::take', { arguments: [], returns: int(38) })),
      node(
        book(first + 2),
        [node(call(first + 3, 'settle::Ledger::find', { returns: bool(true) }))],
        {
          times: 36,
          totalNs: 3_000_000,
          minNs: 12_300,
          maxNs: 1_200_000,
          varying: [`id=${first + 2}..${first + 37}`, 'cents=20..370'],
          omitted: 35,
        },
      ),
      node(book(first + 80, { end: 'unwound', returns: nothing, durationNs: 80_000 }), [
        node(
          call(first + 81, 'settle::Ledger::check', {
            end: 'unwound',
            returns: nothing,
            durationNs: 60_000,
            arguments: [{ name: 'memo', value: text('Miete März') }],
          }),
        ),
      ]),
      node(call(first + 90, 'settle::Worker::report', { returns: nothing, arguments: [] })),
    ],
  );
}

test('a tree with folded siblings and an exception thrown and caught', async () => {
  await expectAnswer('exception', rendered(treeScene, forest([batch(100)]), 2000), { twin: true });
});

test.each([300, 500, 900])(
  'in %i tokens the exception stays, the rest is counted',
  async (budget) => {
    const result = forest(
      Array.from({ length: 40 }, (_, at) =>
        at === 31
          ? batch(5000)
          : node(call(at * 100, 'settle::Worker::idle', { arguments: [], returns: nothing }), [
              node(call(at * 100 + 1, 'settle::Queue::poll', { returns: bool(false) })),
            ]),
      ),
    );
    const answer = rendered(treeScene, result, budget);
    await expectAnswer(`tight${budget}`, answer, { budget });
    expect(answer.text).toContain('✗ unwound');
  },
);

test('two hundred levels deep', async () => {
  let inner = node(
    call(999, 'settle::Parser::leaf', { end: 'open', durationNs: null, returns: nothing }),
  );
  for (let level = 199; level >= 0; level -= 1) {
    inner = node(
      call(level, `settle::Parser::level${level}`, {
        arguments: [{ name: 'depth', value: int(level) }],
      }),
      [inner],
    );
  }
  await expectAnswer('deep', rendered(treeScene, forest([inner]), 600), { budget: 600 });
});

test('a line without values is counted and not shown', async () => {
  const unread = node(call(2, 'settle::Ledger::sum'), [node(call(3, 'settle::Ledger::add'))], {
    times: 7,
    isRead: false,
  });
  const { text: shown } = rendered(
    treeScene,
    forest([node(call(1, 'settle::run'), [unread, node(call(9, 'settle::close'))])]),
    2000,
  );
  expect(shown).toContain('run(');
  expect(shown).toContain('close(');
  expect(shown).not.toContain('sum(');
  expect(shown).toContain('… 8 calls: settle::Ledger::sum ×7');
});

test('many threads: what has no room is counted', async () => {
  const threads = Array.from({ length: 300 }, (_, at) => ({
    thread: at,
    tid: 5000 + at,
    name: `worker-${at}`,
    pid: 4711,
    calls: 2,
    roots: [
      node(call(at, 'settle::Worker::run', { returns: nothing, durationNs: 1000 + at }), [
        node(call(at + 1, 'settle::Queue::take')),
      ]),
    ],
    omitted: 0,
  }));
  const answer = rendered(treeScene, { threads, calls: 600, complete: true, uncompared: 0 }, 500);
  await expectAnswer('threads', answer, { budget: 500, twin: true });
});

test('folded calls: how values differ, how many were caught, what is not captured', async () => {
  const unknown: Value = { kind: 'notCaptured', reason: 'by value', type: 'std::optional<Task>' };
  const settle = node(
    call(1, 'settle::Worker::settle', { returns: int(0) }),
    [
      node(call(2, 'settle::Worker::settle', { returns: unknown })),
      node(call(3, 'settle::Gateway::confirm', { end: 'unwound', returns: nothing }), [], {
        times: 5,
        varying: ['cents=1..9'],
      }),
    ],
    { times: 47, varying: ['this=2 different', 'return=settled(40)|retryLater(7)'] },
  );
  const workers = [1, 2, 3].map((at) => ({
    thread: at,
    tid: 5000 + at,
    name: `worker-${at}`,
    pid: 4711,
    calls: 53,
    roots: [settle],
    omitted: 0,
  }));
  const answer = rendered(
    treeScene,
    { threads: workers, calls: 159, complete: true, uncompared: 0 },
    2000,
  );
  await expectAnswer('folded', answer);
});

test('an incomplete tree and an empty one say so', async () => {
  await expectAnswer(
    'incomplete',
    rendered(treeScene, { ...forest([batch(1)]), complete: false }, 2000),
  );
  const nothingHere = scene({
    summary: summary({
      calls: 0,
      counters: { seen: 0, stored: 0, lost: 0, sampled: 0, byCause: {} },
    }),
  });
  await expectAnswer(
    'empty',
    rendered(nothingHere, { threads: [], calls: 0, complete: true, uncompared: 0 }, 2000),
    { twin: true },
  );
});

test('a call with forty long arguments stays within 300 tokens', async () => {
  const many = Array.from({ length: 40 }, (_, at) => ({
    name: `argument_number_${at}`,
    value: text('漢字かな交じり文😀'.repeat(80), true),
  }));
  const result = forest([
    node(call(1, 'settle::import', { arguments: many }), [node(call(2, 'settle::parse'))]),
  ]);
  await expectAnswer('longCall', rendered(treeScene, result, 2000));
  await expectAnswer('longCallTight', rendered(treeScene, result, 300), { budget: 300 });
});

/** An object of which each of some fields leads to another one, so many levels deep. */
function nested(levels: number, fields = 4): Value {
  const named = Array.from({ length: fields }, (_, at) => {
    const value = at === 1 && levels > 1 ? behind(nested(levels - 1, fields)) : int(at * 1000);
    return { name: `${'abcdefghijkl'[at]}Member`, value };
  });
  return { kind: 'object', object: { fields: named, left: 2 } };
}

function behind(target: Value): Value {
  return { kind: 'pointer', address: '0x55d0c0a81f40', isNull: false, target };
}

const ledgers: Value = {
  kind: 'map',
  entries: ['rent', 'tea', 'books'].map((name) => ({ key: text(name), value: nested(2) })),
  total: 12,
};

const structures = [
  { name: 'this', value: behind(nested(3)) },
  { name: 'ledgers', value: ledgers },
  { name: 'sizes', value: { kind: 'list', items: [int(1), int(2), int(3)], total: 9 } as const },
  { name: 'cents', value: int(500) },
];

test('[query.tree] a line is read at a glance: the deepest parts of its values give way, what differs among its calls stays', async () => {
  const varying = ['this=0x55d0c0a81f40{3 different}', 'cents=1..36'];
  const result = forest([
    node(call(1, 'settle::balance', { arguments: structures, returns: nested(3, 12) }), [
      node(call(2, 'settle::carry', { arguments: structures, returns: int(-1) })),
      node(call(3, 'settle::close', { arguments: structures.slice(0, 1), returns: nothing })),
      node(call(4, 'settle::book', { arguments: structures, returns: bool(false) }), [], {
        times: 36,
        varying,
      }),
    ]),
  ]);
  const answer = rendered(treeScene, result, 2000);
  await expectAnswer('structures', answer);
  const lines = answer.text.split('\n').filter((line) => line.includes('settle::'));
  for (const line of lines) expect(line.length).toBeLessThan(280);
  for (const told of [...varying, ') = -1', ') = false ×36']) expect(answer.text).toContain(told);
});

test('[query.tree] the call that is asked for by its id is written with all its values', async () => {
  const root = call(1, 'settle::balance', { arguments: structures, returns: nested(3) });
  const result = forest([node(root, [node(call(2, 'settle::carry', { arguments: structures }))])]);
  const request = { ...treeScene.request, root: root.id };
  const { text: whole } = rendered({ ...treeScene, request }, result, 2000);
  const [asked, below] = whole.split('\n').filter((line) => line.includes('settle::'));
  expect(asked).toContain('{aMember=0, bMember=0x55d0c0a81f40{aMember=0, bMember=1000, ');
  expect(asked).toContain('"books": {aMember=0');
  expect(below).toContain('"books": #');
});

test('five thousand nodes fill the budget and no more', async () => {
  const roots = Array.from({ length: 100 }, (_, at) =>
    node(
      call(at * 100, `settle::Worker::run${at % 5}`),
      Array.from({ length: 49 }, (_unused, below) =>
        node(call(at * 100 + below, 'settle::Ledger::book')),
      ),
    ),
  );
  const { larger } = answerTokens(rendered(treeScene, forest(roots), 2000));
  expect(larger).toBeLessThanOrEqual(2000);
  expect(larger).toBeGreaterThan(1600);
});
