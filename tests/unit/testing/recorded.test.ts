import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFrameworks, type TestFramework } from '../../../src/model/tests/testReport.ts';
import type { ReportSource, TestRequest } from '../../../src/testing/adapter.ts';
import { adapters } from '../../../src/testing/adapters.ts';
import { judge, Tally } from '../../../src/testing/tally.ts';
import { targetSource } from '../../support/targets.ts';

/*
 * Reports that real frameworks wrote for the projects in tests/targets/testing, read in pieces
 * that are cut anywhere.
 */
const request: TestRequest = {
  purpose: 'run',
  projectRoot: '/project',
  env: {},
  command: null,
  file: null,
  tests: null,
  level: null,
  reportFolder: '/no/such/folder',
  reporters: '/no/such/folder',
};

interface Recorded {
  readonly framework: TestFramework;
  readonly files: ReadonlyMap<ReportSource, string>;
  readonly end: { readonly code: number | null; readonly signal: string | null };
  /** passed/failed/skipped/expected failures and the verdict */
  readonly outcome: string;
  /** A failure: its name, its place and both sides; null where none is told. */
  readonly failure: readonly [name: string, place: string, sides: string] | null;
}

/** framework | stream: file, … | end | outcome | name of a failure | its place | its sides */
const table = String.raw`
catch2 | report: catch2-2.13.10.xml | 3 | 1/2/0/1 failed | area, with sides | catch2/area.cpp:19 | 2 3
catch2 | report: catch2-3.7.1.xml | 2 | 1/2/0/1 failed | area, with sides | ../catch2/area.cpp:19 | 2 3
catch2 | report: catch2-2.13.10-crash.xml | SIGSEGV | 1/3/0/1 crashed | crashes | catch2/area.cpp:36 | null null
googletest | stdout: googletest-1.12.1-crash.txt | SIGABRT | 1/3/1/0 crashed | Area.IsWrong | googleTest/area.cpp:16 | 6 5
googletest | stdout: googletest-1.17.0/stdout.txt | 1 | 3/3/2/0 failed | Area.IsWrong | googleTest/area.cpp:14 | 6 5
go | stdout: go-1.26.jsonl | 1 | 2/3/1/0 failed | TestPanics | /project/go/inner/panic_test.go:10 | null null
cargo | stdout: cargo-1.95.stdout.txt, stderr: cargo-1.95.stderr.txt | 101 | 3/5/1/0 failed | tests::is_wrong | src/lib.rs:29 | 6 5
cargo | stdout: cargo-1.95-abort.stdout.txt, stderr: cargo-1.95-abort.stderr.txt | 101 | 2/1/0/0 crashed | what_is_wanted_is_taken_until_none_is_left | src/double_priority_queue/mod.rs:951 | null null
cargo | stdout: cargo-1.95-broken.stdout.txt | 101 | 0/0/0/0 compileError
nextest | stdout: nextest-0.9.151.stdout.txt, stderr: nextest-0.9.151.stderr.txt | 100 | 2/5/1/0 failed | tests::is_wrong | src/lib.rs:29 | 6 5
bun | stdout: bun-1.4.5/stdout.txt, stderr: bun-1.4.5/stderr.txt | 1 | 2/2/2/0 failed | cart.test.js > Cart > sums up | cart.test.js:10 | 6 5
deno | stdout: deno-2.9.6/stdout.txt, stderr: deno-2.9.6/stderr.txt | 1 | 1/3/1/0 failed | cart.test.js > sums up > inner | cart.test.js:10 | null null
vitest | report: vitest-3.2.4.jsonl | 1 | 2/2/1/0 failed | Cart > adds up | /project/cart.test.js:1 | 6 2
vitest | report: vitest-4.1.12.jsonl | 1 | 2/2/1/0 failed | Cart > adds up | /project/cart.test.js:1 | 6 2
vitest | report: vitest-5.1.1.jsonl | 1 | 2/2/1/0 failed | Cart > adds up | /project/cart.test.js:1 | 6 2
jest | report: jest-29.7.0.jsonl | 1 | 2/2/1/0 failed | Cart > adds up | /project/cart.test.js:6 | 6 2
jest | report: jest-30.5.2.jsonl | 1 | 2/2/1/0 failed | Cart > adds up | /project/cart.test.js:6 | 6 2
mocha | report: mocha-11.8.0.jsonl | 1 | 2/2/1/0 failed | Cart > adds up | /project/test/cart.test.cjs: | 6 2
mocha | report: mocha-12.0.3.jsonl | 1 | 2/2/1/0 failed | Cart > adds up | /project/test/cart.test.cjs: | 6 2
node | report: node-20.20.2.jsonl | 1 | 2/2/1/0 failed | Cart > adds up | /project/suite.cjs:6 | 6 2
node | report: node-22.23.3.jsonl | 1 | 2/2/1/0 failed | Cart > adds up | /project/suite.cjs:6 | 6 2
node | report: node-24.21.0.jsonl | 1 | 2/2/1/0 failed | Cart > adds up | /project/suite.cjs:6 | 6 2
pytest | report: pytest-7.4.4.jsonl | 1 | 3/4/1/1 failed | tests/test_shop.py::test_total | /project/tests/test_shop.py:10 | 6 2
pytest | report: pytest-9.2.0.jsonl | 1 | 3/4/1/1 failed | tests/test_shop.py::test_total | /project/tests/test_shop.py:10 | 6 2
`;

