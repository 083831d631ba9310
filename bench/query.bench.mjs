/*
 * Questions to a session of real calls, through the real proxy and daemon; ingest rate. A million
 * calls, or `npm run bench:query -- --calls 10000000`.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildProgram } from './support/build.mjs';
import { median, quantile } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const { values: options } = parseArgs({
  options: { calls: { type: 'string', default: '1000000' } },
});
const wanted = Number(options.calls);
if (!(wanted >= 1000)) throw new Error('--calls wants a number of at least 1000');
const isLarge = wanted >= 5_000_000;
/** What a customer of `many` makes in calls, both threads together. */
const callsPerCustomer = 39.15;
const customers = String(Math.round(wanted / callsPerCustomer));
const program = buildProgram('many', ['bench/targets/many.cpp']);

const rounds = 21;
/** A question that is slow is asked fewer times. */
const roundsMs = 6000;
const leastRounds = 5;

const visit = { equals: 'shop::visit' };
/** What is asked, what p95 may be in ms at 10 million calls, and what it is at a million where that differs. */
const questions = [
  { what: 'stats (counters)', limit: 10, question: { view: 'stats' } },
  {
    what: 'stats of a tenth of the time',
    limit: 50,
    question: { view: 'stats', timeFrom: '40%', timeTo: '50%' },
  },
  {
    what: 'stats with an argument filter',
    limit: null,
    question: { view: 'stats', argument: [{ name: 'amount', gt: 4 }] },
  },
  {
    what: 'tree of everything',
    limit: 20,
    firstLimit: isLarge ? 1200 : 300,
    question: { view: 'tree', maxDepth: 4 },
  },
  {
    what: 'tree of one thread',
    limit: isLarge ? null : 100,
    question: { view: 'tree', thread: 'till-one', maxDepth: 4 },
  },
  {
    what: 'tree of one thread, a tenth of the time',
    limit: 100,
    question: { view: 'tree', thread: 'till-one', timeFrom: '40%', timeTo: '50%' },
  },
  { what: 'tree of one call', limit: 100, question: { view: 'tree', root: 'c1.5000' } },
  { what: 'events, first page', limit: 20, question: { view: 'events' } },
  { what: 'events of one function', limit: 20, question: { view: 'events', function: visit } },
  {
    what: 'events, argument and function',
    limit: 20,
    question: {
      view: 'events',
      function: { equals: 'shop::pay' },
      argument: [{ name: 'cents', equals: 777777 }],
    },
  },
  {
    what: 'events by text of an argument',
    limit: 20,
    question: { view: 'events', argument: [{ name: 'item', equals: 'xylophone' }] },
  },
  {
    what: 'events, rare argument range',
    limit: 20,
    question: {
      view: 'events',
      function: visit,
      argument: [{ name: 'customer', gt: Number(customers) - 10 }],
    },
  },
  {
    what: 'events, absent argument',
    limit: 300,
    question: { view: 'events', argument: [{ name: 'cents', equals: 123456 }] },
  },
  {
    what: 'events, absent returned value',
    limit: 300,
    question: { view: 'events', function: { equals: 'shop::price' }, returnValue: { gt: 1000 } },
  },
  {
    what: 'events by returned value',
    limit: 20,
    question: { view: 'events', function: { pattern: 'shop::buy' }, returnValue: { equals: -1 } },
  },
  {
    what: 'events, rare duration',
    limit: 50,
    question: { view: 'events', minDurationNs: 1_000_000 },
  },
  {
    what: 'events, common duration',
    limit: 20,
    question: { view: 'events', minDurationNs: 100 },
  },
  {
    what: 'events of one thread',
    limit: 20,
    question: { view: 'events', threadName: { equals: 'till-two' } },
  },
  {
    what: 'events, last 5 ms of a thread',
    limit: 20,
    question: { view: 'events', timeFrom: '-5ms', threadName: { equals: 'till-two' } },
  },
  { what: 'full text', limit: 20, question: { view: 'events', text: 'rye' } },
  { what: 'full text, absent', limit: 20, question: { view: 'events', text: 'zeppelin' } },
  { what: 'output', limit: 20, question: { view: 'output', match: 'odd sum' } },
  {
    what: 'diff of two tenths of the time',
    limit: null,
    question: {
      view: 'diff',
      timeFrom: '40%',
      timeTo: '50%',
      other: { timeFrom: '50%', timeTo: '60%' },
    },
  },
  { what: 'diff of two sessions', limit: 20, question: { view: 'diff' } },
  {
    what: 'SQL, function pushed down',
    limit: 100,
    question: {
      view: 'sql',
      sql: "SELECT count(*), max(duration_ns) FROM calls('shop::pay', ?, ?)",
      params: ['40%', '50%'],
    },
  },
  {
    what: 'SQL, free aggregate',
    limit: 2000,
    question: {
      view: 'sql',
      sql: 'SELECT function_name, count(*), sum(duration_ns) FROM calls GROUP BY 1',
    },
  },
  {
    what: 'SQL, groups by each duration',
    limit: 2000,
    question: {
      view: 'sql',
      sql: 'SELECT duration_ns, count(*) FROM calls GROUP BY 1 ORDER BY 2 DESC LIMIT 20',
    },
  },
  {
    what: 'SQL, groups by second and function',
    limit: 2000,
    question: {
      view: 'sql',
      sql: 'SELECT timestamp_s, function_name, count(*), avg(duration_ns) FROM calls GROUP BY 1, 2',
    },
  },
  {
    what: 'SQL, aggregate of a condition',
    limit: 2000,
    question: {
      view: 'sql',
      sql: "SELECT thread_name, count(*), avg(duration_ns) FROM calls WHERE function_name = 'shop::buy' AND duration_ns > 1000 GROUP BY 1",
    },
  },
  ...[
    [
      'by 10 ms and function, of groups',
      'SELECT ms / 10 AS t, f, sum(n) FROM (SELECT timestamp_ms AS ms, function_name AS f, count(*) AS n FROM calls GROUP BY 1, 2) GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 20',
    ],
    [
      'by a range of durations, of groups',
      "SELECT CASE WHEN d < 1000 THEN '<1us' WHEN d < 100000 THEN '<100us' ELSE 'slow' END AS range, sum(n), sum(d * n) FROM (SELECT duration_ns AS d, count(*) AS n FROM calls GROUP BY 1) GROUP BY 1",
    ],
    [
      'by namespace, of groups',
      "SELECT substr(f, 1, instr(f, '::') - 1) AS namespace, sum(n), sum(ns) FROM (SELECT function_name AS f, count(*) AS n, sum(duration_ns) AS ns FROM calls GROUP BY 1) GROUP BY 1",
    ],
    [
      'by function and a condition, of groups',
      'SELECT f, d > 1000 AS is_slow, sum(n) FROM (SELECT function_name AS f, duration_ns AS d, count(*) AS n FROM calls GROUP BY 1, 2) GROUP BY 1, 2',
    ],
    ['distinct times', 'SELECT count(*) FROM (SELECT DISTINCT timestamp_ns FROM calls)'],
    [
      'sum of an argument by function',
      "SELECT function_name, sum(json_extract(arguments, '$.amount')) FROM calls GROUP BY 1",
    ],
    [
      'a condition on an argument',
      "SELECT count(*), max(duration_ns) FROM calls WHERE json_extract(arguments, '$.cents') > 1000",
    ],
    [
      'by argument and result of a function',
      "SELECT arguments ->> 'amount', return_value ->> '$' < 0, count(*) FROM calls('shop::buy') GROUP BY 1, 2",
    ],
    [
      'sums of results',
      'SELECT function_name, sum(return_value), avg(return_value) FROM calls GROUP BY 1',
    ],
    [
      'calls with the largest arguments',
      "SELECT id, arguments FROM calls ORDER BY arguments ->> 'cents' DESC LIMIT 10",
    ],
    [
      'by a number that was passed',
      "SELECT json_extract(arguments, '$.amount') AS amount, count(*), avg(duration_ns) FROM calls GROUP BY amount",
    ],
    [
      'by a text that was passed',
      "SELECT json_extract(arguments, '$.item') AS item, count(*) FROM calls GROUP BY item",
    ],
    ['by result', 'SELECT return_value, count(*) FROM calls GROUP BY 1'],
    [
      'by all arguments and result of a function',
      "SELECT arguments, return_value, count(*) FROM calls('shop::inStock') GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 20",
    ],
  ].map(([what, sql]) => ({ what: `SQL, ${what}`, limit: 2000, question: { view: 'sql', sql } })),
  // SQLite sorts these.
  ...[
    [
      'by 10 ms and function',
      'SELECT timestamp_ns / 10000000 AS t, function_name, count(*) FROM calls GROUP BY t, function_name ORDER BY 3 DESC LIMIT 20',
    ],
    [
      'by a range of durations',
      "SELECT CASE WHEN duration_ns < 1000 THEN '<1us' WHEN duration_ns < 100000 THEN '<100us' ELSE 'slow' END AS range, count(*), sum(duration_ns) FROM calls GROUP BY range ORDER BY 2 DESC",
    ],
    [
      'distinct callers by function',
      'SELECT function_name, count(DISTINCT parent_id) FROM calls GROUP BY 1',
    ],
  ].map(([what, sql]) => ({ what: `SQL, ${what}`, limit: null, question: { view: 'sql', sql } })),
];

