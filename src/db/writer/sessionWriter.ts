import type {
  CountedCalls,
  EventColumns,
  TracedThread,
  TracedFunction,
} from '../../model/eventColumns.ts';
import type { DefiningRing, Definition } from '../../model/functions/definition.ts';
import type { SessionNs } from '../../model/ids.ts';
import { eventLosses, type LossCause } from '../../model/loss.ts';
import type { WatchDefinition } from '../../model/watches/watch.ts';
import type { WrittenBatch } from '../../model/watches/watchWrite.ts';
import { crashLine } from '../../model/endings/crashLine.ts';
import type { StoredCrash } from '../../model/endings/crashReport.ts';
import type { StoreSummary } from '../../model/questions/query.ts';
import { processText, type ProcessFact } from '../../model/processFact.ts';
import type { RaisedException } from '../../model/endings/exception.ts';
import { exceptionLine } from '../../model/endings/exceptionLine.ts';
import { blockCalls } from '../blockFormat.ts';
import { sessionMigrations, sessionPageSize } from '../sessionSchema.ts';
import { Sqlite, type Statement } from '../sqlite.ts';
import { BlockEncoder } from './blockEncoder.ts';
import { BlockTable } from './blockTable.ts';
import { CallEvents } from './callEvents.ts';
import { Continuation } from './continuation.ts';
import { Counters } from './counters.ts';
import { addTo, EndedThreads } from './endedThreads.ts';
import { DynamicSecrets } from './dynamicSecrets.ts';
import { Definitions } from './storedDefinitions.ts';
import { FunctionFacts } from './functionFacts.ts';
import { readFunctions } from '../functionRows.ts';
import { readThreads, runningThreads, ThreadList } from '../threadRows.ts';
import { Losses } from './losses.ts';
import { OutputLines, type OutputChunk } from './outputLines.ts';
import type { Recorder } from './recorder.ts';
import { StringTable } from './strings.ts';
import { ThreadLog } from './threadLog.ts';
import { SuspendedCalls } from './suspendedCalls.ts';
import { WatchSamples } from './watchSamples.ts';

export interface WriterOptions {
  readonly sessionId: string;
  /** Enter and end events kept; beyond it whole blocks go, oldest first. Default: no limit. */
  readonly maxEvents?: number;
  /** Calls in a full block. Default 16,384, which is also the most. */
  readonly blockCalls?: number;
  /** Bytes of output kept; beyond it the oldest lines go. Default 256 MiB. */
  readonly maxOutputBytes?: number;
  /** Values of dynamic languages whose names hold one of these are not stored (model/redaction). Default: the usual ones. */
  readonly secretNames?: readonly string[];
  /** Output came through a terminal, which ends lines with CR LF: the CR is no part of the line. */
  readonly terminal?: boolean;
}

type FunctionRow = [
  number: number,
  name: string,
  signature: string,
  linkageName: string,
  module: string,
  file: string | null,
  line: number | null,
  values: string,
  address: number | null,
];

const DEFAULT_OUTPUT_BYTES = 256 << 20;

/**
 * The one writer of a session's file. Synchronous: it lives in a worker thread. What was
 * appended becomes visible, all at once, with `commit`; a process that dies before loses only
 * what came after the last commit.
 */
export class SessionWriter {
  readonly #db: Sqlite;
  readonly #to: Recorder;
  readonly #logs = new Map<number, ThreadLog>();
  readonly #dirty = new Set<ThreadLog>();
  readonly #ending = new Set<ThreadLog>();
  readonly #ended: EndedThreads;
  readonly #threads = new ThreadList();
  readonly #output: OutputLines;
  readonly #losses: Losses;
  readonly #continuation: Continuation;
  readonly #maxEvents: number;
  readonly #secrets: DynamicSecrets;
  readonly #saveFunction: Statement<FunctionRow>;
  readonly #saveThread: Statement<
    [key: number, pid: number, tid: number, name: string, ring: string | null]
  >;
  readonly #endThread: Statement<[key: number]>;
  readonly #saveProcess: Statement<[time: number, pid: number, text: string]>;
  readonly #saveSummary: Statement<[json: string, functionsVersion: number]>;
  /** Calls without events, by function number. */
  readonly #sampled = new Map<number, number>();
  #sampledEvents = 0;
  #indexedTo: SessionNs = 0;
  #functionsVersion = 0;
  #sources: string | null = null;