/** In the order in which they are read. */
const sources = ['stderr', 'stdout', 'report'] as const;

function recordedIn(line: string): Recorded {
  const [name = '', streams = '', ended = '', outcome = '', ...failure] = line.split(' | ');
  const framework = testFrameworks.find((known) => known === name);
  if (!framework) throw new Error(`no framework is called ${name}`);
  const files = new Map<ReportSource, string>();
  for (const stream of streams.split(', ')) {
    const source = sources.find((known) => stream.startsWith(`${known}: `));
    if (!source) throw new Error(`neither a stream nor a report: ${stream}`);
    files.set(source, stream.slice(source.length + 2));
  }
  const [fails, place, sides] = failure;
  const end = ended.startsWith('SIG')
    ? { code: null, signal: ended }
    : { code: Number(ended), signal: null };
  const told = fails !== undefined && place !== undefined && sides !== undefined;
  return { framework, files, end, outcome, failure: told ? [fails, place, sides] : null };
}

/** Sizes of pieces: single bytes, odd ones, and all at once. */
const sizes = [1, 97, 4096, 1 << 20] as const;

const folder = targetSource('testing/recorded');

describe('[test.recorded] a recorded report of', () => {
  for (const { framework, files, end, outcome, failure } of table
    .trim()
    .split('\n')
    .map(recordedIn)) {
    const names = [...files.values()];
    test.each(sizes)(`${names.join(' and ')}, in pieces of %d bytes`, async (size) => {
      const [first = ''] = names;
      // What a runner wrote into a folder lies in the folder of its streams.
      const reportFolder = first.includes('/')
        ? join(folder, dirname(first))
        : request.reportFolder;
      const reader = adapters[framework].reader({ ...request, reportFolder }, {});
      const tally = new Tally();
      for (const source of sources) {
        const name = files.get(source);
        if (name === undefined) continue;
        const bytes = readFileSync(join(folder, name));
        for (let at = 0; at < bytes.length; at += size)
          for (const event of reader.feed(source, bytes.subarray(at, at + size)))
            tally.apply(event, 0);
      }
      const ended = { ...end, stopped: false };
      for (const event of await reader.end(ended)) tally.apply(event, 0);
      tally.interrupted(() => 'interrupted');
      const { passed, failed, skipped, expectedFailures } = tally.counts;
      const { verdict } = judge(tally, ended, 'itself');
      expect(`${[passed, failed, skipped, expectedFailures].join('/')} ${verdict}`).toBe(outcome);
      if (!failure) return;
      const [name, place, sides] = failure;
      const found = tally.failures.find((result) => result.name === name);
      expect(`${found?.file ?? ''}:${found?.line ?? ''}`).toBe(place);
      expect(`${found?.failure?.expected ?? 'null'} ${found?.failure?.actual ?? 'null'}`).toBe(
        sides,
      );
    });
  }
});
