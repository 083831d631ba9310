/* A part of the tests of test262, for `npm test`: every N-th test, plain and rewritten; prints what came out as JSON. */
import { root } from '../../bench/support/record.mjs';
import { compareRuns, openRuns } from './test262.mjs';

const runs = openRuns(root, 'part');
try {
  const range = { first: 0, end: Infinity, every: Number(process.argv[2]) };
  console.log(JSON.stringify(await compareRuns(root, 'rewritten', range, runs)));
} finally {
  runs.close();
}