/** A question with the session it is about, and its shares of the session's time as times. */
function placed(question, { sessionId, otherId, endNs }) {
  const at = (value) =>
    typeof value === 'string' && value.endsWith('%')
      ? Math.round((endNs * Number.parseFloat(value)) / 100)
      : value;
  const asked = { ...question, sessionId };
  for (const name of ['timeFrom', 'timeTo']) if (name in asked) asked[name] = at(asked[name]);
  if (asked.params) asked.params = asked.params.map(at);
  if (asked.view === 'diff')
    asked.other = asked.other
      ? { timeFrom: at(asked.other.timeFrom), timeTo: at(asked.other.timeTo) }
      : { sessionId: otherId };
  return asked;
}

/** Runs the program and waits until all it did is indexed. */
async function capture(product) {
  const launched = await product.launch(
    program,
    [customers, pace],
    [{ pattern: 'shop::**', sampling: 'off' }],
  );
  const asked = performance.now();
  const { sessionId } = launched;
  await product.waitForExit(sessionId);
  for (;;) {
    const { counters, indexedTo } = await product.call('debug_query', { view: 'stats', sessionId });
    if (indexedTo !== null) continue;
    const calls = counters.stored / 2;
    return {
      sessionId,
      counters,
      calls,
      rate: (calls * 1000) / (performance.now() - asked + launched.ms),
    };
  }
}

