import type { TestFailure, TestResult } from '../../model/tests/testReport.ts';
import { mostOutput, plainText, tailOf } from './plainText.ts';
import { XmlStream } from './xml.ts';

/*
 * JUnit's XML has no standard; this reads what pytest, CTest, Maven, jest-junit, gotestsum,
 * GoogleTest and others agree on:
 *
 *   testsuites? > testsuite* > testcase(name classname time file? line? status?)
 *     > failure | error (message type, text) | skipped (message) | system-out | system-err
 *
 * `error` is a failure too. A testsuite may hold testsuites.
 */
interface Case {
  readonly name: string;
  readonly className: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly seconds: number | null;
  /** Some runners tell each failed assertion of a test. */
  readonly failures: { readonly message: string; text: string }[];
  skipped: string | null;
  output: string;
}

/**
 * The tests of a JUnit report; null when the bytes are none. Names are made unique, with `perFile`
 * only among the tests of a file: whoever asks so puts the file before them.
 */
export function readJunit(bytes: Buffer, perFile = false): TestResult[] | null {
  const reader = new JunitReader(perFile);
  const stream = new XmlStream(reader);
  stream.push(bytes);
  stream.end();
  return reader.isReport ? reader.results : null;
}

class JunitReader {
  readonly results: TestResult[] = [];
  readonly #perFile: boolean;
  readonly #ids = new Set<string>();
  isReport = false;
  #case: Case | null = null;
  #text = '';

  constructor(perFile: boolean) {
    this.#perFile = perFile;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#text = '';
    if (name === 'testsuite' || name === 'testsuites') this.isReport = true;
    else if (name === 'testcase') this.#case = caseOf(attributes);
    else if (this.#case && (name === 'failure' || name === 'error'))
      this.#case.failures.push({ message: attributes['message'] ?? '', text: '' });
    else if (this.#case && name === 'skipped') this.#case.skipped = attributes['message'] ?? '';
  }

  text(text: string): void {
    if (this.#case && this.#text.length < 1 << 20) this.#text += text;
  }

  close(name: string): void {
    const one = this.#case;
    if (!one) return;
    const failure = one.failures.at(-1);
    if ((name === 'failure' || name === 'error') && failure) failure.text ||= this.#text.trim();
    else if (name === 'skipped') one.skipped ||= this.#text.trim();
    else if (name === 'system-out' || name === 'system-err') one.output += this.#text;
    else if (name === 'testcase') {
      this.results.push(resultOf(one, this.#unique(one)));
      this.#case = null;
    }
    this.#text = '';
  }

  #unique(one: Case): string {
    const stem = one.className === '' ? one.name : `${one.className}.${one.name}`;
    const scope = this.#perFile ? `${one.file ?? ''}\n` : '';
    let id = stem;
    for (let n = 2; this.#ids.has(scope + id); n += 1) id = `${stem} #${n}`;
    this.#ids.add(scope + id);
    return id;
  }
}

function caseOf(attributes: Readonly<Record<string, string>>): Case {
  const status = attributes['status'] ?? '';
  return {
    name: attributes['name'] ?? '',
    className: attributes['classname'] ?? '',
    file: attributes['file'] ?? null,
    line: numberOf(attributes['line']),
    seconds: numberOf(attributes['time']),
    failures: status === 'fail' ? [{ message: '', text: '' }] : [],
    skipped: status === 'notrun' || status === 'disabled' ? '' : null,
    output: '',
  };
}

function numberOf(text: string | undefined): number | null {
  const value = Number(text?.replaceAll(',', ''));
  return text === undefined || text === '' || Number.isNaN(value) ? null : value;
}

function resultOf(one: Case, id: string): TestResult {
  const failure = failureOf(one);
  return {
    id,
    name: id,
    file: one.file,
    line: one.line,
    outcome: failure ? 'failed' : one.skipped === null ? 'passed' : 'skipped',
    durationMs: one.seconds === null ? null : one.seconds * 1000,
    reason: failure ? null : one.skipped || null,
    failure,
  };
}

function failureOf({ failures, output }: Case): TestFailure | null {
  if (failures.length === 0) return null;
  const messages = failures.map(({ message, text }) => message || text).filter((one) => one !== '');
  const texts = [...failures.map(({ text }) => text), output].filter((part) => part !== '');
  return {
    message: plainText(messages.join('\n') || 'failed without a message'),
    expected: null,
    actual: null,
    frames: [],
    output: tailOf(plainText(texts.join('\n')), mostOutput),
  };
}
