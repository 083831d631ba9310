import { getSystemErrorName } from 'node:util';
import { processFacts, sessionOf } from '../../base/proc.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { ExitStatus, SeenProgram } from '../../model/outputRecord.ts';
import type { ProcessesView, ProcessTracing, ProcessView } from '../../model/session.ts';
import type { LifeRecord } from '../indexing/indexMessages.ts';

/** Ended processes kept one by one; older ones live on in the figures alone, and as events. */
const MAX_ENDED = 2000;
const MAX_SHOWN = 50;

interface Known {
  readonly pid: number;
  readonly parent: number | null;
  /** argv of the program it runs. */
  command: readonly string[];
  /** Its absolute path: of a script, the script. */
  path: string;
  readonly startedAt: SessionNs;
  programs: number;
  /** Who watches the tree knows of it and will tell its end; else only its own records did. */
  watched: boolean;
  ended: ProcessView['ended'];
  tracing: ProcessTracing;
}

/** Every process of one session's tree, as far as it is seen. */
export class SessionProcesses {
  readonly #living = new Map<number, Known>();
  readonly #early = new Map<number, { readonly path: string; readonly tracing: ProcessTracing }>();
  #ended: Known[] = [];
  #endedCount = 0;
  #failedCount = 0;
  #followed: ProcessesView['followed'];

  /** `main`: the program of the first process, which no exec of the tree tells. */
  take(
    record: LifeRecord,
    main: { readonly command: readonly string[]; readonly image: string },
  ): void {
    switch (record.kind) {
      case 'started':
        this.#runs({ ...record, path: main.image, argv: main.command, parent: null });
        return;
      case 'exec':
        this.#runs(record);
        return;
      case 'forked':
        this.#found(record);
        return;
      case 'forkRecords':
        this.#forked(record, main);
        return;
      case 'unasked':
        this.traced(record.pid, { kind: 'untraced', reason: unaskedReason(record.errno) });
        return;
      case 'exited':
        this.#exited(record.pid, record.exit, record.time);
        return;
      case 'gone':
        this.#exited(record.pid, null, record.time);
        return;
      case 'waited':
        this.#followed = { programs: record.programs, waitedNs: record.waitedNs };
        return;
      case 'execFailed':
      case 'closed':
      case 'lost':
      case 'unkept':
      case 'ended':
      case 'follow':
      case 'failover':
    }
  }

  /**
   * Whether the program in a process is traced. `path`: of that program, when it may not be told yet,
   * as what is done at an exec comes faster than the log that tells of it, or may have ended.
   */
  traced(pid: number, tracing: ProcessTracing, path?: string): void {
    const ended = (): Known | undefined =>
      this.#ended.findLast((one) => one.pid === pid && one.path === path);
    const known = this.#living.get(pid) ?? ended();
    if (path !== undefined && known?.path !== path) this.#early.set(pid, { path, tracing });
    else if (known) known.tracing = tracing;
  }

  /** Living processes with the paths of their programs. */
  running(): readonly { readonly pid: number; readonly path: string }[] {
    return [...this.#living.values()].map(({ pid, path }) => ({ pid, path }));
  }

  /** A living process but the main one whose parent has ended: a supervisor adopted it. */
  adoptedBy(supervisorPid: number, mainPid: number | null): number | null {
    const adopted = [...this.#living.keys()]
      .slice(-MAX_SHOWN)
      .find((pid) => pid !== mainPid && processFacts(pid)?.parent === supervisorPid);
    return adopted ?? null;
  }

  /** Counts, and the processes that say most: failed, running, traced, the newest first. */
  view(): ProcessesView {
    const groups = new Map<string, { first: Known; alike: number }>();
    for (const one of [...this.#living.values(), ...this.#ended].toReversed()) {
      const group = groups.get(likeness(one));
      if (group) group.alike++;
      else groups.set(likeness(one), { first: one, alike: 1 });
    }
    const sorted = [...groups.values()].toSorted(
      (a, b) => weight(b.first) - weight(a.first) || b.first.startedAt - a.first.startedAt,
    );
    return {
      running: this.#living.size,
      ended: this.#endedCount,
      failed: this.#failedCount,
      followed: this.#followed,
      shown: sorted.slice(0, MAX_SHOWN).map(({ first, alike }) => ({ ...first, alike })),
    };
  }

  #runs(seen: Omit<SeenProgram, 'parent'> & { readonly parent: number | null }): void {
    const { pid, path } = seen;
    const known = this.#living.get(pid);
    if (known) {
      known.command = seen.argv;
      known.path = path;
      known.programs++;
      known.tracing = this.#takeEarly(pid, path);
      return;
    }
    this.#living.set(pid, {
      pid,
      parent: seen.parent,
      command: seen.argv,
      path,
      startedAt: seen.time,
      programs: 1,
      watched: true,
      ended: null,
      tracing: this.#takeEarly(pid, path),
    });
  }