/** Customers a millisecond of each thread, for some 100,000 calls a second. */
const livePace = 3;

/** Events of a program that goes on calling while it is asked, each after what it did before the question. */
async function whileItRuns(product) {
  const launched = await product.launch(
    program,
    ['1000000000', String(livePace)],
    [{ pattern: 'shop::**', sampling: 'off' }],
  );
  const { sessionId } = launched;
  const stored = async () => {
    const { counters } = await product.call('debug_query', { view: 'stats', sessionId });
    return counters;
  };
  while ((await stored()).stored < 1_000_000) await new Promise((next) => setTimeout(next, 200));
  const began = { at: performance.now(), calls: (await stored()).stored / 2 };
  const pooled = [];
  for (const filter of [
    {},
    { function: visit },
    { threadName: { equals: 'till-two' } },
    { timeFrom: '-5ms', threadName: { equals: 'till-two' } },
    { minDurationNs: 1_000_000 },
  ]) {
    const { times } = await measure(product, { view: 'events', sessionId, ...filter });
    pooled.push(...times);
  }
  const counters = await stored();
  const rate = ((counters.stored / 2 - began.calls) * 1000) / (performance.now() - began.at);
  await product.call('debug_session', { action: 'stop', sessionId });
  return {
    what: 'events while the program makes 100,000 calls a second',
    value: quantile(pooled, 0.95),
    unit: 'ms',
    note: `includes reading what it did before; median ${median(pooled).toFixed(1)} ms of ${pooled.length} questions; ${Math.round(rate / 1000)},000 calls/s, ${counters.lost} events lost`,
  };
}

