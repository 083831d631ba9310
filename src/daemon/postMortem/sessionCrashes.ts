import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { within } from '../../base/deadline.ts';
import { readCrashFile } from '../../collector/crash/readCrashFile.ts';
import { leftCores } from '../../collector/crash/leftCore.ts';
import { exceptionLine } from '../../model/endings/exceptionLine.ts';
import { goEndLine } from '../../model/endings/goEnd.ts';
import { imageOf } from '../../collector/program/image.ts';
import { isStatic } from '../../collector/program/entryFacts.ts';
import { goVersionOf } from '../../collector/program/goBuild.ts';
import { goEndIn } from './goEnds.ts';
import { uncaughtExceptions } from './uncaughtExceptions.ts';
import { crashLine, noStackBecause } from '../../model/endings/crashLine.ts';
import type { StoredCrash } from '../../model/endings/crashReport.ts';
import type { SessionNs } from '../../model/ids.ts';
import { crashSignals } from '../../model/endings/signals.ts';
import type { Snapshot } from '../../model/endings/snapshot.ts';
import { abortedPanic, lastLines } from './abortedPanic.ts';
import { explainSnapshot } from './explainSnapshot.ts';
import type { LifeRecord } from '../indexing/indexMessages.ts';
import { ringDirectory } from '../../collector/rings/ringFolder.ts';
import type { SessionContext } from '../session/sessionContext.ts';
import type { WantedPrograms } from '../tracing/wantedPrograms.ts';

/** A question about a crashed program waits this long for the explanation. */
const EXPLAIN_PATIENCE_MS = 15_000;
/** The status of a program that Go's runtime ends. */
const ENDED_BY_GO = 2;
/** Every answer carries the notes: of more crashes they say how many. */
const MOST_NOTES = 1;
const MOST_SEEN = 1000;

/** What tracing knows of crashes. */
interface TracedCrashes {
  readonly programs: Pick<WantedPrograms, 'explainNext'>;
  /** Exceptions that were raised by now are stored afterwards. */
  readonly readSoon: () => Promise<unknown>;
}

/** The crashes of a session's processes: each is explained once its process has ended, while others still run. */
export class SessionCrashes {
  readonly #context: SessionContext;
  readonly #tracing: TracedCrashes;
  #told = 0;
  /** Programs of which it is known whether they are engines. */
  readonly #seen = new Set<string>();
  #working: Promise<void> = Promise.resolve();

  constructor(context: SessionContext, tracing: TracedCrashes) {
    this.#context = context;
    this.#tracing = tracing;
  }

