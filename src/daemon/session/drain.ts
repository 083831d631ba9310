import { readFileSync } from 'node:fs';
import { monotonicMs, monotonicNs } from '../../base/clock.ts';
import { OutputLogReader } from '../../collector/keeper/outputLog.ts';
import type { NumberedFunction } from '../../collector/native/functionNumbers.ts';
import { storedPayload } from '../../collector/native/armTable.ts';
import { ClockMap } from '../../collector/rings/clockMap.ts';
import { PayloadPlans } from '../../collector/rings/payloadPlan.ts';
import { RingFile, type RingThread, type SlotState } from '../../collector/rings/ringFile.ts';
import type { SessionWriter } from '../../db/writer/sessionWriter.ts';
import type { TracedThread } from '../../model/eventColumns.ts';
import type { LogRecord } from '../../model/output.ts';
import { describeExit } from '../report/exit.ts';
import type { IndexWorkerOptions, LifeRecord, Settled } from './indexMessages.ts';

/** Times from the cycle counter may be off by this much against CLOCK_MONOTONIC. */
const CLOCK_SLACK_NS = 50_000;
/** A flood of output holds up neither rings nor questions for longer than this at a time. */
const POLL_LIMIT_MS = 200;

/** The whole data plane of one session: rings and output log → store. */
export class Drain {
  readonly #writer: SessionWriter;
  readonly #options: IndexWorkerOptions;
  #log: OutputLogReader;
  readonly #startNs: bigint;
  readonly #clock: ClockMap;
  readonly #plans = new PayloadPlans();
  readonly #rings: RingFile[] = [];
  readonly #threadKeys = new Map<string, number>();
  readonly #liveThreads = new Map<number, TracedThread>();
  readonly #onLife: (record: LifeRecord) => void;
  #pid = 0;
  #lostNoRing = 0;
  #lostNoMemory = 0;
  #ended = false;
  #outputBehind = false;
  #lastOutput = 0;
  #nextKey = 1;

  constructor(
    options: IndexWorkerOptions,
    writer: SessionWriter,
    onLife: (record: LifeRecord) => void,
  ) {
    this.#options = options;
    this.#writer = writer;
    this.#startNs = BigInt(options.startNs);
    this.#clock = new ClockMap(this.#startNs);
    this.#log = OutputLogReader.open(options.outputLog, this.#startNs);
    this.#onLife = onLife;
  }