/** Asks until it is known how long that takes; what is refused is told with its reason. */
async function measure(product, question) {
  const times = [];
  const began = performance.now();
  let note = '';
  while (
    times.length < leastRounds ||
    (times.length < rounds && performance.now() - began < roundsMs)
  ) {
    const asked = performance.now();
    try {
      const answer = await product.call('debug_query', question);
      if (answer.complete === false) note = 'partial answer';
      times.push(answer.ms);
    } catch (error) {
      note = String(error.message).split('\n')[1] ?? 'refused';
      times.push(performance.now() - asked);
    }
  }
  return { times, note };
}

// Rings that hold the whole run: what is measured is how fast it is stored, not what a burst loses. A run that they cannot
// hold makes a million calls a second.
const ringLimit = 2 ** 30;
const wantedBytes = wanted * 60;
const ringBytes = Math.min(ringLimit, Math.max(128 << 20, 2 ** Math.ceil(Math.log2(wantedBytes))));
const pace = wantedBytes > ringLimit ? '25' : '0';
const home = openHome({
  STROBE_RING_BYTES_PER_THREAD: String(ringBytes),
  STROBE_RING_SLOTS: '4',
});
try {
  let product = await Product.start(home);
  const captured = [];
  for (let round = 0; round < (isLarge ? 2 : 5); round++) captured.push(await capture(product));
  const [other] = captured;
  const { sessionId, counters, calls } = captured.at(-1);
  const { rows: ends } = await product.call('debug_query', {
    view: 'sql',
    sessionId,
    sql: 'SELECT max(end_ns) FROM blocks',
  });
  const place = { sessionId, otherId: other.sessionId, endNs: Number(ends[0][0]) };
  const rows = [
    {
      what: 'calls in the session',
      value: Math.round(calls),
      note: `${counters.lost} of ${counters.seen} events lost`,
    },
    {
      what: 'launch to indexed',
      value: median(captured.map(({ rate }) => rate)),
      unit: 'calls/s',
      note: `includes launch and the run itself; ${captured.length} rounds`,
    },
  ];
  await product.close();
  home.stopDaemon();
  product = await Product.start(home);
  await product.call('debug_session', { action: 'list' });
  const longAnswer = await product.call('debug_query', {
    view: 'tree',
    sessionId: other.sessionId,
  });
  rows.push({ what: 'first long answer of a daemon', value: longAnswer.ms, unit: 'ms' });
  const { size } = statSync(join(home.path, 'sessions', sessionId, 'session.db'));
  rows.push({
    what: 'file, a call with two or three values',
    value: size / calls,
    unit: 'bytes',
    limit: '≤ 40 bytes',
  });
  const opened = await product.call('debug_query', { view: 'stats', sessionId });
  rows.push({ what: 'opening an old session', value: opened.ms, unit: 'ms', limit: '≤ 100 ms' });
  const pooled = [];
  for (const { what, limit, firstLimit, question } of questions) {
    const asked = placed(question, place);
    const first = await measureOnce(product, asked);
    if (firstLimit !== undefined)
      rows.push({ what: `${what}, first`, value: first, unit: 'ms', limit: `≤ ${firstLimit} ms` });
    const { times, note } = await measure(product, asked);
    if (limit === 20 && asked.view === 'events') pooled.push(...times);
    rows.push({
      what,
      value: quantile(times, 0.95),
      unit: 'ms',
      limit: limit === null ? '' : `≤ ${limit} ms`,
      note: `median ${median(times).toFixed(1)}, first ${first.toFixed(0)} ms${note && `; ${note}`}`,
    });
    console.log(`${what}: ${median(times).toFixed(1)} ms`);
  }
  rows.push({
    what: 'events that are wanted within 20 ms, together',
    value: quantile(pooled, 0.95),
    unit: 'ms',
    limit: '≤ 20 ms',
  });
  rows.push(await whileItRuns(product));
  const millions = Math.round(wanted / 1e6);
  // The limits are those of at most 10 million calls.
  if (millions > 10) for (const row of rows) delete row.limit;
  record(
    isLarge ? `query@${wanted}` : 'query',
    `Questions at ${millions === 1 ? 'a million' : `${millions} million`} calls, p95`,
    rows,
    isLarge ? `npm run bench:query -- --calls ${wanted}` : undefined,
  );
  await product.close();
} finally {
  home.close();
}

async function measureOnce(product, question) {
  const asked = performance.now();
  await product.call('debug_query', question).catch(() => null);
  return performance.now() - asked;
}
