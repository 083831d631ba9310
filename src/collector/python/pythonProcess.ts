import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { CallPolicy, Verdict } from '../../model/functions/traceable.ts';
import { StrobeError } from '../../model/errors.ts';
import {
  pythonFailure,
  pythonNote,
  pythonProblems,
  type PythonProblem,
} from '../../protocol/pythonTracer.ts';
import type { PlacedAgent } from '../frida/agentLinks.ts';
import type { TraceableProcess, Tracer } from '../tracer.ts';
import { encodeFunctionTable, type PythonWatchPlan } from './functionTable.ts';
import { NotesFile, type Note } from '../program/notesFile.ts';
import { scriptOf } from './pythonProgram.ts';

/** What entering an interpreter takes. */
export interface PythonOptions {
  readonly process: TraceableProcess;
  readonly agent: PlacedAgent;
  readonly libraryPath: string;
  readonly enginePath: string;
  /** Source files of the project, imported or not. */
  readonly sources: readonly string[];
  readonly onUnits: () => void;
  /** What a note of an exception that nothing caught says. */
  readonly onUncaught: (text: string) => void;
  /** The same of the calls in which a signal ends the process. */
  readonly onCrashed: (text: string) => void;
  readonly onNote: (text: string) => void;
  readonly onClosed: () => void;
}

/** Modules that load one after the other are reported together. */
const GATHER_MS = 25;

/** Our presence in one Python interpreter. */
export class PythonProcess implements Tracer<SourceFunction> {
  readonly pid: number;
  readonly notes: readonly string[] = [];
  hooked = 0;
  readonly #agent: PlacedAgent;
  readonly #options: PythonOptions;
  readonly #told: NotesFile;
  /** Source files whose modules were run, or will be for sure. */
  readonly #loaded = new Set<string>();
  readonly #units: Set<string>;
  #table: Buffer = Buffer.alloc(0);
  #wanted: readonly SourceFunction[] = [];
  #policies: ReadonlyMap<string, CallPolicy> = new Map();
  #watches: PythonWatchPlan = new Map();
  #turn: Promise<unknown> = Promise.resolve();
  #gathering: NodeJS.Timeout | null = null;
  readonly #said = new Set<string>();

  private constructor(options: PythonOptions) {
    this.pid = options.process.pid;
    this.#agent = options.agent;
    this.#options = options;
    this.#units = new Set(options.sources);
    const script = scriptOf(this.pid);
    if (script !== null) {
      this.#loaded.add(script);
      this.#units.add(script);
    }
    this.#told = new NotesFile(notesPath(options.agent), (note) => this.#take(note));
  }

  static async enter(options: PythonOptions): Promise<PythonProcess> {
    const entered = new PythonProcess(options);
    try {
      const { libraryPath, enginePath, process, agent } = options;
      const { problem } = await agent.link.call<{ problem: number }>('python', [
        { libraryPath, enginePath, notesPath: notesPath(agent), atExec: process.atExec },
      ]);
      const name = pythonProblems[problem] ?? 'unknownVersion';
      if (name !== 'fits') throw refusal(process.pid, name);
      return entered;
    } catch (error) {
      entered.#dispose();
      throw error;
    }
  }

  units(): readonly string[] {
    return [...this.#units];
  }

  async setWanted(
    wanted: readonly SourceFunction[],
    policies: ReadonlyMap<string, CallPolicy>,
  ): Promise<ReadonlyMap<string, Verdict>> {
    return await this.#inTurn(async () => {
      this.#wanted = wanted;
      this.#policies = policies;
      return await this.#apply();
    });
  }

  /** Has these watches sampled and no others. */
  async setWatches(watches: PythonWatchPlan): Promise<void> {
    await this.#inTurn(async () => {
      this.#watches = watches;
      await this.#apply();
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn;
    return await turn;
  }

  /** What the process told up to now. */
  read(): void {
    try {
      this.#told.read();
    } catch {
      // The session's folder is gone: so is its program.
    }
  }

  async close(live: boolean): Promise<void> {
    this.read();
    this.#dispose();
    this.#options.onClosed();
    if (live) await this.#agent.link.call('pythonLeave', []);
  }

  async #apply(): Promise<ReadonlyMap<string, Verdict>> {
    const wanted = this.#wanted;
    const table = encodeFunctionTable(wanted, this.#policies, this.#watches);
    if (!table.equals(this.#table) && !(wanted.length === 0 && this.#table.length === 0)) {
      const { isDone } = await this.#agent.link.call<{ isDone: boolean }>('pythonWant', [], table);
      if (!isDone) this.#say(BUSY);
      this.#table = table;
    }
    this.#told.read();
    const verdicts = new Map<string, Verdict>(wanted.map((fn) => [fn.id, this.#verdictOn(fn)]));
    this.hooked = [...verdicts.values()].filter(({ kind }) => kind === 'hooked').length;
    return verdicts;
  }

  #verdictOn(fn: SourceFunction): Verdict {
    if (this.#loaded.has(fn.unit)) return { kind: 'hooked' };
    return { kind: 'pending', waitsFor: fn.unit };
  }

  #take({ word, text }: Note): void {
    if (word === pythonNote.module) this.#moduleCame(text);
    else if (word === pythonNote.uncaught) this.#options.onUncaught(text);
    else if (word === pythonNote.crashed) this.#options.onCrashed(text);
    else if (word === pythonNote.failed) this.#say(failures[text] ?? text);
    else if (word === pythonNote.profiler) this.#say(PROFILER_TAKEN);
  }

  #moduleCame(path: string): void {
    this.#loaded.add(path);
    this.#units.add(path);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      this.#options.onUnits();
    }, GATHER_MS).unref();
  }

  #say(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#options.onNote(text);
  }

  #dispose(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#told[Symbol.dispose]();
  }
}

function notesPath({ ringPath }: PlacedAgent): string {
  return `${ringPath}.notes`;
}

const BUSY =
  'The interpreter did not give up its lock for 2 s, as native code of the program holds it: what is traced changes when it does.';
const PROFILER_TAKEN =
  'The program took the profile hook of Python over (sys.setprofile, cProfile): up to Python 3.11 there is one for each thread, and its calls are not recorded from then on. Run it without its profiler, or with Python 3.12 or newer.';
const failures: Readonly<Record<string, string>> = {
  [pythonFailure.noToolId]:
    'Its Python functions are not traced: other tools have all six tool ids of sys.monitoring. Run it without one of them (debugger, coverage, profiler).',
  [pythonFailure.refused]:
    'Its Python functions are not traced: the interpreter refused to tell of calls.',
};

const reasons: Readonly<Record<Exclude<PythonProblem, 'fits'>, string>> = {
  noSymbols: 'its interpreter exports no symbols of the C interface of Python',
  unknownVersion: 'its Python version is not known here: 3.9 to 3.15 are',
  freeThreaded: 'it is a free-threaded build, of which values cannot be read safely',
  patched:
    'its interpreter lays out its objects in another way than its version does, as patched builds do',
  noEngine: 'the hook engine is not loaded in it',
};

function refusal(pid: number, problem: Exclude<PythonProblem, 'fits'>): StrobeError {
  return new StrobeError(
    'INSTRUMENTATION_FAILED',
    `Python functions of process ${pid} cannot be traced: ${reasons[problem]}.`,
    'Run the program with a usual build of CPython 3.9 to 3.15. Output, exit status, and calls of native code are captured all the same.',
  );
}
