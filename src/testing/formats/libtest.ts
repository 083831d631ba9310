import type {
  TestEvent,
  TestFailure,
  TestFrame,
  TestResult,
} from '../../model/tests/testReport.ts';
import { rustSides } from './comparison.ts';
import { mostOutput, plainText, tailOf } from './plainText.ts';

/*
 * The text of Rust's test harness (libtest, "pretty" format). Its JSON needs a nightly compiler;
 * the text has kept its shape since 2015:
 *
 *   running 2 tests
 *   test a::works ... ok
 *   test a::fails ... FAILED
 *   (blank) failures: (blank)
 *   ---- a::fails stdout ----
 *   <captured output with the panic in it>
 *   failures:
 *       a::fails
 *   test result: FAILED. 1 passed; …
 *
 * With one thread the line of a test is begun before it runs, and what it writes past the capture
 * stands in it.
 */

/** Names a test of one binary. */
export interface LibtestNames {
  id(test: string): string;
  path(told: string): string;
}

const outcome = /^test (.+?)(?: - should panic(?: - compile fail| - compile)?)? \.\.\. (.*)$/;
const header = /^---- (.+?) (?:stdout|stderr) ----$/;

export class LibtestLines {
  #names: LibtestNames;
  #begun: string | null = null;
  #block: { readonly test: string; readonly lines: string[] } | null = null;

  constructor(names: LibtestNames) {
    this.#names = names;
  }

  /** Another binary's output begins. */
  rename(names: LibtestNames): void {
    this.#names = names;
  }

  push(line: string): TestEvent[] {
    const block = header.exec(line);
    if (block) {
      const closed = this.#closeBlock();
      this.#block = { test: block[1] ?? '', lines: [] };
      return closed;
    }
    if (this.#block) {
      if (line !== 'failures:' && !line.startsWith('test result: ')) {
        if (this.#block.lines.length < 2000) this.#block.lines.push(line);
        return [];
      }
      return this.#closeBlock();
    }
    const count = /^running (\d+) tests?$/.exec(line)?.[1];
    if (count !== undefined) return [{ kind: 'expected', count: Number(count) }];
    return this.#outcome(line);
  }

  end(): TestEvent[] {
    return this.#closeBlock();
  }

  #outcome(line: string): TestEvent[] {
    const found = outcome.exec(line);
    if (found) {
      const result = this.#result(found[1] ?? '', found[2] ?? '');
      if (result) return [result];
      this.#begun = found[1] ?? '';
      return [{ kind: 'started', id: this.#names.id(this.#begun), file: null }];
    }
    if (this.#begun === null) return [];
    const late = /(ok|FAILED)$/.exec(line)?.[1];
    const result = late === undefined ? null : this.#result(this.#begun, late);
    if (!result) return [];
    this.#begun = null;
    return [result];
  }

  #result(test: string, word: string): TestEvent | null {
    const base = { id: this.#names.id(test), name: test, file: null, line: null, durationMs: null };
    if (word === 'ok' || word.startsWith('bench:'))
      return finished({ ...base, outcome: 'passed', reason: null, failure: null });
    const ignored = /^ignored(?:, (.*))?$/.exec(word);
    if (ignored)
      return finished({ ...base, outcome: 'skipped', reason: ignored[1] ?? null, failure: null });
    // Its block comes after the last test and replaces this.
    return word === 'FAILED' || word.startsWith('FAILED')
      ? finished({ ...base, outcome: 'failed', reason: null, failure: unexplained })
      : null;
  }

  #closeBlock(): TestEvent[] {
    const block = this.#block;
    this.#block = null;
    if (!block) return [];
    const { failure, place } = panicFailure(block.lines, (told) => this.#names.path(told));
    return [
      finished({
        id: this.#names.id(block.test),
        name: block.test,
        file: place?.file ?? null,
        line: place?.line ?? null,
        outcome: 'failed',
        durationMs: null,
        reason: null,
        failure,
      }),
    ];
  }
}

/** What is known of a failure that left no word. */
export const unexplained: TestFailure = {
  message: 'failed',
  expected: null,
  actual: null,
  frames: [],
  output: '',
};

export function finished(result: TestResult): TestEvent {
  return { kind: 'finished', result };
}

const panic = /^thread '.*?'(?: \(\d+\))? panicked at (?:'(.*)', )?(\S.*?):(\d+):(\d+):?$/;

/** What a captured output with a panic in it tells. */
export function panicFailure(
  lines: readonly string[],
  path: (told: string) => string,
): { readonly failure: TestFailure; readonly place: TestFrame | null } {
  const at = lines.findIndex((line) => panic.test(line));
  const found = at < 0 ? null : panic.exec(lines[at] ?? '');
  if (!found) {
    const text = plainText(lines.join('\n').trim());
    const note = /^note: (test did not panic as expected.*?)(?: at (\S+?):(\d+):\d+)?$/m.exec(text);
    const error = /^Error: .*$/m.exec(text)?.[0];
    const place =
      note?.[2] === undefined
        ? null
        : { function: null, file: path(note[2]), line: Number(note[3]) };
    const message = note?.[1] ?? error ?? (text || 'failed');
    const output = message === text ? '' : tailOf(text, mostOutput);
    return { failure: { ...unexplained, message, output }, place };
  }
  const rest = lines.slice(at + 1);
  const until = rest.findIndex((line) => /^(stack backtrace:|note: run with)/.test(line));
  const said = (until < 0 ? rest : rest.slice(0, until)).join('\n').trim();
  const message = plainText(found[1] ?? said);
  const place = { function: null, file: path(found[2] ?? ''), line: Number(found[3]) };
  const frames = backtrace(rest, path);
  return {
    failure: {
      message: message || 'panicked',
      ...rustSides(message),
      frames: frames.length > 0 ? frames : [place],
      output: tailOf(plainText(lines.slice(0, at).join('\n').trim()), mostOutput),
    },
    place,
  };
}

/** Frames of a backtrace with a place, the panic machinery left out. */
function backtrace(lines: readonly string[], path: (told: string) => string): TestFrame[] {
  const frames: TestFrame[] = [];
  let name: string | null = null;
  for (const line of lines) {
    const called = /^\s+\d+: (?:0x[0-9a-f]+ - )?(.+)$/.exec(line)?.[1];
    if (called !== undefined) name = called;
    const at = /^\s+at (.+?):(\d+)(?::\d+)?$/.exec(line);
    if (!at || name === null) continue;
    if (/^\/rustc\/|\/native\/engine\//.test(at[1] ?? '') || name.endsWith('::{{closure}}'))
      continue;
    frames.push({ function: name, file: path(at[1] ?? ''), line: Number(at[2]) });
    name = null;
  }
  return frames;
}