  private constructor(db: Sqlite, options: WriterOptions) {
    this.#db = db;
    this.#maxEvents = options.maxEvents ?? Number.POSITIVE_INFINITY;
    const facts = new FunctionFacts();
    this.#secrets = new DynamicSecrets(options.secretNames, facts);
    // Small enough that the limit can be kept by dropping whole blocks.
    const perBlock = Math.min(
      options.blockCalls ?? blockCalls,
      Math.max(64, Math.min(blockCalls, Math.floor(this.#maxEvents / 32))),
    );
    this.#to = {
      facts,
      functions: new Counters(db, 'function_counters'),
      threads: new Counters(db, 'thread_counters'),
      encoder: new BlockEncoder(facts),
      blocks: new BlockTable(db),
      strings: new StringTable(db),
      samples: new WatchSamples(db),
      events: new CallEvents(db),
      waiting: new SuspendedCalls(db),
      definitions: new Definitions(db),
      blockCalls: perBlock,
    };
    this.#output = new OutputLines(
      db,
      options.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES,
      options.terminal ?? false,
    );
    this.#losses = new Losses(db);
    this.#continuation = new Continuation(db);
    this.#ended = new EndedThreads(this.#to, this.#continuation);
    this.#saveFunction = db.prepare(
      'INSERT OR REPLACE INTO functions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#saveThread = db.prepare(
      `INSERT INTO threads (key, pid, tid, name, ring) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET pid = excluded.pid, tid = excluded.tid, name = excluded.name, ended = 0`,
    );
    this.#endThread = db.prepare('UPDATE threads SET ended = 1 WHERE key = ?');
    this.#saveProcess = db.prepare('INSERT INTO processes (time_ns, pid, text) VALUES (?, ?, ?)');
    this.#saveSummary = db.prepare('INSERT OR REPLACE INTO summary VALUES (1, ?, ?)');
  }

