import { Worker } from 'node:worker_threads';
import { AskedWorker } from '../../base/askedWorker.ts';
import { installPaths } from '../../base/installPaths.ts';
import type { CrashReport, VariablesOf } from '../../model/endings/crashReport.ts';
import type { Evaluated, EvaluateRequest } from '../../model/debug/evaluated.ts';
import type { LineRanges } from '../../model/debug/lineCode.ts';
import { StrobeError } from '../../model/errors.ts';
import { answerIn } from '../../model/failure.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { StatementMatch, StatementWhere } from '../../model/functions/foundStatement.ts';
import type { PatternMatch, UnitSummary } from '../../model/functions/traceable.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import type { VariableMatch } from '../../model/functions/foundVariable.ts';
import type { Outcome } from '../../model/problem.ts';
import type { Snapshot } from '../../model/endings/snapshot.ts';
import type { CoreFile } from './core/coreFile.ts';
import type { StatementNames } from './index/findStatements.ts';
import { KeptMatches } from './keptMatches.ts';
import type { PostMortemOptions } from './unwind/postMortem.ts';
import type { FindOptions, OpenListener } from '../resolver.ts';
import type { Answer, Asked, QuestionKind, SymbolReply, WorkerSettings } from './workerMessages.ts';

/** Limits in milliseconds, each counted from when the worker begins with the question. */
export interface SymbolLimits {
  readonly startMs: number;
  readonly openMs: number;
  readonly findMs: number;
  readonly completeMs: number;
}

export interface SymbolOptions {
  /** Folder of the kept indexes; made when absent. */
  readonly cacheDir: string;
  readonly limits?: Partial<SymbolLimits>;
}

const defaultLimits: SymbolLimits = {
  startMs: 15_000,
  openMs: 180_000,
  findMs: 60_000,
  completeMs: 10_000,
};

/**
 * What is this code? Finds the functions of programs and libraries, in a worker thread that reads one
 * file or answers one question at a time. A worker that hangs or crashes costs the question in hand: it is
 * answered with an error, and the next question gets a new worker.
 */
export class SymbolIndex extends AskedWorker {
  readonly #limits: SymbolLimits;
  readonly #kept = new KeptMatches();

  private constructor(workerPath: string, options: SymbolOptions) {
    const limits = { ...defaultLimits, ...options.limits };
    const demanglerPath = installPaths().demangler;
    const settings: WorkerSettings = { cacheDir: options.cacheDir, demanglerPath };
    super({
      start: () => new Worker(workerPath, { workerData: settings, name: 'symbols' }),
      readyMs: limits.startMs,
      ended: (why) => new StrobeError('INTERNAL', `The symbol worker ended unexpectedly: ${why}.`),
      closed: () => new StrobeError('CANCELLED', 'The symbol index was closed.'),
    });
    this.#limits = limits;
  }

  /** Resolves when the worker is ready; throws INTERNAL when it cannot start. */
  static async start(workerPath: string, options: SymbolOptions): Promise<SymbolIndex> {
    const index = new SymbolIndex(workerPath, options);
    await index.ready();
    return index;
  }

  /**
   * Indexes an ELF file, or takes the index kept on disk. While a large one is indexed, the listener first gets the
   * matches that the symbol table has for name patterns. Throws BAD_BINARY, WRONG_ARCHITECTURE, TIMED_OUT or
   * INTERNAL; `problems` of the summary lists damage inside the file.
   */
  async open(
    modulePath: string,
    patterns: readonly Pattern[] = [],
    listener?: OpenListener,
  ): Promise<UnitSummary> {
    const asked = { path: modulePath, patterns };
    return await this.#ask('open', modulePath, asked, this.#limits.openMs, listener);
  }

