import type { TargetHolder } from '../../collector/supervisor/targetHolder.ts';
import type { OutputMark } from '../../model/questions/query.ts';
import type { SessionFacts } from './sessionFacts.ts';

const newLine = 10;

/** What a program reads: its stdin, or what is typed into its terminal. */
export class ProgramInput {
  readonly #kind: SessionFacts['stdin'];
  readonly #supervisor: () => TargetHolder;
  #lastTyped = newLine;
  /** Where its output stood before the last input; null: there was none. */
  typedAt: OutputMark | null = null;
  /** A wait has been answered since. */
  isAnswered = false;

  /** `supervisor` throws when the session is over. */
  constructor(kind: SessionFacts['stdin'], supervisor: () => TargetHolder) {
    this.#kind = kind;
    this.#supervisor = supervisor;
  }

  /**
   * Writes to the program's stdin; `limitMs` null waits as long as the program takes. `from`:
   * where its output stands, for who waits for the reaction.
   */
  async write(
    bytes: Uint8Array,
    options: { eof: boolean; limitMs?: number | null; from?: OutputMark },
  ): Promise<void> {
    const supervisor = this.#supervisor();
    const { eof, from, ...limit } = options;
    if (from) {
      this.typedAt = from;
      this.isAnswered = false;
    }
    if (bytes.length > 0) await supervisor.input(bytes, limit);
    this.#lastTyped = bytes.at(-1) ?? this.#lastTyped;
    if (!eof) return;
    if (this.#kind !== 'terminal') await supervisor.inputEof();
    // Ctrl-D: at the start of a line the end of input; within one it first hands over what is there.
    else
      await supervisor.input(Buffer.from(this.#lastTyped === newLine ? '\x04' : '\x04\x04'), limit);
  }
}