  /** Creates the file. A session is written once: an existing file is refused (STORE_FAILED). */
  static open(path: string, options: WriterOptions): SessionWriter {
    const db = Sqlite.create(path, {
      migrations: sessionMigrations,
      pageSize: sessionPageSize,
      // A capture is worth less than the time its program would wait for the disk.
      survives: 'processDeath',
    });
    try {
      const writer = new SessionWriter(db, options);
      writer.commit(0);
      return writer;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /**
   * Goes on with a file where its last commit ended, whatever became of its writer; makes it when
   * there is none. `sources` is what the last commit was given, null when it never was.
   */
  static continue(
    path: string,
    options: WriterOptions,
  ): { writer: SessionWriter; sources: string | null } {
    const db = Sqlite.open(path, {
      migrations: sessionMigrations,
      pageSize: sessionPageSize,
      survives: 'processDeath',
    });
    try {
      const writer = new SessionWriter(db, options);
      const sources = writer.#continue();
      writer.commit(0);
      return { writer, sources };
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Adds functions or replaces what is known of them. Before the first event that names them. */
  defineFunctions(functions: readonly TracedFunction[]): void {
    this.#begin();
    this.#functionsVersion++;
    for (const fn of functions) {
      this.#to.facts.set(fn);
      const { captured, uncaptured, returns, secretReturn, endsUnseen, probe } = fn;
      const values = { captured, uncaptured, returns, secretReturn, endsUnseen, probe };
      this.#saveFunction.run(
        fn.number,
        fn.name,
        fn.signature,
        fn.linkageName,
        fn.module,
        fn.file,
        fn.line,
        JSON.stringify(values),
        fn.address,
      );
    }
  }

  /** Adds what a process defined, functions included. Before the first event that refers to it. */
  define(ring: DefiningRing, definitions: readonly Definition[]): void {
    this.#begin();
    this.#to.definitions.add(ring, definitions);
    const functions = this.#secrets.functionsOf(definitions);
    if (functions.length > 0) this.defineFunctions(functions);
  }

  /** Adds watches. Before the first event that names them. */
  defineWatches(watches: readonly WatchDefinition[]): void {
    this.#begin();
    this.#to.samples.define(watches);
  }

  /** Adds a thread, or gives it a new name. Keys rise. `ring`: by whose definitions its values are read. */
  defineThread(thread: TracedThread, ring: string | null = null): void {
    this.#begin();
    this.#threads.add(thread);
    this.#to.definitions.threadWrites(thread.key, ring);
    this.#saveThread.run(thread.key, thread.pid, thread.tid, thread.name, ring);
  }

  /** Events of one thread, in order. What was lost before them is counted by `recordLoss`. */
  append(threadKey: number, events: EventColumns): void {
    this.#begin();
    const log = this.#log(threadKey);
    log.append(this.#secrets.without(events, this.#to.definitions.of(threadKey)));
    this.#losses.add('unpaired', log.unpaired, log.lastTime, threadKey);
    this.#losses.add('eventLimit', log.lateDropped, log.lastTime, threadKey);
    log.unpaired = 0;
    log.lateDropped = 0;
  }

  /** Calls of one thread that left no events. */
  countCalls(threadKey: number, counted: readonly CountedCalls[]): void {
    this.#begin();
    const { functions, threads } = this.#to;
    for (const calls of counted) {
      functions.counted(functions.at(calls.fn), calls);
      threads.counted(threads.at(threadKey), calls);
      this.#sampled.set(calls.fn, (this.#sampled.get(calls.fn) ?? 0) + calls.calls);
      this.#sampledEvents += calls.calls + calls.timed;
    }
  }

  appendOutput(chunks: readonly OutputChunk[]): void {
    this.#begin();
    for (const chunk of chunks) this.#output.append(chunk);
  }

  /** No output follows. */
  endOutput(): void {
    this.#begin();
    this.#output.end();
  }

  /** Its text is what SQL and a search read. */
  appendProcess(fact: ProcessFact): void {
    this.#begin();
    this.#saveProcess.run(fact.time, fact.pid, processText(fact));
  }

  /**
   * An explained end of a process; that of one known already says nothing new. Its text is what SQL and a
   * search read.
   */
  appendCrash({ time, pid, report }: StoredCrash): void {
    this.#begin();
    this.#db
      .prepare(
        `INSERT INTO crashes (time_ns, pid, text, json) SELECT ?, ?, ?, ?
         WHERE NOT EXISTS (SELECT 1 FROM crashes WHERE time_ns = ? AND pid = ?)`,
      )
      .run(time, pid, crashLine(report), JSON.stringify(report), time, pid);
  }

  /** One of the same key is replaced. Its text is what SQL and a search read. */
  appendException(exception: RaisedException): void {
    this.#begin();
    const { key, time, pid, tid, type, message } = exception;
    const text = exceptionLine(exception);
    this.#db
      .prepare(
        `INSERT INTO exceptions (key, time_ns, pid, tid, type, message, text, json)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET text = excluded.text, json = excluded.json`,
      )
      .run(key, time, pid, tid, type, message, text, JSON.stringify(exception));
  }

  /** Writes to watched places, with the places in the code they came from. */
  appendWrites({ sites, writes, missed }: WrittenBatch): void {
    this.#begin();
    const site = this.#db.prepare('INSERT OR REPLACE INTO write_sites VALUES (?, ?)');
    for (const { id, frames } of sites) site.run(id, JSON.stringify(frames));
    const write = this.#db.prepare(
      'INSERT INTO watch_writes (watch, time_ns, pid, tid, site, near, old, now) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    for (const { watch, time, pid, tid, site: from, isNear, old, now } of writes)
      write.run(watch, time, pid, tid, from, isNear ? 1 : 0, old, now);
    if (missed) this.#losses.add('writesMissed', missed.count, missed.time, null);
  }

  recordLoss(cause: LossCause, count: number, time: SessionNs, thread: number | null): void {
    this.#losses.add(cause, count, time, thread);
  }

  /** A fact that is told again to whoever goes on with this file, JSON. */
  keepLife(json: string): void {
    this.#begin();
    this.#continuation.saveLife(json);
  }

  /** What `keepLife` was given, by this writer and those before it. */
  life(): string[] {
    return this.#continuation.life();
  }

  /** All functions of the file. */
  functions(): TracedFunction[] {
    return readFunctions(this.#db);
  }

  /** The number that no watch of the file has had. */
  nextWatch(): number {
    return this.#db.number('SELECT coalesce(max(number) + 1, 0) FROM watches');
  }

  /** No more events of this thread will come. Its open calls stay open. */
  threadEnded(key: number): void {
    this.#begin();
    this.#endThread.run(key);
    const log = this.#logs.get(key);
    if (!log) return;
    log.release();
    this.#dirty.add(log);
    this.#ending.add(log);
  }

  /**
   * Makes all that was appended visible. Everything before `indexedTo` has been appended.
   * `sources`: how far the caller's sources were read for that, in its own words.
   */
  commit(indexedTo: SessionNs, sources: string | null = null): void {
    this.#begin();
    this.#indexedTo = Math.max(this.#indexedTo, indexedTo);
    if (sources !== null) this.#sources = sources;
    for (const log of this.#dirty) {
      log.writeTail();
      this.#continuation.saveThread(log.key, log.openState());
    }
    this.#dirty.clear();
    this.#to.samples.write();
    this.#to.events.write();
    this.#dropBeyondLimit();
    this.#to.functions.write();
    this.#to.threads.write();
    this.#putEndedAway();
    this.#to.strings.write();
    this.#output.write();
    const trimmed = this.#output.trim();
    this.#losses.add('outputLimit', trimmed.lines, trimmed.untilNs, null);
    this.#losses.write();
    // Threads have a table of their own: there may be many.
    const summary: StoreSummary = { ...this.summary(), threads: new ThreadList().told() };
    this.#saveSummary.run(JSON.stringify(summary), this.#functionsVersion);
    this.#continuation.saveState({
      sources: this.#sources,
      output: this.#output.state(),
      nextBlockId: this.#to.blocks.nextId,
    });
    this.#db.exec('COMMIT');
  }

  summary(): StoreSummary {
    const { stored, ...calls } = this.#figures();
    const { byCause } = this.#losses;
    const lost = eventLosses(byCause).reduce((sum, [, count]) => sum + count, 0);
    return {
      counters: {
        seen: stored + lost + this.#sampledEvents,
        stored,
        lost,
        sampled: this.#sampledEvents,
        byCause: { ...byCause },
      },
      ...(this.#to.facts.hasDynamic ? { secretNames: this.#secrets.names } : {}),
      sampledFunctions: [...this.#sampled].map(([number, count]) => ({
        number,
        name: this.#to.facts.name(number),
        calls: count,
        ...(this.#to.facts.isProbe(number) ? { isProbe: true as const } : {}),
      })),
      ...calls,
      hits: this.#to.functions.recorded(this.#to.facts.probes, this.#sampled),
      outputLines: this.#output.lines,
      outputBytes: this.#output.bytes,
      unfinishedLines: this.#output.unfinished,
      functions: this.#to.facts.size,
      threads: this.#threads.told(),
      indexedTo: this.#indexedTo,
    };
  }

  /** Gives up what was not committed. */
  close(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    this.#db.tidy();
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #continue(): string | null {
    const state = this.#continuation.state();
    const known = this.#continuation.summary();
    if (!state || !known) return null;
    this.#sources = state.sources;
    this.#indexedTo = known.summary.indexedTo;
    this.#functionsVersion = known.functionsVersion;
    this.#losses.continue(known.summary.counters.byCause);
    this.#sampledEvents = known.summary.counters.sampled;
    for (const { number, calls } of known.summary.sampledFunctions ?? [])
      this.#sampled.set(number, calls);
    this.#output.continueFrom(state.output);
    this.#to.blocks.nextId = state.nextBlockId;
    for (const fn of this.functions()) this.#to.facts.set(fn);
    const { functions, threads, strings, samples, events, definitions } = this.#to;
    for (const part of [functions, strings, samples, events, definitions]) part.continue();
    for (const thread of readThreads(this.#db)) this.#threads.add(thread);
    const running = runningThreads(this.#db);
    threads.continue((key) => running.has(key));
    const blocks = this.#to.blocks.all();
    for (const { thread, state: open } of this.#continuation.threads()) {
      const log = new ThreadLog(thread, this.#to);
      log.continueFrom(open, blocks.get(thread) ?? [], this.#to.threads.openOf(thread));
      if (running.has(thread)) this.#logs.set(thread, log);
      else this.#ended.put(log);
    }
    return state.sources;
  }

  #begin(): void {
    if (!this.#db.inTransaction) this.#db.exec('BEGIN IMMEDIATE');
  }

  #log(key: number): ThreadLog {
    let log = this.#logs.get(key);
    if (!log) {
      log = this.#ended.take(key) ?? new ThreadLog(key, this.#to);
      this.#logs.set(key, log);
    }
    this.#ending.delete(log);
    this.#dirty.add(log);
    return log;
  }

  /** What is done at each commit goes by the threads that run. */
  #putEndedAway(): void {
    for (const log of this.#ending) {
      this.#logs.delete(log.key);
      this.#ended.put(log);
      this.#to.threads.putAway(log.key);
    }
    this.#ending.clear();
  }

  #figures(): { readonly stored: number; readonly calls: number; readonly openCalls: number } {
    const beside = this.#to.samples.stored + this.#to.events.stored;
    const sum = { ...this.#ended.sum, stored: this.#ended.sum.stored + beside };
    for (const log of this.#logs.values()) addTo(sum, log);
    return sum;
  }

  #dropBeyondLimit(): void {
    if (this.#maxEvents === Number.POSITIVE_INFINITY) return;
    const { samples, events } = this.#to;
    let { stored } = this.#figures();
    while (stored > this.#maxEvents) {
      const log = this.#ended.oldestWith(this.#logs.values());
      const beside =
        (samples.oldestNs ?? Infinity) < (events.oldestNs ?? Infinity) ? samples : events;
      const isBeside = (beside.oldestNs ?? Infinity) < (log?.oldestNs ?? Infinity);
      if (!isBeside && !log) return;
      const dropped = (isBeside ? beside : log)?.dropOldest() ?? { events: 0, untilNs: 0 };
      if (log && !this.#logs.has(log.key)) this.#ended.put(log);
      stored -= dropped.events;
      const thread = isBeside ? null : (log?.key ?? null);
      this.#losses.add('eventLimit', dropped.events, dropped.untilNs, thread);
    }
  }
}