  /** What happened in a tree that nobody told to end. `running`: the processes known before, with their programs. */
  take(
    record: LifeRecord,
    running: () => readonly { readonly pid: number; readonly path: string }[],
  ): void {
    if (record.kind !== 'exited') return;
    const { pid, exit, time } = record;
    const path = running().find((one) => one.pid === pid)?.path ?? null;
    if (path !== null) this.#do(async () => this.#takeEngine(path));
    if (exit.kind === 'exited' && exit.code === ENDED_BY_GO && path !== null)
      this.#do(async () => this.#takeGoEnd(pid, path));
    if (exit.kind !== 'signalled' || !crashSignals.has(exit.signal)) return;
    this.#do(async () => {
      const isExplained =
        (await this.#explain(pid)) || (path !== null && (await this.#fromCore(pid, path, time)));
      if (!isExplained) this.#note(await this.#unexplained(pid, exit.signal, path));
    });
  }

  /** Waits for what is being explained, but not for long. */
  async explainedSoon(): Promise<void> {
    const late = (): Error => new Error('it takes longer');
    await within(EXPLAIN_PATIENCE_MS, this.#working, late).catch(() => undefined);
  }

  /** No process is left. */
  async finish(): Promise<void> {
    this.#do(async () => void (await this.#explain(null)));
    await this.#working;
  }

  #do(work: () => Promise<void>): void {
    this.#working = this.#working.then(work).catch((error: unknown) => this.#failed(error));
  }

  /** Notes of an engine that nothing traces why, also where no pattern was given. */
  async #takeEngine(path: string): Promise<void> {
    if (this.#seen.has(path) || this.#seen.size >= MOST_SEEN) return;
    this.#seen.add(path);
    const image = await imageOf(path);
    if (image === null) return;
    const { runtimes } = this.#context.services;
    await runtimes.claimsOf(image.path);
    const refusal = runtimes.refusalOf(image.path);
    if (refusal !== null) this.#context.note(refusal);
  }

  /** Go's runtime writes why it ends a program, and the stacks; where its output is not recorded, a panic is known as it was raised. */
  async #takeGoEnd(pid: number, path: string): Promise<void> {
    const index = this.#context.index();
    if (index === null || (await goVersionOf(path).catch(() => null)) === null) return;
    await this.#tracing.readSoon();
    const until = (await index.settle())?.until ?? Number.MAX_SAFE_INTEGER;
    const { queries } = this.#context.services;
    const { storePath } = this.#context.facts;
    const found = await goEndIn(queries, storePath, until);
    const text =
      found === null ? await lastPanic(queries, storePath, { until, pid }) : goEndLine(found.end);
    if (text !== null)
      this.#note(`CRASHED${this.#who(pid)}: ${text}. Read it with debug_query {"view": "crash"}.`);
  }

  /** Explains and stores what one process left, or with null whatever is left; false when that is nothing. */
  async #explain(pid: number | null): Promise<boolean> {
    let found = false;
    for (const path of this.#files()) {
      try {
        const snapshot = readCrashFile(path);
        if (snapshot === null || (pid !== null && snapshot.pid !== pid)) continue;
        found = true;
        rmSync(path, { force: true });
        await this.#store(snapshot);
      } catch (error) {
        this.#failed(error);
      }
    }
    return found;
  }

  /** Of a process in which nothing was traced, by the core file that it left in the session's folder. */
  async #fromCore(pid: number, path: string, time: SessionNs): Promise<boolean> {
    const { cwd, startedAtMs } = this.#context.facts;
    for (const file of leftCores({ pid, path, cwd }, startedAtMs)) {
      try {
        const { snapshot } = await this.#context.services.stacks.symbols.readCore(file);
        if (snapshot.pid !== pid) continue;
        await this.#store(snapshot, time);
        return true;
      } catch {
        // Another's file, or one that was cut: the end is told as without it.
      }
    }
    return false;
  }

  async #store(snapshot: Snapshot, seen: SessionNs | null = null): Promise<void> {
    const { startNs } = this.#context.facts;
    const diedNs = snapshot.signal?.monotonicNs ?? null;
    const crash = {
      time: diedNs === null ? (seen ?? 0) : Number(diedNs - startNs),
      pid: snapshot.pid,
      report: await explainSnapshot(snapshot, this.#context.facts, this.#context.services.stacks),
    };
    await this.#context
      .index()
      ?.addCrash(crash)
      .catch(() => undefined); // The index tells its own faults.
    this.#note(crashNote(crash, this.#context.mainPid()));
    await this.#storePanic(crash);
  }

  async #storePanic(crash: StoredCrash): Promise<void> {
    const index = this.#context.index();
    if (index === null) return;
    const { storePath } = this.#context.facts;
    const panic = await abortedPanic(crash, async () =>
      lastLines(this.#context.services.queries, storePath, index),
    );
    if (panic !== null) await index.addException(panic).catch(() => undefined);
  }

  #files(): string[] {
    const folder = ringDirectory(this.#context.facts.id);
    try {
      return readdirSync(folder)
        .filter((name) => name.endsWith('.crash'))
        .map((name) => join(folder, name));
    } catch {
      return []; // No ring was ever made.
    }
  }

  async #unexplained(pid: number, signal: string, path: string | null): Promise<string> {
    if (path !== null && signal === 'SIGSYS' && (await isStatic(path)))
      return `CRASHED${this.#who(pid)} by SIGSYS; ${noStackBecause} a static program is traced from outside. A seccomp filter forbade a system call. Recording makes none that a filter forbids, unless a system call of the program's own code, or C in a program of Go, set the filter: then it may be one of those that recording makes (process_vm_readv, madvise, gettid, prctl). Launch it without patterns to see whether it ends then.`;
    if (path !== null && (await isStatic(path)))
      return `CRASHED${this.#who(pid)} by ${signal}; ${noStackBecause} a static program is traced from outside, which does not see its signals. The traced calls are kept; a core file that it leaves has the stack (launch sh with "-c", "ulimit -c unlimited; exec PROGRAM").`;
    if (pid === this.#context.mainPid())
      return `CRASHED by ${signal}; no stack was kept. debug_query {"view": "crash"} says what is known.`;
    const name = path === null ? '' : `, ${basename(path)}`;
    const isNext = path !== null && (await this.#tracing.programs.explainNext(path));
    const next = isNext
      ? ' Should it run again in this session, its crash will be explained.'
      : ' debug_launch {"core":"FILE"} explains a core file of it.';
    return `CRASHED (pid ${pid}${name}) by ${signal}; ${noStackBecause} what a program starts is entered where patterns match in it.${next}`;
  }

  /** Another process than the main one is named. */
  #who(pid: number): string {
    return pid === this.#context.mainPid() ? '' : ` (pid ${pid})`;
  }

  #note(text: string): void {
    const { notes } = this.#context;
    if (notes.includes(text)) return;
    this.#told++;
    const more = this.#told - MOST_NOTES;
    const before = notes.indexOf(andMore(more - 1));
    if (before >= 0) notes.splice(before, 1);
    this.#context.note(more <= 0 ? text : andMore(more));
  }

  #failed(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.#context.services.log.error('session', 'a crash cannot be explained', {
      session: this.#context.facts.id,
      error: why,
    });
    this.#note(`A crash was written down but cannot be explained: ${why}`);
  }
}

/** The panic that ended a program of Go, in a line; null: none was seen. */
async function lastPanic(
  ...question: Parameters<typeof uncaughtExceptions>
): Promise<string | null> {
  const uncaught = await uncaughtExceptions(...question);
  const panic = uncaught.findLast(({ language }) => language === 'Go');
  return panic === undefined ? null : exceptionLine(panic);
}

function andMore(count: number): string {
  const processes = count === 1 ? 'process' : 'processes';
  return `CRASHED: ${count} more ${processes}; debug_session status and debug_query {"view": "crash"} list them.`;
}

/** `mainPid`: another process is named. */
export function crashNote({ pid, report }: StoredCrash, mainPid: number | null): string {
  const who = pid === mainPid ? '' : ` (pid ${pid})`;
  return `CRASHED${who}: ${crashLine(report)}. Read it with debug_query {"view": "crash"}.`;
}
