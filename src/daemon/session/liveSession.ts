import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicMs, monotonicNs } from '../../base/clock.ts';
import { pause, within } from '../../base/deadline.ts';
import { startTimeOf } from '../../base/proc.ts';
import type { Supervisor } from '../../collector/supervisor/supervisorClient.ts';
import { lastWords } from '../../collector/supervisor/supervisorEnd.ts';
import type { TargetHolder } from '../../collector/supervisor/targetHolder.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type {
  EndedBy,
  LaunchReport,
  SessionState,
  SessionView,
  StopReport,
} from '../../model/session.ts';
import type { StoredCrash } from '../../model/endings/crashReport.ts';
import type { ExitStatus } from '../../model/outputRecord.ts';
import type { ProcessLook } from '../../model/endings/threadLook.ts';
import type { Client } from '../request.ts';
import { Changes } from './sessionSignal.ts';
import { crashNote, SessionCrashes } from '../postMortem/sessionCrashes.ts';
import type { IndexClient } from '../indexing/indexClient.ts';
import type { LifeRecord, Settled } from '../indexing/indexMessages.ts';
import { removeRings } from '../../collector/rings/ringFolder.ts';
import { letGo, notEnded, stopLeftOver } from './leftOver.ts';
import { endOrphans } from './orphans.ts';
import { followExecs, noteOf } from './following.ts';
import { SessionProcesses } from './sessionProcesses.ts';
import { ProgramInput } from './programInput.ts';
import {
  heritageOf,
  sessionEnded,
  type Heritage,
  type SessionFacts,
  type SessionParts,
} from './sessionFacts.ts';
import { mendedNotes, troubleNote } from '../indexing/storeTrouble.ts';
import { viewOf } from './sessionView.ts';
import type { RunningTarget, SessionContext } from './sessionContext.ts';
import { withStops } from '../stops/stoppedTasks.ts';
import { SessionTracing } from '../tracing/tracing.ts';

const FINISH_PATIENCE_MS = 800;
/** Who stops a program waits this long for all of its output to be stored. */
const STORED_PATIENCE_MS = 5000;
/** A question is answered from what is stored when the index does not answer by then. */
const SETTLE_PATIENCE_MS = 3000;
/** What a killed supervisor leaves cannot be heard ending: it gets a second. */
const ORPHAN_GRACE_MS = 1000;
/** A tree that was sent SIGKILL is given this long to be reaped. */
const REAP_LIMIT_MS = 10_000;
/** Once all is stored, closing the file holds up a session's end for no longer than this. */
const CLOSE_PATIENCE_MS = 100;

/** One target under study, from its exec to the end of its tree. */
export class LiveSession {
  readonly facts: SessionFacts;
  readonly changes = new Changes();
  readonly processes = new SessionProcesses();
  readonly notes: string[] = [];
  ownerIsGone = false;
  usedAtMs = monotonicMs();
  readonly #context: SessionContext;
  readonly tracing: SessionTracing;
  readonly input: ProgramInput;
  readonly #crashes: SessionCrashes;
  readonly #onState: (session: LiveSession) => void;
  #index: IndexClient | null = null;
  #supervisor: TargetHolder | null = null;
  #state: SessionState = { kind: 'starting', doing: 'starting the program' };
  #endedBy: EndedBy = 'itself';
  #pid: number | null = null;
  /** Of the main process, in /proc. */
  #startTime: string | null = null;
  #launchReport: LaunchReport | null = null;
  #treeEnded = false;
  #settled: Settled | null = null;
  #finishing: Promise<void> | null = null;

