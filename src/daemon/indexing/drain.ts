import { readFileSync } from 'node:fs';
import { monotonicMs, monotonicNs } from '../../base/clock.ts';
import { OutputRingFile } from '../../collector/rings/outputRingFile.ts';
import { OutputLogReader } from '../../collector/supervisor/outputLog.ts';
import type { NumberedFunction } from '../../collector/rings/numberedFunction.ts';
import { storedPayload } from '../../collector/native/armTable.ts';
import { ClockMap } from '../../collector/rings/clockMap.ts';
import { PayloadPlans } from '../../collector/rings/payloadPlan.ts';
import type { RingThread } from '../../collector/rings/ringSink.ts';
import { WakeCalls } from '../../collector/rings/wakeCalls.ts';
import type { SessionWriter } from '../../db/writer/sessionWriter.ts';
import type { TracedThread } from '../../model/eventColumns.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { StoredCrash } from '../../model/endings/crashReport.ts';
import type { WatchDefinition } from '../../model/watches/watch.ts';
import type { WrittenBatch } from '../../model/watches/watchWrite.ts';
import type { RaisedException } from '../../model/endings/exception.ts';
import type { LogRecord } from '../../model/outputRecord.ts';
import type { IndexWorkerOptions, LifeRecord, Settled } from './indexMessages.ts';
import { ownRecord, ownSources, type Sources } from './drainSources.ts';
import { SessionRings } from './sessionRings.ts';

/** Times from the cycle counter may be off by this much against CLOCK_MONOTONIC. */
const CLOCK_SLACK_NS = 50_000;
/** Of threads that ended, so many are remembered. */
const MOST_LEFT = 256;
/** A flood of output holds up neither rings nor questions for longer than this at a time. */
const POLL_LIMIT_MS = 200;
/** A poll that takes longer commits on the way. */
const PART_COMMIT_MS = 500;
/** So does one that has read so much: rings grow by what is not stored. */
const PART_COMMIT_BYTES = 8 << 20;

/** The whole data plane of one session: rings and output log → store. */
export class Drain {
  readonly #writer: SessionWriter;
  readonly #options: IndexWorkerOptions;
  #log: OutputLogReader;
  readonly #startNs: bigint;
  readonly #clock: ClockMap;
  readonly #plans = new PayloadPlans();
  readonly #rings: SessionRings;
  /** Of attached processes. */
  readonly #outputs: OutputRingFile[] = [];
  readonly #wakeCalls = new WakeCalls();
  readonly #threadKeys = new Map<string, number>();
  /** Those whose slot is given back with the next commit: nothing more comes from them. */
  readonly #endedIdentities: string[] = [];
  /** Threads whose slot ended, by pid and tid: it ends with the thread, or with its agent. */
  readonly #left = new Map<string, { readonly key: number; readonly ring: string }>();
  /** Forked processes of which only their own records told: nobody else will tell their ends. */
  readonly #unwatched = new Set<number>();
  /** Threads of programs that another has replaced; they end once all they wrote is read. */
  readonly #replaced: number[] = [];
  readonly #liveThreads = new Map<number, TracedThread>();
  readonly #onLife: (record: LifeRecord) => void;
  readonly #alive: () => void;
  #pid = 0;
  #ended = false;
  #outputBehind = false;
  #lastOutput = 0;
  #nextKey = 1;
  #committedAt = monotonicMs();
  #bytesRead = 0;

