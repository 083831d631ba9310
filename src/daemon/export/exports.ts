import { monotonicMs } from '../../base/clock.ts';
import type { ExportProgress, ExportResult } from '../../db/export/exportMessages.ts';
import { ExportRun } from '../../db/export/exportRun.ts';
import type { ExportJob } from '../../db/export/exportMessages.ts';
import { StrobeError } from '../../model/errors.ts';
import type { WrittenFile } from './writtenFile.ts';

/** At the same time; each reads a whole session. */
const MOST_RUNNING = 2;
/** An export that has ended is remembered for whoever asked for it and was told to ask again. */
const KEPT_MS = 10 * 60_000;
const TELL_MS = 500;

/** How an export stands when the time to wait is over. */
export type ExportState =
  | { readonly kind: 'written'; readonly result: ExportResult; readonly path: string | null }
  | { readonly kind: 'running'; readonly progress: ExportProgress };

/** What an export is started with: a file of its own, or a collector. */
export interface ExportStart {
  readonly job: Omit<ExportJob, 'target'>;
  readonly file: WrittenFile | null;
  readonly collector: string | null;
}

export interface ExportWait {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Called now and then while it runs. */
  readonly onProgress: (progress: ExportProgress) => void;
}

interface Running {
  readonly run: ExportRun;
  readonly file: WrittenFile | null;
  readonly whole: Promise<ExportResult>;
  waiting: number;
  endedAtMs: number | null;
}

/** The exports under way. The same request made again waits for the one that runs. */
export class Exports {
  readonly #workerPath: string;
  readonly #running = new Map<string, Running>();

  /** `workerPath`: the built exportWorker. */
  constructor(workerPath: string) {
    this.#workerPath = workerPath;
  }

  get anyRunning(): boolean {
    return [...this.#running.values()].some(({ endedAtMs }) => endedAtMs === null);
  }

  /**
   * Waits for the export of this key, after starting it when there is none. Cancelling ends it,
   * unless somebody else waits for it; nothing of it is left then.
   */
  async ask(key: string, start: () => ExportStart, wait: ExportWait): Promise<ExportState> {
    this.#forgetOld();
    const running = this.#running.get(key) ?? this.#start(key, start);
    running.waiting++;
    const stop = new AbortController();
    const tell = setInterval(() => wait.onProgress(running.run.progress), TELL_MS);
    try {
      const result = await Promise.race([
        running.whole,
        until(wait.signal, stop.signal),
        timeUp(wait.waitMs, stop.signal),
      ]);
      if (result === 'cancelled') throw new StrobeError('CANCELLED', 'The export was cancelled.');
      if (result === 'timeUp') return { kind: 'running', progress: running.run.progress };
      this.#running.delete(key);
      return { kind: 'written', result, path: running.file?.path ?? null };
    } catch (error) {
      if (running.endedAtMs !== null) this.#running.delete(key);
      else if (running.waiting === 1) await this.#cancel(key, running);
      throw error;
    } finally {
      running.waiting--;
      clearInterval(tell);
      stop.abort();
    }
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    const all = [...this.#running];
    await Promise.allSettled(all.map(async ([key, running]) => this.#cancel(key, running)));
  }

  #start(key: string, start: () => ExportStart): Running {
    const busy = [...this.#running.values()].filter(({ endedAtMs }) => endedAtMs === null);
    if (busy.length >= MOST_RUNNING) {
      throw new StrobeError(
        'EXPORT_FAILED',
        `${busy.length} exports are running already.`,
        'Wait for one of them to end, then ask again.',
      );
    }
    const { job, file, collector } = start();
    const target = file
      ? ({ kind: 'file', path: file.temporary } as const)
      : ({ kind: 'collector', url: collector ?? '' } as const);
    const run = new ExportRun(this.#workerPath, { ...job, target });
    const running: Running = { run, file, whole: finish(run, file), waiting: 0, endedAtMs: null };
    const ended = (): void => {
      running.endedAtMs = monotonicMs();
    };
    running.whole.then(ended, ended);
    this.#running.set(key, running);
    return running;
  }

  async #cancel(key: string, { run, whole }: Running): Promise<void> {
    this.#running.delete(key);
    await run.cancel();
    await whole.catch(() => undefined); // It was cancelled.
  }

  #forgetOld(): void {
    const since = monotonicMs() - KEPT_MS;
    for (const [key, { endedAtMs }] of this.#running) {
      if (endedAtMs !== null && endedAtMs < since) this.#running.delete(key);
    }
  }
}

async function finish(run: ExportRun, file: WrittenFile | null): Promise<ExportResult> {
  try {
    const result = await run.result;
    file?.publish();
    return result;
  } finally {
    await run.cancel();
    file?.discard();
  }
}

async function until(signal: AbortSignal, stop: AbortSignal): Promise<'cancelled'> {
  if (signal.aborted) return 'cancelled';
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve('cancelled'), { signal: stop }),
  );
}

async function timeUp(ms: number, stop: AbortSignal): Promise<'timeUp'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('timeUp'), ms);
    stop.addEventListener('abort', () => clearTimeout(timer));
  });
}
