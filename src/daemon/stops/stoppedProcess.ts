import { hasEnded } from '../../base/proc.ts';
import type { TracedProcess, TraceableProcess, TracedNow } from '../../collector/tracer.ts';
import { childrenOf, type SessionContext } from '../session/sessionContext.ts';
import type { SessionSymbols } from '../tracing/sessionSymbols.ts';

/** Programs that a runner starts: the project's own, or files with this ending. */
export type ProgramsBehind = 'own' | `.${string}`;

/**
 * The process that breakpoints stop threads of: the main one. Where that only runs programs that are meant, as a
 * runner of tests does, the project's program that it runs now: one at a time.
 */
export class StoppedProcess {
  readonly #context: SessionContext;
  readonly #symbols: Pick<SessionSymbols, 'entered' | 'isOwn' | 'programs'>;
  /** Which programs of a runner are meant; null: the main process itself. */
  #meant: ProgramsBehind | null = null;
  #behind: TracedProcess | null = null;

  constructor(
    context: SessionContext,
    symbols: Pick<SessionSymbols, 'entered' | 'isOwn' | 'programs'>,
  ) {
    this.#context = context;
    this.#symbols = symbols;
  }

  /** The main process only runs the programs that are meant. */
  beginBehind(meant: ProgramsBehind): void {
    this.#meant = meant;
  }

  /** Whether a program may be one that is meant. */
  mayRun(image: string | undefined): boolean {
    const ending = this.#meant ?? 'own';
    return image === undefined || ending === 'own' || image.endsWith(ending);
  }

  /** Null: there is none now. */
  get now(): TracedProcess | null {
    const running = this.#context.running();
    if (!running || this.#meant !== null) return running && this.#behind;
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
    this.#symbols.entered(image);
    const isMain = pid === this.#context.running()?.pid;
    if (this.#meant === null || isMain || !this.mayRun(image)) return;
    if (this.#meant === 'own' && !this.#symbols.isOwn(image)) return;
    // Where it was built need not be in the project.
    this.#symbols.programs.add(image);
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
