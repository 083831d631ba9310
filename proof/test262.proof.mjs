/*
 * Tests of the JavaScript language from test262, plain and rewritten with every function traced: the same ends, the same
 * output. `--node=<program>` runs them with another Node.
 */
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';
import { compareRuns, openRuns } from './support/test262.mjs';

const STEP = 500;
/** Differences that are known, each with the reason: none. */
const declared = [];

const node = process.argv
  .find((argument) => argument.startsWith('--node='))
  ?.slice('--node='.length);
const place = { ...openRuns(root, 'proof'), ...(node ? { node } : {}) };
const rows = [];
try {
  const parts = [];
  for (let first = 0, tests = 1; first < tests; first += STEP) {
    const part = await compareRuns(
      root,
      'rewritten',
      { first, end: first + STEP },
      place,
      declared,
    );
    tests = part.tests;
    parts.push(part);
    process.stdout.write('.');
  }
  rows.push(rowOf(parts));
} finally {
  place.close();
}

function rowOf(parts) {
  const sum = (of) => parts.reduce((total, part) => total + of(part), 0);
  const differences = parts.flatMap((part) => part.differences);
  for (const { id, plain, rewritten } of differences)
    console.log(`\n${id}\n  ${plain}\n  ${rewritten}`);
  return {
    tests: parts[0].tests,
    runs: sum(({ runs }) => runs),
    'passed plain': sum(({ passed }) => passed),
    differences: differences.length,
    calls: sum(({ tally }) => tally.entered),
    'hooks called wrongly': sum(({ tally }) => tally.wrong),
    'texts left alone': counted(parts.flatMap(({ refused }) => refused)),
    'functions left alone': counted(parts.flatMap(({ left }) => left)),
  };
}

/** How often each reason, with one example. */
function counted(all) {
  const reasons = new Map();
  for (const { id, why } of all) {
    const reason = why.replace(/\(\d+:\d+\)/, '').trim();
    reasons.set(reason, [...(reasons.get(reason) ?? []), id]);
  }
  return (
    [...reasons]
      .map(([why, ids]) => `${ids.length} × ${why} (${ids[0].split('/').at(-1)})`)
      .join('; ') || 'none'
  );
}

const differences = rows.reduce((sum, row) => sum + row.differences, 0);
const wrong = rows.reduce((sum, row) => sum + row['hooks called wrongly'], 0);
recordRows(
  'test262',
  `${rows[0].tests} tests of the language run plain and rewritten: ${differences} differences`,
  rows,
);
console.log(`\n${JSON.stringify(rows, null, 2)}`);
if (differences > 0 || wrong > 0) process.exitCode = 1;
