import type { TestEvent } from '../../model/tests/testReport.ts';
import type { ReportSource } from '../adapter.ts';
import { TextLines } from './textLines.ts';

type LineReader = (line: string) => readonly TestEvent[];

/** Standard output and standard error of a runner, each cut into lines for a reader of its own. */
export class BothStreams {
  readonly #stdout = new TextLines();
  readonly #stderr = new TextLines();
  readonly #readOutput: LineReader;
  readonly #readError: LineReader;

  constructor(readOutput: LineReader, readError: LineReader) {
    this.#readOutput = readOutput;
    this.#readError = readError;
  }

  push(source: ReportSource, chunk: Buffer): TestEvent[] {
    return source === 'stdout'
      ? this.#stdout.push(chunk).flatMap((line) => this.#readOutput(line))
      : this.#stderr.push(chunk).flatMap((line) => this.#readError(line));
  }

  /** What is left without an end of line. */
  end(): TestEvent[] {
    return [
      ...this.#stdout.end().flatMap((line) => this.#readOutput(line)),
      ...this.#stderr.end().flatMap((line) => this.#readError(line)),
    ];
  }
}
