import { closeSync, openSync, readSync, watch, type FSWatcher } from 'node:fs';

/** A line of the notes file (src/protocol/pythonTracer.ts, src/protocol/nodeTracer.ts). */
export interface Note {
  readonly word: string;
  readonly text: string;
}

/** One for all: nothing of it is held. */
const chunk = Buffer.allocUnsafe(1 << 16);
/** A longer line is no note of ours. */
const MOST_LINE = 1 << 17;

/** Reads what the tracer in a process tells, as it comes. */
export class NotesFile implements Disposable {
  readonly #path: string;
  readonly #take: (note: Note) => void;
  readonly #watcher: FSWatcher | null;
  #position = 0;
  #left = '';

  /** Makes the file when it is not there. */
  constructor(path: string, take: (note: Note) => void) {
    this.#path = path;
    this.#take = take;
    closeSync(openSync(path, 'a', 0o600));
    this.#watcher = this.#watch();
  }

  /** What was written up to now. */
  read(): void {
    const file = openSync(this.#path, 'r');
    try {
      for (let isMore = true; isMore;) {
        const count = readSync(file, chunk, 0, chunk.length, this.#position);
        isMore = count === chunk.length;
        this.#position += count;
        this.#lines(chunk.toString('utf8', 0, count));
      }
    } finally {
      closeSync(file);
    }
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
  }

  #lines(text: string): void {
    const lines = `${this.#left}${text}`.split('\n');
    const last = lines.pop() ?? '';
    this.#left = last.length > MOST_LINE ? '' : last;
    for (const line of lines) {
      const at = line.indexOf(' ');
      this.#take({ word: line.slice(0, at), text: line.slice(at + 1) });
    }
  }

  /** Null: inotify(7) has limits; then it is read when somebody asks. */
  #watch(): FSWatcher | null {
    try {
      const readNow = (): void => {
        try {
          this.read();
        } catch {
          // The session's folder is gone: so is its program.
        }
      };
      const watcher = watch(this.#path, { persistent: false }, readNow);
      return watcher.on('error', readNow);
    } catch {
      return null;
    }
  }
}
