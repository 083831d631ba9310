'use strict';
// A reporter for Jest 27 and later.
const { join } = require('node:path'); // oxlint-disable-line typescript/unbound-method -- it needs no this
const { write, idOf, framesOf, shortened, side, broken } = require('./strobeEvents.cjs');

const tellTests = join(__dirname, 'strobeJestTests.cjs');

class StrobeJest {
  constructor() {
    /** Full names of cases that were told, by file: several files run at a time. */
    this.told = new Map();
    this.empty = [];
    this.hasTests = false;
  }

  onRunStart() {
    write('process', { pid: process.pid });
    write('phase', { phase: 'running' });
  }

  /** Before its file is run, here or in another process. */
  onTestFileStart({ context }) {
    const { setupFilesAfterEnv } = context.config;
    // Only what is traced has whom to tell which test runs.
    if (typeof globalThis.$strobe !== 'function' || setupFilesAfterEnv.includes(tellTests)) return;
    setupFilesAfterEnv.unshift(tellTests);
  }

  onTestCaseStart(test, info) {
    write('started', {
      id: idOf(test.path, [...info.ancestorTitles, info.title]),
      file: test.path,
    });
  }

  onTestCaseResult(test, result) {
    const told = this.told.get(test.path) || new Set();
    this.told.set(test.path, told.add(result.fullName));
    this.tell(test.path, result, '');
  }

  onTestResult(test, testResult) {
    const output = (testResult.console || []).map((line) => line.message).join('\n');
    // Skipped cases were not told yet (with jest-jasmine2 none), failed ones without their output.
    const told = this.told.get(test.path) || new Set();
    for (const result of testResult.testResults) {
      if (result.status === 'failed' || !told.has(result.fullName))
        this.tell(test.path, result, result.status === 'failed' ? output : '');
    }
    this.told.delete(test.path);
    if (testResult.testExecError) this.broken(test.path, testResult);
  }

  onRunComplete() {
    // A run of nothing but such files has no tests, which is told as that.
    if (this.hasTests)
      for (const path of this.empty) write('trouble', { text: `${path} has no test` });
    write('complete', {});
  }

  tell(path, result, output) {
    this.hasTests = true;
    const outcomes = {
      passed: 'passed',
      failed: 'failed',
      pending: 'skipped',
      skipped: 'skipped',
      todo: 'skipped',
      disabled: 'skipped',
    };
    const isExpected = result.failing && result.status === 'passed';
    const outcome = isExpected ? 'expectedFailure' : outcomes[result.status];
    if (outcome === undefined) return;
    const isRetried = outcome === 'passed' && (result.invocations || 1) > 1;
    if (isRetried) this.tell(path, { ...result, status: 'failed', invocations: 1 }, '');
    write('finished', {
      id: idOf(path, [...result.ancestorTitles, result.title]),
      name: [...result.ancestorTitles, result.title].join(' > '),
      file: path,
      line: result.location ? result.location.line : null,
      outcome,
      durationMs: result.duration ?? null,
      reason: result.status === 'todo' ? 'todo' : null,
      failure: outcome === 'failed' ? jestFailure(result, output) : undefined,
    });
  }

  /** A file that could not be run at all. */
  broken(path, testResult) {
    const id = idOf(path, []);
    const { message, stack } = testResult.testExecError;
    const text = shortened(
      testResult.failureMessage || stack || message || 'the file could not be run',
    );
    if (/must contain at least one test/.test(text)) {
      this.empty.push(path);
      return;
    }
    const failure = {
      message: String(message || text)
        .split('\n')
        .slice(0, 12)
        .join('\n'),
      frames: framesOf(stack),
      output: text,
    };
    broken({ id, file: path, error: testResult.testExecError, failure, text });
  }
}

function jestFailure(result, output) {
  const text = (result.failureMessages || [])[0] || 'failed';
  const stackAt = text.search(/\n\s+at /);
  const detail = (result.failureDetails || [])[0] || {};
  const matcher = detail.matcherResult || (detail.error && detail.error.matcherResult);
  const isCompared = matcher && matcher.expected !== undefined && matcher.actual !== undefined;
  return {
    message: shortened(
      (stackAt < 0 ? text : text.slice(0, stackAt)).replace(/^Error: (?=\S*expect)/, ''),
    ),
    expected: isCompared ? side(matcher.expected) : null,
    actual: isCompared ? side(matcher.actual) : null,
    frames: framesOf(text),
    output,
  };
}

module.exports = StrobeJest;
