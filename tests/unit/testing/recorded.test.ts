import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestFramework } from '../../../src/model/testRun.ts';
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
  readonly files: Partial<Record<ReportSource, string>>;
  /** Holds the file that is read at the end, where there is one. */
  readonly folder?: string;
  readonly code: number | null;
  readonly signal?: string;
  /** passed/failed/skipped/expected failures */
  readonly counts: string;
  readonly verdict: string;
  /** A failure with its place and both sides. */
  readonly failure: readonly [name: string, place: string, sides: string] | null;
}

const recorded: readonly Recorded[] = [
  {
    framework: 'catch2',
    files: { report: 'catch2-2.13.10.xml' },
    code: 3,
    counts: '1/2/0/1',
    verdict: 'failed',
    failure: ['area, with sides', 'catch2/area.cpp:19', '2 3'],
  },
  {
    framework: 'catch2',
    files: { report: 'catch2-3.7.1.xml' },
    code: 2,
    counts: '1/2/0/1',
    verdict: 'failed',
    failure: ['area, with sides', '../catch2/area.cpp:19', '2 3'],
  },
  {
    framework: 'catch2',
    files: { report: 'catch2-2.13.10-crash.xml' },
    code: null,
    signal: 'SIGSEGV',
    counts: '1/3/0/1',
    verdict: 'crashed',
    failure: ['crashes', 'catch2/area.cpp:36', 'null null'],
  },
  {
    framework: 'googletest',
    files: { stdout: 'googletest-1.12.1-crash.txt' },
    code: null,
    signal: 'SIGABRT',
    counts: '1/3/1/0',
    verdict: 'crashed',
    failure: ['Area.IsWrong', 'googleTest/area.cpp:16', '6 5'],
  },
  {
    framework: 'go',
    files: { stdout: 'go-1.26.jsonl' },
    code: 1,
    counts: '2/3/1/0',
    verdict: 'failed',
    failure: ['TestPanics', '/project/go/inner/panic_test.go:10', 'null null'],
  },
  {
    framework: 'cargo',
    files: { stdout: 'cargo-1.95.stdout.txt', stderr: 'cargo-1.95.stderr.txt' },
    code: 101,
    counts: '3/5/1/0',
    verdict: 'failed',
    failure: ['tests::is_wrong', 'src/lib.rs:29', '6 5'],
  },
  {
    framework: 'cargo',
    files: { stdout: 'cargo-1.95-broken.stdout.txt' },
    code: 101,
    counts: '0/0/0/0',
    verdict: 'compileError',
    failure: null,
  },
  {
    framework: 'bun',
    files: { stdout: 'bun-1.4.5/stdout.txt', stderr: 'bun-1.4.5/stderr.txt' },
    folder: 'bun-1.4.5',
    code: 1,
    counts: '2/2/2/0',
    verdict: 'failed',
    failure: ['cart.test.js > Cart > sums up', 'cart.test.js:10', '6 5'],
  },
  {
    framework: 'deno',
    files: { stdout: 'deno-2.9.6/stdout.txt', stderr: 'deno-2.9.6/stderr.txt' },
    folder: 'deno-2.9.6',
    code: 1,
    counts: '1/3/1/0',
    verdict: 'failed',
    failure: ['cart.test.js > sums up > inner', 'cart.test.js:10', 'null null'],
  },
  ...['7.4.4', '9.2.0'].map((version): Recorded => ({
    framework: 'pytest',
    files: { report: `pytest-${version}.jsonl` },
    code: 1,
    counts: '3/4/1/1',
    verdict: 'failed',
    failure: ['tests/test_shop.py::test_total', '/project/tests/test_shop.py:10', '6 2'],
  })),
];

/** Sizes of pieces: single bytes, odd ones, and all at once. */
const sizes = [1, 97, 4096, 1 << 20] as const;

describe('[test.recorded] a recorded report of', () => {
  for (const one of recorded) {
    const names = Object.values(one.files).join(' and ');
    test.each(sizes)(`${names}, in pieces of %d bytes`, async (size) => {
      const {
        framework,
        files,
        folder = 'none',
        code,
        signal = null,
        counts,
        verdict,
        failure,
      } = one;
      const reportFolder = join(targetSource('testing/recorded'), folder);
      const reader = adapters[framework].reader({ ...request, reportFolder });
      const tally = new Tally();
      for (const source of ['stderr', 'stdout', 'report'] as const) {
        const name = files[source];
        if (name === undefined) continue;
        const bytes = readFileSync(join(targetSource('testing/recorded'), name));
        for (let at = 0; at < bytes.length; at += size)
          for (const event of reader.feed(source, bytes.subarray(at, at + size)))
            tally.apply(event, 0);
      }
      const end = { code, signal, stopped: false };
      for (const event of await reader.end(end)) tally.apply(event, 0);
      tally.interrupted(() => 'interrupted');
      const { passed, failed, skipped, expectedFailures } = tally.counts;
      expect([passed, failed, skipped, expectedFailures].join('/')).toBe(counts);
      expect(judge(tally, end, 'itself').verdict).toBe(verdict);
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
