import type { SessionNs } from '../../model/ids.ts';
import type { ExitStatus } from '../../model/output.ts';
import type { ProcessesView, ProcessTracing, ProcessView } from '../../model/session.ts';

/** Ended processes kept one by one; older ones live on in the figures alone, and as events. */
const MAX_ENDED = 2000;
const MAX_SHOWN = 50;

interface Known {
  readonly pid: number;
  parent: number | null;
  /** argv of the program it runs. */
  command: readonly string[];
  /** The ELF file it runs; null while that is not known. */
  image: string | null;
  readonly startedAt: SessionNs;
  programs: number;
  ended: ProcessView['ended'];
  tracing: ProcessTracing;
}

/** Every process of one session's tree, as far as it is seen. */
export class SessionProcesses {
  readonly #living = new Map<number, Known>();
  #ended: Known[] = [];
  #endedCount = 0;
  #failedCount = 0;

  /** A process was seen for the first time; `parent` null when it is not known. */
  started(
    pid: number,
    program: { readonly command: readonly string[]; readonly image: string | null },
    at: SessionNs,
    parent: number | null,
  ): void {
    if (this.#living.has(pid)) return;
    this.#living.set(pid, {
      pid,
      parent,
      ...program,
      startedAt: at,
      programs: 1,
      ended: null,
      tracing: { kind: 'untraced', reason: null },
    });
  }

  /** It replaced its program. */
  replaced(
    pid: number,
    program: { readonly command: readonly string[]; readonly image: string | null },
  ): void {
    const known = this.#living.get(pid);
    if (!known) return;
    known.command = program.command;
    known.image = program.image;
    known.programs++;
    known.tracing = { kind: 'untraced', reason: null };
  }

  /** `exit` null when nobody saw its status. */
  exited(pid: number, exit: ExitStatus | null, at: SessionNs): void {
    const known = this.#living.get(pid);
    if (!known) return;
    this.#living.delete(pid);
    known.ended = { exit, at };
    this.#endedCount++;
    if (isFailure(known)) this.#failedCount++;
    this.#ended.push(known);
    if (this.#ended.length > MAX_ENDED * 2) this.#ended = this.#ended.slice(-MAX_ENDED);
  }

  traced(pid: number, tracing: ProcessTracing): void {
    const known = this.#living.get(pid);
    if (known) known.tracing = tracing;
  }

  has(pid: number): boolean {
    return this.#living.has(pid);
  }

  /** Living processes whose program is known. */
  running(): readonly { readonly pid: number; readonly image: string }[] {
    return [...this.#living.values()].flatMap(({ pid, image }) =>
      image === null ? [] : [{ pid, image }],
    );
  }

  /** Counts, and the processes that say most: failed, running, traced, the newest first. */
  view(): ProcessesView {
    const all = [...this.#living.values(), ...this.#ended];
    all.sort((a, b) => weight(b) - weight(a) || b.startedAt - a.startedAt);
    return {
      running: this.#living.size,
      ended: this.#endedCount,
      failed: this.#failedCount,
      shown: all.slice(0, MAX_SHOWN).map((one) => ({ ...one })),
    };
  }
}

function isFailure({ ended }: Known): boolean {
  const exit = ended?.exit;
  return exit !== undefined && exit !== null && !(exit.kind === 'exited' && exit.code === 0);
}

function weight(known: Known): number {
  const traced = known.tracing.kind === 'traced' ? 2 : 0;
  if (known.ended?.exit?.kind === 'signalled') return 6 + traced;
  if (isFailure(known)) return 4 + traced;
  return (known.ended === null ? 1 : 0) + traced;
}