  /**
   * Takes up sources as an earlier worker left them; what it was told of the target's life is told
   * again. Returns what is gone.
   */
  continueFrom(sources: string | null): string[] {
    for (const json of this.#writer.life()) this.#onLife(ownRecord(json));
    for (const fn of this.#writer.functions()) this.#plans.set(fn.number, storedPayload(fn));
    if (sources === null) return [];
    const state = ownSources(sources);
    this.#log.close();
    this.#log = OutputLogReader.open(this.#options.outputLog, this.#startNs, state.log);
    this.#pid = state.pid;
    this.#ended = state.ended;
    this.#lastOutput = state.lastOutput;
    this.#nextKey = state.nextKey;
    this.#lostNoRing = state.lostNoRing;
    this.#lostNoMemory = state.lostNoMemory;
    for (const [tsc, ns] of state.anchors)
      this.#clock.add({ tsc: BigInt(tsc), monotonicNs: BigInt(ns) });
    for (const { identity, ...info } of state.threads) {
      this.#threadKeys.set(identity, info.key);
      this.#liveThreads.set(info.key, info);
    }
    const gone: string[] = [];
    for (const { path, slots } of state.rings) {
      try {
        this.#openRing(path, slots);
      } catch (error) {
        gone.push(`The ring ${path} cannot be read on: ${String(error)}.`);
      }
    }
    return gone;
  }

  defineFunctions(functions: readonly NumberedFunction[]): void {
    this.#writer.defineFunctions(functions.map((fn) => fn.traced));
    for (const { traced, payload } of functions) this.#plans.set(traced.number, payload);
  }

  /** A ring that is read already is read on. */
  addRing(path: string): void {
    if (!this.#rings.some((ring) => ring.path === path)) this.#openRing(path);
  }

  /** Reads what is there; returns whether anything was. */
  poll(final = false): boolean {
    let any = this.pollOutput();
    if (!this.#clock.ready) return any;
    for (const ring of this.#rings) {
      const read = ring.poll(
        this.#clock,
        this.#plans,
        {
          overwritten: (thread, count) =>
            this.#writer.recordLoss('ringOverwritten', count, this.#now(), this.#keyOf(thread)),
          events: (thread, events) => this.#writer.append(this.#keyOf(thread), events),
          torn: (thread, count) =>
            this.#writer.recordLoss('torn', count, this.#now(), this.#keyOf(thread)),
          threadEnded: (thread) => this.#threadEnded(thread),
        },
        final,
      );
      if (read) any = true;
      this.#countWithoutRing(ring);
    }
    return any;
  }

  /** Reads the log to its end, or for `limitMs`; `outputBehind` says which. */
  pollOutput(limitMs = POLL_LIMIT_MS): boolean {
    const until = monotonicMs() + limitMs;
    let any = false;
    for (;;) {
      const records = this.#log.read();
      this.#outputBehind = records.length > 0;
      if (records.length === 0) return any;
      any = true;
      for (const item of records) this.#take(item);
      if (monotonicMs() > until) return any;
    }
  }

  /**
   * Drains up to this moment and commits. Output that cannot be read within the limit is left for
   * later, and `until` says how far it came; `final` reads everything.
   */
  settle(final: boolean): Settled {
    const before = this.#now();
    this.poll(final);
    if (final) this.pollOutput(Number.POSITIVE_INFINITY);
    const complete = !this.#outputBehind;
    const until = !complete
      ? this.#lastOutput
      : final || this.#ended
        ? this.#now()
        : Math.max(0, before - CLOCK_SLACK_NS);
    this.commit(until);
    return { until, complete, summary: this.#writer.summary() };
  }

  commit(indexedTo = Math.max(0, this.#now() - CLOCK_SLACK_NS)): void {
    this.#refreshNames();
    this.#writer.commit(indexedTo, this.#sources());
    for (const ring of this.#rings) ring.publishConsumed();
  }

  close(): void {
    for (const ring of this.#rings) ring.close();
    this.#log.close();
    this.#writer.close();
  }

  #openRing(path: string, slots?: Sources['rings'][number]['slots']): void {
    const ring = new RingFile(path, slots);
    this.#clock.add(ring.anchor);
    this.#rings.push(ring);
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
      lostNoRing: this.#lostNoRing,
      lostNoMemory: this.#lostNoMemory,
      anchors: this.#clock.anchors.map((anchor) => [
        String(anchor.tsc),
        String(anchor.monotonicNs),
      ]),
      rings: this.#rings.map((ring) => ({ path: ring.path, slots: ring.state() })),
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
        this.#writer.appendProcess({ time: item.time, pid: item.pid, text: 'started' });
        break;
      case 'exited':
        this.#writer.appendProcess({
          time: item.time,
          pid: item.pid,
          text: describeExit(item.exit),
        });
        break;
      case 'ended':
        this.#ended = true;
        break;
      case 'lost':
        this.#writer.recordLoss('outputLimit', item.bytes, item.time, null);
        return;
      case 'execFailed':
      case 'closed':
        break;
    }
    this.#writer.keepLife(JSON.stringify(item));
    this.#onLife(item);
  }

  #keyOf(thread: RingThread): number {
    const identity = `${thread.pid}.${thread.tid}.${thread.slot}.${thread.generation}`;
    const known = this.#threadKeys.get(identity);
    if (known !== undefined) return known;
    const key = this.#nextKey++;
    this.#threadKeys.set(identity, key);
    const info = { key, pid: thread.pid, tid: thread.tid, name: currentName(thread) };
    this.#liveThreads.set(key, info);
    this.#writer.defineThread(info);
    return key;
  }

  #threadEnded(thread: RingThread): void {
    const key = this.#keyOf(thread);
    this.#liveThreads.delete(key);
    this.#writer.threadEnded(key);
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

  #countWithoutRing(ring: RingFile): void {
    const { noRing, noMemory } = ring.lostWithoutRing();
    if (noRing > this.#lostNoRing) {
      this.#writer.recordLoss('noRing', noRing - this.#lostNoRing, this.#now(), null);
      this.#lostNoRing = noRing;
    }
    if (noMemory > this.#lostNoMemory) {
      this.#writer.recordLoss('noMemory', noMemory - this.#lostNoMemory, this.#now(), null);
      this.#lostNoMemory = noMemory;
    }
  }
}

/** How far an index worker has read what it reads. */
interface Sources {
  /** Offset in the output log. */
  readonly log: number;
  readonly pid: number;
  readonly ended: boolean;
  readonly lastOutput: number;
  readonly nextKey: number;
  readonly lostNoRing: number;
  readonly lostNoMemory: number;
  readonly anchors: readonly (readonly [tsc: string, monotonicNs: string])[];
  readonly rings: readonly { readonly path: string; readonly slots: (SlotState | null)[] }[];
  readonly threads: readonly (TracedThread & { readonly identity: string })[];
}

/** Both were written by `Drain`, and a store of another layout is refused when it is opened. */
function ownSources(json: string): Sources {
  // oxlint-disable-next-line typescript/no-unsafe-return
  return JSON.parse(json);
}

function ownRecord(json: string): LifeRecord {
  // oxlint-disable-next-line typescript/no-unsafe-return
  return JSON.parse(json);
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
