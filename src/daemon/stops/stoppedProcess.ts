import { hasEnded } from '../../base/proc.ts';
import type { MainProcess, TraceableProcess, TracedNow } from '../../collector/tracer.ts';
import { childrenOf, type SessionContext } from '../session/sessionContext.ts';
import type { SessionSymbols } from '../tracing/sessionSymbols.ts';

/**
 * The process that breakpoints stop threads of: the main one. Where that only runs programs that are meant, as a
 * runner of tests does, the project's program that it runs now: one at a time.
 */
export class StoppedProcess {
  readonly #context: SessionContext;
  readonly #symbols: Pick<SessionSymbols, 'isOwn'>;
  #isBehindRunner = false;
  #behind: MainProcess | null = null;

  constructor(context: SessionContext, symbols: Pick<SessionSymbols, 'isOwn'>) {
    this.#context = context;
    this.#symbols = symbols;
  }

  /** The main process only runs the programs that are meant. */
  beginBehindRunner(): void {
    this.#isBehindRunner = true;
  }

  /** Null: there is none now. */
  get now(): MainProcess | null {
    const running = this.#context.running();
    if (!running || this.#isBehindRunner) return running && this.#behind;
    return { pid: running.pid, isHeld: running.atExec };
  }

  /** It, and all living processes of the session, it first. */
  get traced(): Pick<TracedNow, 'pid' | 'isHeld' | 'pids'> {
    const running = this.#context.running();
    const { pid = null, isHeld = false } = this.now ?? {};
    const all = running
      ? [running.pid, ...childrenOf(this.#context).map((child) => child.pid)]
      : [];
    const pids = all.toSorted((a, b) => Number(b === pid) - Number(a === pid));
    return { pid, isHeld, pids };
  }

  /** Tracing has entered one more process. */
  entered({ pid, image, atExec }: TraceableProcess): void {
    const isMain = pid === this.#context.running()?.pid;
    if (!this.#isBehindRunner || isMain || !this.#symbols.isOwn(image)) return;
    if (this.#behind === null || hasEnded(this.#behind.pid)) this.#behind = { pid, isHeld: atExec };
    else if (this.#behind.pid !== pid)
      this.#context.note(
        `Process ${pid} (${image}) ran while breakpoints stopped process ${this.#behind.pid}: they stop one process at a time. Have the runner start one program after the other.`,
      );
  }

  /** A process that was held at its exec runs now. Answers whether its threads can stop from here on. */
  runs(pid: number): boolean {
    if (this.#behind?.pid !== pid) return false;
    this.#behind = { pid, isHeld: false };
    return true;
  }

  gone(pid: number): void {
    if (this.#behind?.pid === pid) this.#behind = null;
  }
}