  constructor(
    facts: SessionFacts,
    services: SessionParts,
    onState: (session: LiveSession) => void,
  ) {
    [this.facts, this.#onState] = [facts, onState];
    this.input = new ProgramInput(facts.stdin, () => {
      if (!this.isLive || !this.#supervisor) throw sessionEnded(this);
      return this.#supervisor;
    });
    this.#context = {
      facts: this.facts,
      services,
      changes: this.changes,
      processes: this.processes,
      notes: this.notes,
      mainPid: () => this.#pid,
      index: () => this.#index,
      now: () => this.now(),
      note: (text) => this.note(text),
      changed: () => this.#tell(),
      doing: (what) => this.setDoing(what),
      running: () => this.#running(),
      ended: () => sessionEnded(this),
      environ: async (pid, words) => this.#supervisor?.environ?.(pid, words),
      watchExecs: async (watch) => this.#supervisor?.askAboutExecs(watch),
    };
    this.tracing = new SessionTracing(this.#context);
    this.#crashes = new SessionCrashes(this.#context, this.tracing);
  }

  get state(): SessionState {
    return this.#state;
  }

  get pid(): number | null {
    return this.#pid;
  }

  get isLive(): boolean {
    return ['starting', 'running'].includes(this.#state.kind);
  }

  /** Nothing of the target's tree is left and everything is stored. */
  get isFinished(): boolean {
    return this.#index === null && !this.isLive;
  }

  now(): SessionNs {
    return Number(monotonicNs() - this.facts.startNs);
  }

  /** Kept for a retry of the same launch. */
  get launchReport(): LaunchReport | null {
    return this.#launchReport;
  }

  launched(report: LaunchReport): void {
    this.#launchReport = report;
  }

  /** Takes over the parts a launch has made. */
  begin(supervisor: Supervisor, index: IndexClient): void {
    this.beginAttached(supervisor, index);
    followExecs(this.#context, this.tracing, supervisor);
  }

  /** The same of a process that is not our child. */
  beginAttached(holder: TargetHolder, index: IndexClient): void {
    this.#supervisor = holder;
    this.#index = index;
    this.#pid = holder.started.pid;
    this.#startTime = startTimeOf(this.#pid);
    holder.onGrown(() => this.#index?.outputGrown());
    holder.onState?.(() => this.changes.notify());
    holder.onClosed(() => void this.#supervisorGone());
  }

  /** Goes on with what an earlier daemon left; without its supervisor only to the end of what it wrote. */
  goOn(
    supervisor: Supervisor | null,
    index: IndexClient,
    left: Pick<SessionView, 'state' | 'pid'> & Pick<Heritage, 'startTime'>,
  ): void {
    if (left.state.kind === 'ended') this.#endedBy = left.state.by;
    if (supervisor?.state !== 'stopped') this.#state = { kind: 'running' };
    this.#index = index;
    this.#pid = left.pid;
    this.#startTime = left.startTime;
    if (supervisor) this.begin(supervisor, index);
    else void this.#withoutSupervisor();
  }

  /** What another daemon needs to go on with this session. */
  get heritage(): Heritage {
    const { requests: patterns, watches, probes, depth } = this.tracing;
    const wanted = { patterns, watches: watches.requests, breakpoints: probes.kept, depth };
    return heritageOf(this.facts, wanted, this.#startTime);
  }

  /** A whole sentence that is shown with the session. */
  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text);
    this.#tell();
  }

  /** The process was dead before the session began: a core file tells of it. */
  diedBefore(pid: number, exit: ExitStatus, crash: StoredCrash): void {
    this.#pid = pid;
    this.#treeEnded = true;
    this.notes.push(crashNote(crash, pid));
    this.#become({ kind: 'ended', exit, at: this.now(), by: 'itself' });
  }

  /** What the threads of the main process do now; null when it does not run. */
  async look(): Promise<ProcessLook | null> {
    if (this.#state.kind !== 'running' || this.#pid === null) return null;
    return withStops(await this.tracing.stops.tasks.look(this.#pid), this.tracing.stops.held);
  }

  /** False when it has started already. */
  setDoing(doing: string): boolean {
    if (this.#state.kind !== 'starting') return false;
    this.#become({ kind: 'starting', doing });
    return true;
  }

  /** The program runs now. */
  running(): void {
    if (this.#state.kind === 'starting') this.#become({ kind: 'running' });
  }

  view(client: Client): SessionView {
    return viewOf(this, client, this.#supervisor);
  }

  /** Finds processes that no exec has told of, so that the next `settle` knows them. */
  async lookForProcesses(): Promise<void> {
    if (this.#treeEnded || (this.facts.follow === 'none' && !this.facts.isAttached)) return;
    await this.#supervisor?.scan().catch(() => undefined);
  }

  /** Read-your-writes: drains up to now. Null when the session is finished: all is stored. */
  async settle(): Promise<Settled | null> {
    await this.#finishedSoon();
    if (this.#supervisor && !this.#treeEnded) await this.#supervisor.clock().catch(() => undefined);
    // The program may have ended while the supervisor answered.
    await this.#finishedSoon();
    const index = this.#index;
    if (!index) return null;
    const areAllStored = await this.tracing.readSoon();
    try {
      const settling = index.settle();
      settling.catch(() => undefined); // Perhaps nobody waits any more.
      const late = (): Error => new StrobeError('TIMED_OUT', 'The index worker does not answer.');
      this.#settled = await (this.#settled ? within(SETTLE_PATIENCE_MS, settling, late) : settling);
    } catch (error) {
      // A store in trouble can still be asked for what it holds.
      if (!this.#settled) throw error;
      this.#settled = { ...this.#settled, complete: false };
    }
    return areAllStored ? this.#settled : { ...this.#settled, complete: false };
  }

  /** Waits until the program runs with its hooks, at most `ms`; false when it does not by then. */
  async started(ms: number): Promise<boolean> {
    return await this.changes.until(() => this.#state.kind !== 'starting', ms);
  }

  /** Lets a process go that waits at its exec; the supervisor must know, or it would do so itself later. */
  async resume(): Promise<void> {
    const runs = this.#pid !== null && (await this.tracing.resume(this.#pid));
    await (runs ? this.#supervisor?.resumed() : this.#supervisor?.resume());
  }

  /** TERM to the whole tree, KILL after the grace; resolves when everything is stored. */
  async stop(graceMs: number, by: EndedBy): Promise<StopReport['how']> {
    if (this.#state.kind === 'released' && this.facts.isAttached) throw letGo(this.#pid);
    if (this.#state.kind === 'released') return stopLeftOver(this.facts.directory, graceMs);
    if (this.#state.kind === 'failed') return await this.#endOrphans(graceMs);
    if (this.isFinished || !this.#supervisor) return 'hadEnded';
    const runs = this.isLive || (!this.#treeEnded && this.processes.running().length > 0);
    let how: StopReport['how'] = runs ? 'terminated' : 'hadEnded';
    if (this.isLive) this.#endedBy = by;
    if (!this.#treeEnded) {
      // What is stopped could not end gently.
      await this.tracing.stops.close();
      await this.#signalTree('SIGTERM');
      await this.#signalTree('SIGCONT');
      if (!(await this.#untilTreeEnds(graceMs))) {
        how = 'killed';
        await this.#signalTree('SIGKILL');
        if (!(await this.#untilTreeEnds(REAP_LIMIT_MS))) {
          // A host that hangs while it enters a process keeps its end from the supervisor.
          await this.tracing.close(false).catch(() => undefined);
          if (!(await this.#untilTreeEnds(REAP_LIMIT_MS))) throw notEnded();
        }
      }
    }
    await this.#storedSoon();
    return how;
  }

  /** Restores the code and lets the target live on; what it writes from then on is read and thrown away. */
  async release(): Promise<void> {
    if (!this.isLive) return;
    await this.tracing.close(true);
    await this.#supervisor?.forget();
    if (this.isLive) {
      this.#become({ kind: 'released', at: this.now() });
      this.#finishing ??= this.#letGo();
    }
    await this.#finishing;
  }

  async #letGo(): Promise<void> {
    await this.#closeStore();
    await this.#supervisor?.quit();
    this.#supervisor?.close();
    this.#supervisor = null;
    this.#tell();
  }

  /** A launch that failed: nothing of it may be left. */
  async abandon(): Promise<void> {
    const { isAttached } = this.facts;
    await this.tracing.close(isAttached).catch(() => undefined);
    if (this.#supervisor && !this.#treeEnded) {
      if (!isAttached)
        await this.#supervisor.signal('SIGKILL', { group: true }).catch(() => undefined);
      await this.#supervisor.quit().catch(() => undefined);
    }
    this.#supervisor?.close();
    this.#supervisor = null;
    const index = this.#index;
    this.#index = null;
    await index?.close().catch(() => undefined);
    removeRings(this.facts.id);
  }

  /** From the index worker: a fact of the target's life. */
  onLife(record: LifeRecord): void {
    this.#noteProcess(record);
    if (record.kind === 'exited' && record.pid === this.#pid) {
      this.#become({ kind: 'ended', exit: record.exit, at: record.time, by: this.#endedBy });
    } else if (record.kind === 'ended') {
      this.#treeEnded = true;
      this.#finishing ??= this.#finish();
    }
    this.changes.notify();
  }

  /** Something was committed. */
  onProgress(settled: Settled): void {
    this.#settled = settled;
    this.changes.notify();
  }

  onFault(message: string): void {
    this.#context.services.log.error('store', 'the store is in trouble', {
      session: this.facts.id,
      message,
    });
    this.note(troubleNote(message));
  }

  /** The store can be written again. */
  onMended(trouble: string): void {
    this.notes.splice(0, this.notes.length, ...mendedNotes(this.notes, trouble, this.now()));
    this.#tell();
  }

  #noteProcess(record: LifeRecord): void {
    if (this.#endedBy === 'itself') this.#crashes.take(record, () => this.processes.running());
    this.processes.take(record, this.facts);
    if (record.kind === 'forkRecords') {
      this.processes.traced(record.pid, { kind: 'traced', hooked: this.tracing.hooks.hooked });
      this.tracing.forked.add(record.pid);
    }
    if (record.kind === 'exec') this.tracing.forked.delete(record.pid);
    const note = noteOf(record);
    if (note !== null) this.note(note);
    const ended = record.kind === 'exited' || record.kind === 'gone';
    if (ended && record.pid !== this.#pid) void this.tracing.processGone(record.pid);
  }

  /** The last drain is usually short; one that is not does not hold up a question. */
  async #finishedSoon(): Promise<void> {
    await this.#crashes.explainedSoon();
    if (this.#finishing) await this.changes.until(() => this.isFinished, FINISH_PATIENCE_MS);
  }

  /** To everything that is left of the tree; nothing may be left already. */
  async #signalTree(name: 'SIGTERM' | 'SIGCONT' | 'SIGKILL'): Promise<void> {
    try {
      await this.#supervisor?.signal(name, { group: true });
    } catch (error) {
      const code = error instanceof StrobeError ? error.code : null;
      const isOver = this.#treeEnded || this.isFinished;
      if (code !== 'SESSION_ENDED' && !(code === 'SUPERVISOR_LOST' && isOver)) throw error;
    }
  }

  /** After a flood of output its end is read late: then the supervisor's word counts, and the rest follows. */
  async #storedSoon(): Promise<void> {
    await this.changes.until(() => this.isFinished, STORED_PATIENCE_MS);
    const exit = this.#supervisor?.exit;
    if (!this.isLive || !exit) return;
    this.#become({ kind: 'ended', exit, at: this.now(), by: this.#endedBy });
    this.note('Its output is still being read: ask again for the last of it.');
  }

  async #untilTreeEnds(limitMs: number): Promise<boolean> {
    const ended = (): boolean => this.#treeEnded || this.#supervisor?.state === 'ended';
    return await this.changes.until(ended, limitMs);
  }

  /** The connection ended before the log said that the tree did: killed, or a full disk. */
  async #supervisorGone(): Promise<void> {
    if (this.#supervisor !== null && !this.#treeEnded) await this.#withoutSupervisor();
  }

  async #withoutSupervisor(): Promise<void> {
    await this.#index?.settle().catch(() => undefined);
    if (this.#treeEnded || this.#finishing) return;
    this.#treeEnded = true;
    if (this.facts.isAttached) {
      this.note('The process watcher exited unexpectedly; Strobe detached from the process.');
      if (this.isLive) this.#become({ kind: 'released', at: this.now() });
      this.#finishing = this.#finish();
      return;
    }
    const at = this.now();
    const { directory } = this.facts;
    const how = this.#supervisor?.end ?? lastWords(directory);
    rmSync(join(directory, 'supervisor.sock'), { force: true });
    const ended = this.facts.onClientExit === 'stop';
    if (ended) await this.#endOrphans(ORPHAN_GRACE_MS);
    const what = ended
      ? 'what was left of the program was ended'
      : `process ${this.#pid ?? '?'} may still run, unobserved: debug_session stop ends it`;
    if (this.isLive) {
      this.#become({
        kind: 'failed',
        code: 'SUPERVISOR_LOST',
        message: `The session's supervisor ended unexpectedly; ${what}. ${how}`.trimEnd(),
        hint: 'What was captured until then can be queried.',
        at,
      });
    }
    this.#finishing = this.#finish();
    this.changes.notify();
  }

  async #endOrphans(graceMs: number): Promise<StopReport['how']> {
    if (this.#pid === null) return 'hadEnded';
    return await endOrphans({ pid: this.#pid, startTime: this.#startTime }, graceMs);
  }

  async #finish(): Promise<void> {
    // The hosts' end is waited for last: an answer needs what is stored, not them.
    const leaving = this.tracing.close(this.#state.kind === 'released').catch(() => undefined);
    if (this.#state.kind === 'released') await leaving;
    if (this.#state.kind === 'running' || this.#state.kind === 'starting') {
      this.#become({
        kind: 'failed',
        code: 'SUPERVISOR_LOST',
        message: 'The program ended without an exit status.',
        hint: 'Launch it again.',
        at: this.now(),
      });
    }
    await this.#crashes.finish();
    await this.#closeStore();
    this.changes.notify();
    await this.#supervisor?.quit().catch(() => undefined);
    this.#supervisor?.close();
    this.#supervisor = null;
    this.#tell();
    await leaving;
  }

  async #closeStore(): Promise<void> {
    const index = this.#index;
    if (!index) return;
    await this.tracing.finish();
    try {
      await index.settleAtEnd();
      await Promise.race([index.finish(), pause(CLOSE_PATIENCE_MS)]);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#context.services.log.error('store', 'the end was not stored', {
        session: this.facts.id,
        why,
      });
      this.note(`The end of what was captured could not be stored and is lost, uncounted: ${why}`);
      await index.close().catch(() => undefined);
    } finally {
      this.#index = null;
      removeRings(this.facts.id);
    }
  }

  #running(): RunningTarget | null {
    const [pid, index] = [this.#pid, this.#index];
    if (!this.isLive || pid === null || !index) return null;
    return { pid, index, atExec: this.#state.kind === 'starting' };
  }

  #become(state: SessionState): void {
    this.#state = state;
    this.#tell();
  }

  #tell(): void {
    this.#onState(this);
    this.changes.notify();
  }
}