  /**
   * The functions a pattern means in these modules; the first is the program itself. Without a library
   * name the pattern looks into the program and all modules that are not system libraries. Modules need not
   * be open. Throws TIMED_OUT or INTERNAL.
   */
  async find(
    modulePaths: readonly string[],
    pattern: Pattern,
    options: FindOptions,
  ): Promise<Outcome<PatternMatch<FoundFunction>>> {
    // Callers give all they know of a session: more than decides, and what JSON cannot say.
    const { projectRoot, limit, isForReading, depth, isOnlyWhether } = options;
    const decides = { projectRoot, limit, isForReading, depth, isOnlyWhether };
    const asked = { modules: modulePaths, pattern, options };
    return await this.#kept.get(
      JSON.stringify({ modules: modulePaths, pattern, options: decides }),
      modulePaths,
      async () => await this.#ask('find', pattern.text, asked, this.#limits.findMs),
    );
  }

  /**
   * The variables with static or thread storage that a name of an expression means in these modules, their
   * types with what `depth` pointers lead to. Throws BAD_BINARY, TIMED_OUT or INTERNAL.
   */
  async variables(
    modulePaths: readonly string[],
    name: string,
    depth: number,
  ): Promise<VariableMatch> {
    const asked = { modules: modulePaths, name, depth };
    return await this.#ask('variables', name, asked, this.#limits.openMs);
  }

  /**
   * The statements of these modules that are meant, with where the named variables are there. Throws BAD_BINARY, TIMED_OUT
   * or INTERNAL.
   */
  async statements(
    modulePaths: readonly string[],
    where: StatementWhere,
    wanted: StatementNames,
  ): Promise<StatementMatch> {
    const about =
      where.kind === 'copies' ? where.name : 'file' in where ? where.file : where.module;
    const asked = { modules: modulePaths, where, wanted };
    return await this.#ask('statements', about, asked, this.#limits.findMs);
  }

  /** The source files of these modules. Throws BAD_BINARY, TIMED_OUT or INTERNAL. */
  async sourceFiles(modulePaths: readonly string[]): Promise<readonly string[]> {
    return await this.#ask('sourceFiles', 'source files', modulePaths, this.#limits.findMs);
  }

  /** Where statements of a source file begin in these modules. Throws BAD_BINARY, TIMED_OUT or INTERNAL. */
  async statementLines(modules: readonly string[], file: string): Promise<readonly number[]> {
    return await this.#ask('statementLines', file, { modules, file }, this.#limits.findMs);
  }

  /** The line of the instruction at an offset of a module; null where none is known. Throws BAD_BINARY, TIMED_OUT or INTERNAL. */
  async lineRanges(module: string, offset: number): Promise<LineRanges | null> {
    return await this.#ask('lineRanges', module, { module, offset }, this.#limits.findMs);
  }

  /**
   * The qualified names of the functions that begin at these places of a module, counted from where it begins in
   * memory; null where none does. Throws BAD_BINARY, TIMED_OUT or INTERNAL.
   */
  async namesAt(
    modulePath: string,
    offsets: readonly number[],
  ): Promise<readonly (string | null)[]> {
    const asked = { path: modulePath, offsets };
    return await this.#ask('namesAt', modulePath, asked, this.#limits.findMs);
  }

  /**
   * What a process was doing, from what is left of it: stacks with inlined calls, lines and variables, and
   * the memory at the address of the fault. Throws TIMED_OUT or INTERNAL.
   */
  async explain(snapshot: Snapshot, options: PostMortemOptions): Promise<CrashReport> {
    const about = `the end of process ${snapshot.pid}`;
    return await this.#ask('explain', about, { snapshot, options }, this.#limits.openMs);
  }

  /** The same of each of its threads alone, in their order. Throws TIMED_OUT or INTERNAL. */
  async explainThreads(
    snapshot: Snapshot,
    options: PostMortemOptions,
    variablesOf: VariablesOf,
  ): Promise<readonly CrashReport[]> {
    const about = `threads of process ${snapshot.pid}`;
    const asked = { snapshot, options, variablesOf };
    return await this.#ask('threads', about, asked, this.#limits.openMs);
  }

  /** An expression in a frame of the first thread of a snapshot. Throws TIMED_OUT or INTERNAL. */
  async evaluate(
    snapshot: Snapshot,
    options: PostMortemOptions,
    request: EvaluateRequest,
  ): Promise<Evaluated> {
    const about = `an expression in process ${snapshot.pid}`;
    return await this.#ask('evaluate', about, { snapshot, options, request }, this.#limits.findMs);
  }

  /** What a core file holds beside its memory, which is read on demand. Throws BAD_BINARY, TIMED_OUT or INTERNAL. */
  async readCore(path: string): Promise<CoreFile> {
    return await this.#ask('core', path, path, this.#limits.findMs);
  }

  /** Linkage names as people read them; one that is none as it is. Throws TIMED_OUT or INTERNAL. */
  async readable(names: readonly string[]): Promise<readonly string[]> {
    return await this.#ask('readable', 'readable names', names, this.#limits.completeMs);
  }

  /** At most `limit` qualified names that begin with `prefix` or whose last part does. */
  async complete(
    modulePaths: readonly string[],
    prefix: string,
    limit: number,
  ): Promise<readonly string[]> {
    const asked = { modules: modulePaths, prefix, limit };
    return await this.#ask('complete', prefix, asked, this.#limits.completeMs);
  }

  override async rest(): Promise<void> {
    this.#kept.clear();
    await super.rest();
  }

  /** Rejects with a `StrobeError`, which names what it was about. */
  async #ask<K extends QuestionKind>(
    kind: K,
    about: string,
    asked: Asked<K>,
    limitMs: number,
    listener?: OpenListener,
  ): Promise<Answer<K>> {
    return await this.request({
      message: { kind, asked },
      limitMs,
      late: () =>
        new StrobeError('TIMED_OUT', `Reading symbols took longer than ${limitMs} ms (${about}).`),
      read: (reply: SymbolReply<K>) => {
        if (reply.kind === 'progress') listener?.progress(reply.share);
        if (reply.kind === 'first') listener?.firstMatches(reply.matches);
        return reply.kind === 'end' ? { answer: answerIn(reply.reply) } : null;
      },
    });
  }
}