  constructor(
    options: IndexWorkerOptions,
    writer: SessionWriter,
    onLife: (record: LifeRecord) => void,
    /** Called often while much is read at once. */
    alive: () => void,
  ) {
    this.#options = options;
    this.#writer = writer;
    this.#startNs = BigInt(options.startNs);
    this.#clock = new ClockMap(this.#startNs);
    this.#log = OutputLogReader.open(options.outputLog, this.#startNs);
    this.#onLife = (record) => {
      if (record.kind === 'forkRecords') this.#unwatched.add(record.pid);
      else if ('pid' in record) this.#unwatched.delete(record.pid);
      onLife(record);
    };
    this.#alive = alive;
    this.#rings = new SessionRings(this.#clock, this.#plans, {
      overwritten: (thread, count) =>
        writer.recordLoss('ringOverwritten', count, this.#now(), this.#keyOf(thread)),
      events: (thread, events) => writer.append(this.#keyOf(thread), events),
      partRead: (bytes) => this.#partRead(bytes),
      counted: (thread, calls) => writer.countCalls(this.#keyOf(thread), calls),
      torn: (thread, count) => writer.recordLoss('torn', count, this.#now(), this.#keyOf(thread)),
      undefinedFunction: (thread, count) =>
        writer.recordLoss('undefinedFunction', count, this.#now(), this.#keyOf(thread)),
      defined: (ring, definitions) => writer.define(ring, definitions),
      definitionsUnread: (count) => writer.recordLoss('definitionUnread', count, this.#now(), null),
      threadEnded: (thread, isOver) => this.#threadEnded(thread, isOver),
      lost: (cause, count) => writer.recordLoss(cause, count, this.#now(), null),
      forked: (pid, parent, at) => this.#forked(pid, parent, at),
      ended: (pid) => this.#forkedEnded(pid),
      removed: (ring) => this.#forgetThreads(ring),
    });
  }

  /**
   * Takes up sources as an earlier worker left them; what it was told of the target's life is told
   * again. Returns what is gone.
   */
  continueFrom(sources: string | null): string[] {
    for (const json of this.#writer.life()) this.#onLife(ownRecord(json));
    for (const fn of this.#writer.functions()) {
      this.#plans.set(fn.number, storedPayload(fn));
      this.#rings.definitions.know(fn);
    }
    if (sources === null) return [];
    const state = ownSources(sources);
    this.#rings.definitions.continueFrom(state.definitions);
    const log = OutputLogReader.open(this.#options.outputLog, this.#startNs, state.log);
    this.#log.close();
    this.#log = log;
    this.#pid = state.pid;
    this.#ended = state.ended;
    this.#lastOutput = state.lastOutput;
    this.#nextKey = state.nextKey;
    for (const [tsc, ns] of state.anchors)
      this.#clock.add({ tsc: BigInt(tsc), monotonicNs: BigInt(ns) });
    for (const [name, left] of state.left) this.#left.set(name, left);
    for (const { identity, ...info } of state.threads) {
      this.#threadKeys.set(identity, info.key);
      this.#liveThreads.set(info.key, info);
    }
    return [
      ...this.#rings.continueFrom(state.rings),
      ...(state.outputs ?? []).flatMap(({ path, position }) => this.#openOutput(path, position)),
    ];
  }

  defineFunctions(functions: readonly NumberedFunction[]): void {
    this.#writer.defineFunctions(functions.map((fn) => fn.traced));
    for (const { traced, payload } of functions) this.#plans.set(traced.number, payload);
  }

  defineWatches(watches: readonly WatchDefinition[]): void {
    this.#writer.defineWatches(watches);
  }

  addCrash(crash: StoredCrash): void {
    this.#writer.appendCrash(crash);
  }

  addException(exception: RaisedException): void {
    this.#writer.appendException(exception);
  }

  addWrites(writes: WrittenBatch): void {
    this.#writer.appendWrites(writes);
  }

  addUntraced(from: SessionNs, to: SessionNs): void {
    this.#writer.recordLoss('untraced', Math.max(1, Math.ceil((to - from) / 1e6)), from, null);
  }

  /** Adding a ring twice is a no-op. */
  addRing(path: string): void {
    this.#rings.add(path);
  }

  /** Reads what an attached process writes, or reads it on; throws when the file is none. */
  addOutput(path: string): void {
    if (this.#outputs.some((output) => output.path === path)) return;
    this.#outputs.push(new OutputRingFile(path, this.#startNs));
  }

  /** Reads what is there; returns whether anything was. */
  poll(final = false): boolean {
    let any = this.pollOutput();
    this.#rings.takeAnchors();
    if (this.#clock.ready && this.#rings.poll(final)) any = true;
    for (const key of this.#replaced.splice(0)) this.#endThread(key);
    return any;
  }

  /**
   * `woken` is called when the next thing is there to be read: look once more a little later, then only now
   * and then. False when only looking tells. Until `rouse` no file may be added or committed.
   */
  sleep(woken: () => void): boolean {
    return this.#wakeCalls.sleep([...this.#rings.files, ...this.#outputs], woken);
  }

  rouse(): void {
    this.#wakeCalls.wake();
  }

  /** Reads all output to its end, or for `limitMs`; `outputBehind` says which. */
  pollOutput(limitMs = POLL_LIMIT_MS): boolean {
    const until = monotonicMs() + limitMs;
    let any = false;
    for (;;) {
      this.#outputBehind = this.#readOutput();
      if (!this.#outputBehind) return any;
      any = true;
      this.#alive();
      if (monotonicMs() > until) return any;
    }
  }

  #readOutput(): boolean {
    let any = false;
    for (const output of this.#outputs) {
      for (const item of output.read()) {
        any = true;
        if (item.kind === 'lost')
          this.#writer.recordLoss('outputBurst', item.bytes, item.time, null);
        else this.#take(item);
      }
    }
    for (const item of this.#log.read()) {
      any = true;
      this.#take(item);
    }
    return any;
  }

  #openOutput(path: string, position: number): string[] {
    try {
      this.#outputs.push(new OutputRingFile(path, this.#startNs, position));
      return [];
    } catch (error) {
      return [`Reading the output of its process failed: ${String(error)}.`];
    }
  }

  /**
   * Drains up to this moment and commits. Output that cannot be read within the limit is left for
   * later, and `until` says how far it came; `final` reads everything.
   */
  settle(final: boolean): Settled {
    const before = this.#now();
    this.poll(final);
    if (final) {
      this.pollOutput(Number.POSITIVE_INFINITY);
      for (const output of this.#outputs) {
        const dropped = output.droppedAtEnd();
        if (dropped > 0) this.#writer.recordLoss('outputBurst', dropped, this.#now(), null);
      }
    }
    const complete = !this.#outputBehind;
    const until = !complete
      ? this.#lastOutput
      : final || this.#ended
        ? this.#now()
        : Math.max(0, before - CLOCK_SLACK_NS);
    this.commit(until);
    return { until, complete, summary: this.#writer.summary() };
  }

  /** Much is there: what was read so far is stored before all is read. */
  #partRead(bytes: number): void {
    this.#alive();
    this.#bytesRead += bytes;
    const isDue = monotonicMs() - this.#committedAt >= PART_COMMIT_MS;
    if (!isDue && this.#bytesRead < PART_COMMIT_BYTES) return;
    this.commit(this.#writer.summary().indexedTo);
  }

  commit(indexedTo = Math.max(0, this.#now() - CLOCK_SLACK_NS)): void {
    this.#refreshNames();
    this.#writer.commit(indexedTo, this.#sources());
    this.#rings.publishConsumed();
    for (const identity of this.#endedIdentities.splice(0)) this.#threadKeys.delete(identity);
    for (const output of this.#outputs) output.publishRead();
    this.#committedAt = monotonicMs();
    this.#bytesRead = 0;
    this.#alive();
  }

  /** A commit should not wait: rings of threads that have ended are wanted by others. */
  get isPressed(): boolean {
    return this.#rings.areCrowded;
  }

  /** As `settle`, of what is committed. */
  get committed(): Settled {
    const summary = this.#writer.summary();
    return { until: summary.indexedTo, complete: false, summary };
  }

  close(): void {
    this.rouse();
    this.#rings.close();
    for (const output of this.#outputs) output.close();
    this.#log.close();
    this.#writer.close();
  }

  /** How far everything was read: part of the commit that stores it. */
  #sources(): string {
    const threads: Sources['threads'][number][] = [];
    for (const [identity, key] of this.#threadKeys) {
      const info = this.#liveThreads.get(key);
      if (info) threads.push({ identity, ...info });
    }
    const sources: Sources = {
      log: this.#log.offset,
      pid: this.#pid,
      ended: this.#ended,
      lastOutput: this.#lastOutput,
      nextKey: this.#nextKey,
      anchors: this.#clock.anchors.map((anchor) => [
        String(anchor.tsc),
        String(anchor.monotonicNs),
      ]),
      rings: this.#rings.state(),
      definitions: this.#rings.definitions.state(),
      outputs: this.#outputs.map(({ path, position }) => ({ path, position })),
      left: [...this.#left],
      threads,
    };
    return JSON.stringify(sources);
  }

  #now(): number {
    return Number(monotonicNs() - this.#startNs);
  }

  #take(item: LogRecord): void {
    switch (item.kind) {
      case 'output':
        this.#lastOutput = item.time;
        this.#writer.appendOutput([
          { stream: item.stream, pid: this.#pid, time: item.time, bytes: item.bytes },
        ]);
        return;
      case 'clock':
        this.#clock.add({ tsc: item.tsc, monotonicNs: item.monotonicNs });
        return;
      case 'started':
        this.#pid = item.pid;
        this.#writer.appendProcess(item);
        break;
      case 'exited':
      case 'gone':
        this.#writer.appendProcess(item);
        break;
      case 'exec':
        this.#replaced.push(...this.#threadsOf(item.pid));
        for (const name of this.#left.keys())
          if (name.startsWith(`${item.pid}.`)) this.#left.delete(name);
        this.#writer.appendProcess(item);
        break;
      case 'forked':
        this.#writer.appendProcess(item);
        break;
      case 'ended':
        this.#writer.endOutput();
        this.#ended = true;
        break;
      case 'lost':
        this.#writer.recordLoss('outputUnkept', item.bytes, item.time, null);
        return;
      case 'unkept':
        this.#writer.recordLoss('factsUnkept', item.facts, item.time, null);
        return;
      case 'follow':
      case 'unasked':
      case 'waited':
      case 'failover':
      case 'execFailed':
      case 'closed':
    }
    this.#tell(item);
  }

  #tell(record: LifeRecord): void {
    this.#writer.keepLife(JSON.stringify(record));
    this.#onLife(record);
  }

  #keyOf(thread: RingThread): number {
    const identity = identityOf(thread);
    const known = this.#threadKeys.get(identity);
    if (known !== undefined) return known;
    const key = this.#leftBehind(thread) ?? this.#nextKey++;
    this.#threadKeys.set(identity, key);
    const info = { key, pid: thread.pid, tid: thread.tid, name: currentName(thread) };
    this.#liveThreads.set(key, info);
    this.#writer.defineThread(info, thread.ring);
    return key;
  }

  #threadEnded(thread: RingThread, isOver: boolean): void {
    const key = this.#keyOf(thread);
    if (!isOver) this.#leave(thread, key);
    this.#endedIdentities.push(identityOf(thread));
    this.#endThread(key);
  }

  #leave({ pid, tid, ring }: RingThread, key: number): void {
    this.#left.set(`${pid}.${tid}`, { key, ring });
    const [oldest] = this.#left.keys();
    if (this.#left.size > MOST_LEFT && oldest !== undefined) this.#left.delete(oldest);
  }

  /**
   * The key of a thread whose agent went with its host: the next one gave it another ring. What was
   * open then is still above what it calls now.
   */
  #leftBehind({ pid, tid, ring }: RingThread): number | null {
    const left = this.#left.get(`${pid}.${tid}`);
    this.#left.delete(`${pid}.${tid}`);
    return left && left.ring !== ring ? left.key : null;
  }

  #endThread(key: number): void {
    this.#liveThreads.delete(key);
    this.#writer.threadEnded(key);
  }

  /** Those that end with the program of their process. */
  #threadsOf(pid: number): number[] {
    return [...this.#liveThreads.values()].filter((info) => info.pid === pid).map(({ key }) => key);
  }

  #forked(pid: number, parent: number, at: bigint): void {
    const time = Math.max(0, Number(at - this.#startNs));
    const fact = { kind: 'forkRecords', pid, parent, time } as const;
    this.#writer.appendProcess(fact);
    this.#tell(fact);
  }

  #forkedEnded(pid: number): void {
    if (this.#unwatched.has(pid)) this.#take({ kind: 'gone', time: this.#now(), pid });
  }

  /** A later process may have the same number, and its ring the same name. */
  #forgetThreads(ring: string): void {
    for (const identity of this.#threadKeys.keys())
      if (identity.startsWith(`${ring} `)) this.#threadKeys.delete(identity);
  }

  /** Threads are often named after their first traced call. */
  #refreshNames(): void {
    for (const [key, info] of this.#liveThreads) {
      const name = currentName(info);
      if (name === info.name) continue;
      const renamed = { ...info, name };
      this.#liveThreads.set(key, renamed);
      this.#writer.defineThread(renamed);
    }
  }
}

function identityOf({ ring, tid, slot, generation }: RingThread): string {
  return `${ring} ${tid}.${slot}.${generation}`;
}

/** The kernel's name of a thread, else the one its ring was begun with. */
function currentName(thread: {
  readonly pid: number;
  readonly tid: number;
  readonly name: string;
}): string {
  try {
    return readFileSync(`/proc/${thread.pid}/task/${thread.tid}/comm`, 'utf8').trimEnd();
  } catch {
    return thread.name; // The thread has ended.
  }
}
