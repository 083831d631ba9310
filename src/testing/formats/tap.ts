import type { TestEvent, TestOutcome, TestResult } from '../../model/tests/testReport.ts';
import { plainText } from './plainText.ts';

const point = /^(not )?ok\b(?: +(\d+))?(?: *- *| +)?(.*)$/;
const plan = /^1\.\.(\d+)(?:\s*#\s*(.*))?$/;

/** The begin of a subtest, or a line of one (TAP 14, "Subtests"). */
const subtest = /^\s*# Subtest\b|^ {4,}(?:(?:not )?ok\b|1\.\.\d|TAP version )/;

interface Open {
  readonly result: TestResult;
  readonly detail: string[];
  inBlock: boolean;
}

/**
 * TAP 12 to 14, top level: what a subtest says is summed up in its parent's line. Text counts as
 * TAP from its version line or its plan on; before that a line `ok 1 - x` begins it too.
 */
export class TapLines {
  #isTap = false;
  #open: Open | null = null;
  #count = 0;
  #planned: number | null = null;
  #bailed: string | null = null;

  /** The text was TAP. */
  get isTap(): boolean {
    return this.#isTap;
  }

  push(line: string): TestEvent[] {
    // What follows belongs to a test that is told later.
    if (subtest.test(line) && this.#open?.inBlock !== true) return this.#close();
    if (this.#open && this.#takeDetail(this.#open, line)) return [];
    if (/^TAP version 1[2-4]\s*$/.test(line)) {
      this.#isTap = true;
      return [];
    }
    const planned = plan.exec(line);
    if (planned) {
      this.#isTap = true;
      this.#planned = Number(planned[1]);
      return [{ kind: 'expected', count: this.#planned }];
    }
    const bail = /^Bail out!\s*(.*)$/.exec(line);
    if (bail && this.#isTap) {
      this.#bailed = bail[1] ?? '';
      return [...this.#close(), { kind: 'trouble', text: line }];
    }
    const found = point.exec(line);
    if (!found || (!this.#isTap && found[2] === undefined)) return [];
    this.#isTap = true;
    const closed = this.#close();
    this.#count += 1;
    this.#open = { result: resultOf(found, this.#count), detail: [], inBlock: false };
    return closed;
  }

  end(): TestEvent[] {
    const events = this.#close();
    if (!this.#isTap) return events;
    if (this.#planned !== null && this.#planned !== this.#count && this.#bailed === null)
      events.push({
        kind: 'trouble',
        text: `TAP announced ${this.#planned} tests but reported ${this.#count}.`,
      });
    else if (this.#bailed === null) events.push({ kind: 'complete' });
    return events;
  }

  #takeDetail(open: Open, line: string): boolean {
    if (/^\s+---\s*$/.test(line)) {
      open.inBlock = true;
      return true;
    }
    if (/^\s+\.\.\.\s*$/.test(line)) {
      open.inBlock = false;
      return true;
    }
    if (!open.inBlock && !/^(#|\s+\S)/.test(line)) return false;
    if (open.detail.length < 200) open.detail.push(line.replace(/^(# ?|\s{2})/, ''));
    return true;
  }

  #close(): TestEvent[] {
    const open = this.#open;
    this.#open = null;
    if (!open) return [];
    const { result, detail } = open;
    if (!result.failure) return [{ kind: 'finished', result }];
    const text = plainText(detail.join('\n'));
    const value = (...names: string[]): string | null => yamlValue(detail, names);
    const at = /['"]?([^'"\s]+?):(\d+)(?::\d+)?['"]?$/.exec(value('at', 'location') ?? '');
    return [
      {
        kind: 'finished',
        result: {
          ...result,
          file: at?.[1] ?? value('file'),
          line: at?.[2] === undefined ? null : Number(at[2]),
          failure: {
            ...result.failure,
            message: value('message', 'error') ?? (text || result.failure.message),
            expected: value('expected', 'wanted'),
            actual: value('actual', 'found', 'got'),
            output: text,
          },
        },
      },
    ];
  }
}

/**
 * The format's two directives (TAP 14, "Directives"), words of whoever writes the report and no notes of
 * ours: a test that did not run, one that is known to fail.
 */
const directiveWord = /(?:^|\s+)#\s*(SKIP|TODO\b)\w*\s*/i; // words of TAP, not of ours

function outcomeOf(hasFailed: boolean, directive: string): TestOutcome {
  if (directive === 'SKIP') return 'skipped';
  if (!hasFailed) return 'passed';
  return directive === '' ? 'failed' : 'expectedFailure';
}

function resultOf(found: RegExpExecArray, count: number): TestResult {
  const [described = '', directive = '', told = ''] = (found[3] ?? '').split(directiveWord);
  const name = described.trim() || `test ${found[2] ?? count}`;
  const reason = told.trim() || null;
  const outcome = outcomeOf(found[1] !== undefined, directive.toUpperCase());
  return {
    id: `${found[2] ?? count} ${name}`,
    name,
    file: null,
    line: null,
    outcome,
    durationMs: null,
    reason,
    failure:
      outcome === 'failed'
        ? { message: 'not ok', expected: null, actual: null, frames: [], output: '' }
        : null,
  };
}

/** The value of a plain `key: value` line of a YAML block, quotes taken off. */
function yamlValue(lines: readonly string[], names: readonly string[]): string | null {
  for (const line of lines) {
    const found = /^\s*(\w+):\s*(\S.*)$/.exec(line);
    if (found && names.includes(found[1] ?? '') && !/^[|>]-?$/.test(found[2] ?? ''))
      return (found[2] ?? '').replace(/^(['"])(.*)\1$/, '$2');
  }
  return null;
}
