import type { StopCause, StoppedThread } from '../../../model/debug/stop.ts';
import type {
  CrashReport,
  FrameVariable,
  VariablesOf,
} from '../../../model/endings/crashReport.ts';
import type { NativeCode } from '../../native/nativeParts.ts';
import type { TracedSession } from '../../tracer.ts';
import { processSnapshot, stoppedThread, threadOf } from './heldThread.ts';
import { ProcessMaps } from './processMaps.ts';
import type { StoppedRegisters } from './stopper.ts';

type Stopped = StoppedRegisters & { readonly tid: number };

interface Waiting {
  readonly stopped: Stopped;
  readonly cause: StopCause;
  readonly resolve: (thread: StoppedThread) => void;
  readonly reject: (error: unknown) => void;
}

/** Threads of one question: the first of many is not to wait for all. */
const mostAtOnce = 64;

/**
 * Describes threads that stand still. Those that stop while others are described are described together: what their
 * process has mapped is read once for all. Of many that were paused no variables are read.
 */
export class ThreadDescriber {
  readonly #pid: number;
  readonly #session: TracedSession;
  readonly #code: Pick<NativeCode, 'explainThreads'>;
  #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(pid: number, session: TracedSession, code: Pick<NativeCode, 'explainThreads'>) {
    this.#pid = pid;
    this.#session = session;
    this.#code = code;
  }

  /** Throws TIMED_OUT or INTERNAL, or the system's error when the process is gone. */
  async describe(stopped: Stopped, cause: StopCause): Promise<StoppedThread> {
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ stopped, cause, resolve, reject });
      if (!this.#isBusy) void this.#describeAll();
    });
  }

  /** Those of one frame. Throws as `describe` does. */
  async variables(stopped: Stopped, frame: number): Promise<readonly FrameVariable[]> {
    const [report] = await this.#explain([stopped], frame);
    return report?.threads[0]?.frames[frame]?.variables ?? [];
  }

  async #describeAll(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, mostAtOnce);
      const isPaused = ({ cause }: Waiting): boolean => batch.length > 1 && cause.kind === 'pause';
      for (const variablesOf of ['newest', 'none'] as const) {
        const some = batch.filter((one) => isPaused(one) === (variablesOf === 'none'));
        await this.#describeSome(some, variablesOf).catch((error: unknown) => {
          for (const { reject } of some) reject(error);
        });
      }
    }
    this.#isBusy = false;
  }

  async #explain(
    stopped: readonly Stopped[],
    variablesOf: VariablesOf,
  ): Promise<readonly CrashReport[]> {
    const threads = stopped.map((one) => threadOf(this.#pid, one.tid, one));
    const snapshot = { ...processSnapshot(this.#pid, new ProcessMaps(this.#pid)), threads };
    return await this.#code.explainThreads(snapshot, this.#session, variablesOf);
  }

  async #describeSome(batch: readonly Waiting[], variablesOf: VariablesOf): Promise<void> {
    if (batch.length === 0) return;
    const reports = await this.#explain(
      batch.map(({ stopped }) => stopped),
      variablesOf,
    );
    for (const [i, { stopped, cause, resolve, reject }] of batch.entries()) {
      const report = reports[i];
      if (report) resolve(stoppedThread(report, stopped.tid, cause));
      else reject(new Error(`thread ${stopped.tid} was not described`));
    }
  }
}
