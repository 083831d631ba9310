import type { Readable } from 'node:stream';
import { monotonicMs } from '../../base/clock.ts';
import { startOwned, type OwnedProcess } from '../../base/process.ts';
import { processorMs } from '../../base/proc.ts';
import { StrobeError } from '../../model/errors.ts';
import { answerIn, type Reply } from '../../model/failure.ts';
import type { SqlQuestion, SqlRows } from './sqlMessages.ts';

/**
 * What a statement may take of a processor, the start of its process included, and in all: on a busy machine it
 * waits for a processor most of the time.
 */
export interface SqlLimits {
  readonly processorMs: number;
  readonly wallMs: number;
}
const usualLimits: SqlLimits = { processorMs: 10_000, wallMs: 40_000 };

const HEAP_MB = 512;
const NEWLINE = 10;

/** So long a process that waits for the next statement is kept. */
const KEPT_MS = 60_000;

/** The processes that statements run in, each one at a time; the last one is kept for the next. */
export class SqlProcesses {
  readonly #mainPath: string;
  readonly #limits: SqlLimits;
  #kept: OwnedProcess | null = null;
  #patience: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(mainPath: string, limits: SqlLimits = usualLimits) {
    this.#mainPath = mainPath;
    this.#limits = limits;
  }

  /** Throws BAD_SQL with what can be asked, TIMED_OUT, CANCELLED, or STORE_FAILED. */
  async run(question: SqlQuestion, signal: AbortSignal): Promise<SqlRows> {
    const kept = this.#takeKept();
    const child = kept ?? (await this.#start());
    let why: 'late' | 'cancelled' | null = null;
    const stop = (reason: 'late' | 'cancelled'): void => {
      why ??= reason;
      child.kill('SIGKILL');
    };
    using _limit = new ProcessorLimit(this.#limits, child.pid, kept !== null, () => stop('late'));
    const cancel = (): void => stop('cancelled');
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    let reply: string | null = null;
    try {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      reply = await firstLine(child.stdout);
    } finally {
      signal.removeEventListener('abort', cancel);
      if (reply === null || why !== null) await child[Symbol.asyncDispose]();
      else await this.#keep(child);
    }
    if (reply !== null) return read(reply);
    // One that was kept may have ended since: the statement is another's then.
    if (kept && why === null) return await this.run(question, signal);
    throw failed(why, this.#limits);
  }

  /** Ends the one that is kept. */
  async rest(): Promise<void> {
    await this.#takeKept()?.[Symbol.asyncDispose]();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.rest();
  }

  #takeKept(): OwnedProcess | null {
    clearTimeout(this.#patience);
    const kept = this.#kept;
    this.#kept = null;
    return kept;
  }

  async #start(): Promise<OwnedProcess> {
    const args = [`--max-old-space-size=${HEAP_MB}`, this.#mainPath];
    const child = await startOwned({ command: process.execPath, args });
    child.stderr.resume();
    void child.ended.then(() => {
      if (this.#kept === child) this.#kept = null;
    });
    return child;
  }

  async #keep(child: OwnedProcess): Promise<void> {
    if (this.#kept || this.#isClosed) {
      await child[Symbol.asyncDispose]();
      return;
    }
    this.#kept = child;
    this.#patience = setTimeout(() => void this.rest(), KEPT_MS).unref();
  }
}

/** Tells once when a process has used up what a statement may take. */
class ProcessorLimit {
  readonly #limits: SqlLimits;
  readonly #pid: number;
  readonly #end: () => void;
  readonly #beganMs = monotonicMs();
  readonly #usedBefore: number;
  #timer: NodeJS.Timeout | undefined;

  /** `isKept`: what it used before was another statement's. */
  constructor(limits: SqlLimits, pid: number, isKept: boolean, end: () => void) {
    this.#limits = limits;
    this.#pid = pid;
    this.#end = end;
    this.#usedBefore = isKept ? (processorMs(pid) ?? 0) : 0;
    this.#look();
  }

  #look(): void {
    const passed = monotonicMs() - this.#beganMs;
    const used = processorMs(this.#pid);
    // Where it cannot be read, all time counts.
    const left = Math.min(
      this.#limits.processorMs - (used === null ? passed : used - this.#usedBefore),
      this.#limits.wallMs - passed,
    );
    if (left <= 0) this.#end();
    else this.#timer = setTimeout(() => this.#look(), left);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/** What a process writes up to the end of a line; null when it ends before. */
async function firstLine(stdout: Readable): Promise<string | null> {
  const parts: Buffer[] = [];
  return new Promise((resolve) => {
    const settle = (line: string | null): void => {
      stdout.off('data', take);
      stdout.off('close', gone);
      resolve(line);
    };
    const take = (part: Buffer): void => {
      parts.push(part);
      if (part.at(-1) === NEWLINE) settle(Buffer.concat(parts).toString('utf8'));
    };
    const gone = (): void => settle(null);
    stdout.on('data', take);
    stdout.once('close', gone);
    if (stdout.destroyed) gone();
  });
}

function failed(why: 'late' | 'cancelled' | null, limits: SqlLimits): StrobeError {
  if (why === 'cancelled') return new StrobeError('CANCELLED', 'The request was cancelled.');
  if (why === 'late') {
    return new StrobeError(
      'TIMED_OUT',
      `The statement took more than ${limits.processorMs / 1000} s of a processor, or ${limits.wallMs / 1000} s in all, and was stopped.`,
      "Look at fewer calls: FROM calls('bank::Account::*', time_from_ns, time_to_ns). Group by columns in a subquery and compute from its groups. Name one argument (json_extract(arguments, '$.name'), return_value ->> '$') in place of all. Use median() and percentile() in place of window functions, and the table `callers` for who calls whom. strobe://sql says what is quick.",
    );
  }
  return new StrobeError(
    'STORE_FAILED',
    'The process that ran the statement ended early (out of memory?).',
  );
}

function read(line: string): SqlRows {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- written by our own process.
  const reply: Reply<SqlRows> = JSON.parse(line);
  return answerIn(reply);
}
