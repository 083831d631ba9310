/*
 * Questions to a large session (16 million events): each that takes more than a second reports its progress each second,
 * and one that is cancelled frees the session within half a second. CALLS: so many calls instead of eight million.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { buildProgram } from '../bench/support/build.mjs';
import { Product, openHome } from '../bench/support/product.mjs';
import { recordRows } from './support/record.mjs';

const calls = Number(process.env.CALLS ?? 8_000_000);
/** What a customer of `many` makes in calls, both threads together. */
const callsPerCustomer = 39.15;
const freedWithinMs = 500;
const mostBetweenMs = 2000;
/** A question is cancelled while it works: after so long, or half of what it takes. */
const workMs = 250;

/** Each looks at every call, as far as its view can. */
const questions = {
  'events by text': { view: 'events', text: 'nowhere to be found' },
  'events by argument': { view: 'events', argument: [{ name: 'cents', equals: 123_456_789 }] },
  'events where': { view: 'events', where: 'return > cents + 1' },
  tree: { view: 'tree' },
  'tree by argument': { view: 'tree', argument: [{ name: 'amount', gt: 6 }] },
  'tree where': { view: 'tree', where: 'return > cents + 1' },
  'stats where': { view: 'stats', where: 'return > cents + 1' },
  'tree in order': { view: 'tree', order: 'calls', text: 'nowhere to be found' },
  stats: { view: 'stats', argument: [{ name: 'amount', gt: 4 }] },
  diff: { view: 'diff', timeTo: 2e9, other: { timeFrom: 2e9, timeTo: 4e9 } },
  changes: { view: 'changes' },
  output: { view: 'output', match: '/c.*u.*s.*t.*zzz/' },
  crash: { view: 'crash' },
  sql: {
    view: 'sql',
    sql: 'SELECT count(*) FROM calls a, calls b WHERE a.duration_ns = b.duration_ns AND a.id < b.id',
  },
};

const home = openHome();
try {
  const program = buildProgram('many', ['bench/targets/many.cpp']);
  const product = await Product.start(home);
  const customers = String(Math.round(calls / callsPerCustomer));
  const patterns = [{ pattern: 'shop::**', sampling: 'off' }];
  const { sessionId } = await product.launch(program, [customers], patterns);
  await product.waitForExit(sessionId);
  for (;;) {
    const { text, counters } = await product.call('debug_query', { view: 'stats', sessionId });
    if (!text.includes('The index is')) {
      console.log(`events: ${JSON.stringify(counters)}`);
      break;
    }
    await pause(500);
  }
  const rows = [];
  const ask = (name, args, onProgress) => {
    product.onProgress = onProgress;
    const _meta = { progressToken: name };
    return product.begin('tools/call', { name, arguments: { sessionId, ...args }, _meta });
  };
  const check = async (what, tool, args) => {
    const began = performance.now();
    let last = began;
    let [longest, messages] = [0, 0];
    const told = () => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
      messages += 1;
    };
    const answer = await ask(tool, args, told).answer;
    const isLimit = answer.isError && answer.content[0].text.startsWith('TIMED_OUT');
    if (answer.isError && !isLimit) throw new Error(`${what}: ${answer.content[0].text}`);
    const wholeMs = performance.now() - began;
    longest = Math.max(longest, performance.now() - last);
    const { cancel } = ask(tool, args, () => undefined);
    await pause(Math.min(workMs, wholeMs / 2));
    cancel();
    const cancelled = performance.now();
    await product.call('debug_query', { view: 'output', sessionId, tail: 1 });
    const freedMs = performance.now() - cancelled;
    const isRight = freedMs <= freedWithinMs && longest <= mostBetweenMs;
    rows.push({
      question: what,
      'answered after (ms)': Math.round(wholeMs),
      'progress messages': messages,
      'longest silence (ms)': Math.round(longest),
      'free after a cancel (ms)': Math.round(freedMs),
      sound: isRight ? 'yes' : 'no',
    });
    console.log(JSON.stringify(rows.at(-1)));
  };
  for (const [what, args] of Object.entries(questions)) await check(what, 'debug_query', args);
  const path = `${home.project}/all.jsonl`;
  await check('export', 'debug_session', {
    action: 'export',
    format: 'jsonl',
    path,
    overwrite: true,
  });
  await product.close();
  const sound = rows.filter(({ sound: is }) => is === 'yes').length;
  const verdict = `${sound} of ${rows.length} questions to ${(2 * calls).toLocaleString('en')} events report each second and free the session within ${freedWithinMs} ms of a cancel`;
  if (process.env.CALLS === undefined) recordRows('cancel', verdict, rows);
  console.log(verdict);
  if (sound < rows.length) process.exitCode = 1;
} finally {
  home.close();
}
