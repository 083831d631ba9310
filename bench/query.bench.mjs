/* Questions to a session of about a million calls, through the real proxy and daemon; ingest rate. */
import { buildProgram } from './support/build.mjs';
import { median, quantile } from './support/numbers.mjs';
import { Product, openHome } from './support/product.mjs';
import { record } from './support/record.mjs';

const rounds = 21;
const program = buildProgram('many', ['bench/targets/many.cpp']);

/** Reads each call of the session; has a limit of its own. */
const wholeTree = 'tree of everything';

const questions = {
  'stats (counters)': { view: 'stats' },
  'stats with a filter (scan)': { view: 'stats', argument: [{ name: 'amount', gt: 4 }] },
  [wholeTree]: { view: 'tree', maxDepth: 4 },
  'tree of one call': { view: 'tree', root: 'c1.5000' },
  'events, first page': { view: 'events' },
  'events of one function': { view: 'events', function: { equals: 'shop::visit' } },
  'events, exception': {
    view: 'events',
    function: { equals: 'shop::pay' },
    argument: [{ name: 'cents', equals: 777777 }],
  },
  'events by text of an argument': {
    view: 'events',
    argument: [{ name: 'item', equals: 'xylophone' }],
  },
  'events, rare: argument range': {
    view: 'events',
    function: { equals: 'shop::visit' },
    argument: [{ name: 'customer', gt: 25990 }],
  },
  'events, none': {
    view: 'events',
    function: { equals: 'shop::price' },
    returnValue: { gt: 1000 },
  },
  'events by returned value': {
    view: 'events',
    function: { pattern: 'shop::buy' },
    returnValue: { equals: -1 },
  },
  'events, slowest': { view: 'events', minDurationNs: 1_000_000 },
  'events, last 5 ms of a thread': {
    view: 'events',
    timeFrom: '-5ms',
    threadName: { equals: 'till-two' },
  },
  'full text': { view: 'events', text: 'rye' },
  output: { view: 'output', match: 'odd sum' },
};

// Rings that hold the whole run: what is measured is how fast it is stored, not what a burst loses.
const home = openHome({ STROBE_RING_BYTES_PER_THREAD: String(128 << 20), STROBE_RING_SLOTS: '4' });
try {
  const product = await Product.start(home);
  const ingest = [];
  let sessionId;
  let counters;
  for (let round = 0; round < 5; round++) {
    const launched = await product.launch(
      program,
      ['26000'],
      [{ pattern: 'shop::**', sampling: 'off' }],
    );
    const asked = performance.now();
    sessionId = launched.sessionId;
    await product.waitForExit(sessionId);
    let behind = true;
    while (behind) {
      const stats = await product.call('debug_query', { view: 'stats', sessionId });
      counters = stats.counters;
      behind = stats.indexedTo !== null;
    }
    ingest.push(counters.stored / 2 / ((performance.now() - asked + launched.ms) / 1000));
  }
  const all = [];
  const rows = [
    {
      what: 'calls in the session',
      value: Math.round(counters.stored / 2),
      note: `${counters.lost} of ${counters.seen} events lost`,
    },
    {
      what: 'launch to indexed',
      value: median(ingest),
      unit: 'calls/s',
      note: 'includes launch and the run itself; 5 rounds',
    },
  ];
  for (const [what, question] of Object.entries(questions)) {
    const times = [];
    await product.call('debug_query', { ...question, sessionId });
    for (let round = 0; round < rounds; round++)
      times.push((await product.call('debug_query', { ...question, sessionId })).ms);
    if (what !== wholeTree) all.push(...times);
    rows.push({
      what,
      value: median(times),
      unit: 'ms',
      note: `p95 ${quantile(times, 0.95).toFixed(1)} ms`,
      ...(what === wholeTree ? { limit: '≤ 300 ms' } : {}),
    });
  }
  rows.push({ what: 'all but the whole tree, p50', value: quantile(all, 0.5), unit: 'ms' });
  rows.push({
    what: 'all but the whole tree, p95',
    value: quantile(all, 0.95),
    unit: 'ms',
    limit: '≤ 20 ms',
  });
  record('query', 'Questions at a million calls', rows);
  await product.close();
} finally {
  home.close();
}
