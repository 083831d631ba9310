/* What the proofs of debug_test's diagnoses share: one call for a failed test, and whether it explains a known bug. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

export const mostMedian = 900;

/** The answer of a test run that explains what failed. */
export async function diagnosed(product, args) {
  let answer = await product.call('debug_test', { ...args, diagnose: true, waitMs: 50_000 });
  while (answer.state === 'running')
    answer = await product.call('debug_test', {
      action: 'wait',
      testRunId: answer.testRunId,
      timeoutMs: 50_000,
    });
  return answer;
}

/** The lines from where a function begins to its last one, by indentation; `last`: it has a closing line. */
export function linesOf(text, begins, last) {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => begins.test(line));
  const depth = lines[first].search(/\S/);
  const length = lines
    .slice(first + 1)
    .findIndex((line) => line.trim() !== '' && line.search(/\S/) <= depth);
  return [first + 1, length < 0 ? lines.length : first + 1 + length + (last ? 1 : 0)];
}

/** Whether a line of an answer names a place in these lines of a file. */
export function standsIn(line, file, [first, last]) {
  const places = line.matchAll(/([\w./-]+\.\w+):(\d+)/g);
  return [...places].some(
    ([, path, number]) =>
      (file === path || file.endsWith(`/${path}`)) && first <= number && number <= last,
  );
}

/**
 * Has one bug diagnosed and prints the outcome. It is explained when one of the three suspects `isGuilty`, and a line of
 * the diagnosis shows the `wrong` value. `facts`: further columns of its row.
 */
export async function judged(product, args, { id, kind, name, guilty, isGuilty, wrong, facts }) {
  const started = performance.now();
  const { text, ms: _ms, ...twin } = await diagnosed(product, args);
  const seconds = (performance.now() - started) / 1000;
  const lines = (twin.diagnoses ?? []).flatMap((one) => one.text.split('\n'));
  const rank = lines.filter((line) => /^ {2}[1-3]\. /.test(line)).findIndex(isGuilty) + 1;
  const shown = lines.find((line) => wrong.test(line));
  const failures = JSON.stringify(twin.failures ?? []);
  const row = {
    bug: `${id}: ${kind}`,
    ...facts,
    guilty,
    'the failure names it': new RegExp(`\\b${name}\\b`).test(failures) ? 'yes' : 'no',
    explained: rank > 0 && shown !== undefined ? 'yes' : 'NO',
    suspect: rank > 0 ? rank : 'NO',
    tokens: Math.max(countTokens(text), countTokens(JSON.stringify(twin))),
    seconds: seconds.toFixed(1),
    'wrong value': (shown ?? 'NO').trim().slice(0, 160),
  };
  console.log(`${row.explained.padEnd(4)} ${row.bug} (${row.tokens} tokens, ${row.seconds} s)`);
  return { row, text };
}

export function summary(rows) {
  const explained = rows.filter((row) => row.explained === 'yes').length;
  const hidden = rows.filter((row) => row['the failure names it'] === 'no').length;
  const median = rows.map((row) => row.tokens).toSorted((a, b) => a - b)[rows.length >> 1] ?? 0;
  return { explained, hidden, median };
}