  /** It was looked for and found, with what it runs now. */
  #found(seen: SeenProgram): void {
    const known = this.#living.get(seen.pid);
    if (!known) this.#runs(seen);
    else if (!known.watched) {
      known.watched = true;
      const isOther = known.path !== seen.path && known.command.join('\0') !== seen.argv.join('\0');
      if (isOther) this.#runs(seen);
    }
  }

  /** It runs what its parent does, or has become something else since. */
  #forked(
    {
      pid,
      parent,
      time,
    }: { readonly pid: number; readonly parent: number; readonly time: SessionNs },
    main: { readonly command: readonly string[]; readonly image: string },
  ): void {
    if (this.#living.has(pid)) return;
    const from = this.#living.get(parent);
    const [path, argv] = from ? [from.path, from.command] : [main.image, main.command];
    this.#runs({ pid, parent, time, path, argv });
    const known = this.#living.get(pid);
    if (known) known.watched = false;
  }

  /** Those whose end nobody will tell and that are gone have ended, at some time until now. */
  lookWhoEnded(now: SessionNs): void {
    for (const { pid, watched } of this.#living.values())
      if (!watched && sessionOf(pid) === null) this.#exited(pid, null, now);
  }

  /** `exit` null when nobody saw its status. */
  #exited(pid: number, exit: ExitStatus | null, at: SessionNs): void {
    const known = this.#living.get(pid);
    if (!known) return;
    this.#living.delete(pid);
    this.#early.delete(pid);
    known.ended = { exit, at };
    this.#endedCount++;
    if (isFailure(known)) this.#failedCount++;
    this.#ended.push(known);
    if (this.#ended.length > MAX_ENDED * 2) this.#ended = this.#ended.slice(-MAX_ENDED);
  }

  #takeEarly(pid: number, path: string): ProcessTracing {
    const early = this.#early.get(pid);
    if (early?.path !== path) return { kind: 'untraced', reason: null };
    this.#early.delete(pid);
    return early.tracing;
  }
}

function unaskedReason(errno: number): string {
  const name = getSystemErrorName(-errno);
  if (name === 'ETIMEDOUT') return 'the daemon did not answer when it was executed';
  if (name === 'EPERM') return 'a debugger traced it at its exec, or it has other privileges';
  return `it could not be held at its start (${name})`;
}

/** Equal for processes of one command that ended, or live, in the same way. */
function likeness({ command, ended, tracing }: Known): string {
  return JSON.stringify([command, ended?.exit ?? ended === null, tracing]);
}

function isFailure({ ended }: Known): boolean {
  const exit = ended?.exit;
  return exit !== undefined && exit !== null && !(exit.kind === 'exited' && exit.code === 0);
}

function weight(known: Known): number {
  const traced = known.tracing.kind === 'traced' ? 2 : 0;
  if (known.ended?.exit?.kind === 'signalled') return 7 + traced;
  if (isFailure(known)) return 4 + traced;
  return (known.ended === null ? 1 : 0) + traced;
}
