import type { TracedThread, TracedFunction } from '../../model/eventColumns.ts';
import type { CrashReport, StoredCrash } from '../../model/endings/crashReport.ts';
import type { DefinedNames } from '../../model/decoding/dynamic.ts';
import type { StoreSummary, Strand } from '../../model/questions/query.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import { DefinitionTable } from '../definedNames.ts';
import { functionsToAsk } from '../functionRows.ts';
import { storedJson } from '../storedJson.ts';
import { readThreads, ThreadList } from '../threadRows.ts';
import { Blocks } from './blocks.ts';
import { ftsQuery } from './filter/words.ts';
import { ProcessEnds } from './processEnds.ts';
import { AnsweredTrees } from './tree/answeredTrees.ts';
import { WatchTable } from './storedWatches.ts';

/** More matching strings than this are not listed: every block with strings is looked at. */
const MAX_STRING_IDS = 20_000;

/** What a session's file holds, as of the last commit that was seen. */
export class SessionTables {
  readonly db: Sqlite;
  readonly blocks: Blocks;
  readonly watches: WatchTable;
  readonly trees = new AnsweredTrees();
  readonly processEnds: ProcessEnds;
  readonly #version: Statement<[], { data_version: number }>;
  readonly #summary: Statement<[], { json: string; functions_version: number }>;
  readonly #stringIds: Statement<[query: string, limit: number], { rowid: number }>;
  readonly #stringTexts: Statement<[from: number], { id: number; text: string }>;
  readonly #processPids: Statement<[], { pid: number }>;
  #seen = -1;
  #functionsSeen = -1;
  #functions: (TracedFunction | undefined)[] = [];
  #threads = new Map<number, TracedThread>();
  #keysById: Map<string, number[]> | null = null;
  /** Captured strings in lower case by id, as far as they were asked for; 0 is no string's id. */
  readonly #lowerTexts: string[] = [''];
  readonly #definitions: DefinitionTable;
  summary: StoreSummary = emptySummary;

  constructor(db: Sqlite) {
    this.db = db;
    this.#definitions = new DefinitionTable(db);
    this.blocks = new Blocks(db, (thread) => this.names(thread));
    this.watches = new WatchTable(db, (thread) => this.names(thread));
    this.processEnds = new ProcessEnds(db);
    this.#version = db.prepare('PRAGMA data_version');
    this.#summary = db.prepare('SELECT json, functions_version FROM summary WHERE one = 1');
    this.#stringTexts = db.prepare('SELECT id, text FROM strings WHERE id >= ? ORDER BY id');
    this.#processPids = db.prepare('SELECT DISTINCT pid FROM processes');
    this.#stringIds = db.prepare(
      'SELECT rowid FROM strings_text WHERE strings_text MATCH ? LIMIT ?',
    );
  }

  /** Inside a snapshot: takes over what was committed since the last time. */
  refresh(): void {
    // Reading a row pins the snapshot; only then the version is that of what will be read.
    const row = this.#summary.get();
    const version = this.#version.get()?.data_version ?? 0;
    if (version === this.#seen) return;
    const threads = readThreads(this.db);
    this.#threads = new Map(threads.map((thread) => [thread.key, thread]));
    this.#keysById = null;
    if (row) {
      const known = storedJson<StoreSummary>(row.json, summaryShape);
      const list = new ThreadList();
      for (const thread of threads) list.add(thread);
      this.summary = { ...known, threads: list.told() };
      if (row.functions_version !== this.#functionsSeen) this.#readFunctions(row.functions_version);
    }
    this.blocks.refresh();
    this.watches.refresh();
    this.#definitions.refresh();
    this.#seen = version;
  }

  /** Another number when another commit is seen. */
  get version(): number {
    return this.#seen;
  }

  /** By number; a number without an entry gets a placeholder. */
  fn(number: number): TracedFunction {
    return this.#functions[number] ?? unknownFunction(number);
  }

  /** Those that are known. */
  get functions(): readonly TracedFunction[] {
    return this.#functions.filter((fn) => fn !== undefined);
  }

  /** 1 for each function number that passes; numbers beyond are unknown functions and fail. */
  functionsThat(test: (fn: TracedFunction) => boolean): Uint8Array {
    const passes = new Uint8Array(this.#functions.length);
    for (const fn of this.#functions) if (fn && test(fn)) passes[fn.number] = 1;
    return passes;
  }

  thread(key: number): TracedThread {
    return this.#threads.get(key) ?? { key, pid: 0, tid: 0, name: '' };
  }

  /** What the process of a thread defined. */
  names(thread: number): DefinedNames {
    return this.#definitions.of(this.thread(thread));
  }

  /** The numbers of the strands of a thread's process with this name. */
  strandsNamed(thread: number, name: string): ReadonlySet<number> {
    return this.#definitions.strandsNamed(this.thread(thread), name);
  }

  /** A strand of a thread's process. */
  strand(thread: number, number: number): Strand {
    const defined = this.names(thread).strand(number)?.strand;
    return { number, kind: defined?.kind ?? null, name: defined?.name ?? String(number) };
  }

  /** Keys of the threads that had these ids, one after the other. */
  threadsOf(pid: number, tid: number): readonly number[] {
    this.#keysById ??= keysById(this.#threads.values());
    return this.#keysById.get(`${pid} ${tid}`) ?? [];
  }

  get threads(): Iterable<TracedThread> {
    return this.#threads.values();
  }

  crashes(): StoredCrash[] {
    const rows = this.db
      .prepare<[], { time_ns: number; pid: number; json: string }>(
        'SELECT time_ns, pid, json FROM crashes ORDER BY id',
      )
      .all();
    return rows.map((row) => ({
      time: row.time_ns,
      pid: row.pid,
      report: ownReport(row.json),
    }));
  }

  processPids(): { pid: number }[] {
    return this.#processPids.all();
  }

  /** Ids of captured strings with these words; null when they are too many to list. */
  stringsWith(words: readonly string[]): ReadonlySet<number> | null {
    const rows = this.#stringIds.all(ftsQuery(words), MAX_STRING_IDS);
    if (rows.length === MAX_STRING_IDS) return null;
    return new Set(rows.map(({ rowid }) => rowid));
  }

  /** Ids of the captured strings that contain the part, whatever the case. */
  stringsContaining(part: string): ReadonlySet<number> {
    for (const { id, text } of this.#stringTexts.iterate(this.#lowerTexts.length)) {
      this.#lowerTexts[id] = text.toLowerCase();
    }
    const lower = part.toLowerCase();
    const ids = new Set<number>();
    for (const [id, text] of this.#lowerTexts.entries()) if (text.includes(lower)) ids.add(id);
    return ids;
  }

  #readFunctions(version: number): void {
    const found = functionsToAsk(this.db);
    this.#functions = [];
    for (const fn of found) this.#functions[fn.number] = fn;
    this.#functionsSeen = version;
  }
}

function keysById(threads: Iterable<TracedThread>): Map<string, number[]> {
  const keys = new Map<string, number[]>();
  for (const { pid, tid, key } of threads) {
    const id = `${pid} ${tid}`;
    const known = keys.get(id);
    if (known) known.push(key);
    else keys.set(id, [key]);
  }
  for (const list of keys.values()) list.sort((a, b) => a - b);
  return keys;
}

/** As `SessionWriter.appendCrash` wrote it; earlier builds kept less. */
export function ownReport(json: string): CrashReport {
  const report = storedJson<CrashReport>(json, { signal: 'object', threads: 'array' });
  return { ...notKept, ...report };
}

const summaryShape = {
  counters: 'object',
  calls: 'number',
  openCalls: 'number',
  outputLines: 'number',
  outputBytes: 'number',
  functions: 'number',
  indexedTo: 'number',
} as const;

const notKept = { addresses: [], openFiles: null };

function unknownFunction(number: number): TracedFunction {
  const name = `function ${number}`;
  return {
    number,
    name,
    signature: name,
    linkageName: name,
    module: '',
    address: null,
    file: null,
    line: null,
    captured: [],
    uncaptured: [],
    returns: { kind: 'unknown' },
  };
}

const emptySummary: StoreSummary = {
  counters: { seen: 0, stored: 0, lost: 0, sampled: 0, byCause: {} },
  calls: 0,
  openCalls: 0,
  outputLines: 0,
  outputBytes: 0,
  functions: 0,
  threads: new ThreadList().told(),
  indexedTo: 0,
};
