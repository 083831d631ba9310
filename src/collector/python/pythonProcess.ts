import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { Verdict } from '../../model/functions/traceable.ts';
import { noNames } from '../../model/decoding/dynamic.ts';
import { within } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import {
  pythonFailure,
  pythonNote,
  pythonProblems,
  pythonSite,
  type PythonProblem,
} from '../../protocol/pythonTracer.ts';
import type { PythonPaused } from '../../protocol/agent.ts';
import { ringNames } from '../rings/ringNames.ts';
import type { Note } from '../source/notesFile.ts';
import type { SiteState } from '../source/sourceProbes.ts';
import type { SourceSite } from '../source/sourceSites.ts';
import { undecidedText } from '../source/undecidedText.ts';
import { SourceProcess, type SourceEntry, type SourceWishes } from '../source/sourceProcess.ts';
import { encodeFunctionTable, siteKey } from './functionTable.ts';
import type { StopSocket } from '../source/stopSocket.ts';
import type { PythonParts } from './pythonParts.ts';
import { packageFolders } from './packageFolders.ts';
import { scriptOf } from './pythonProgram.ts';
import { PythonStanding } from './pythonStanding.ts';
import { uncaughtException, type NoteReading } from './uncaughtNote.ts';

type EnteringParts = PythonParts & { readonly stops: StopSocket };

/** Our presence in one Python interpreter. */
export class PythonProcess extends SourceProcess<Buffer> {
  readonly #reading: NoteReading;
  /** Source files whose modules were run, or will be for sure. */
  readonly #loaded = new Set<string>();
  #handed: Buffer = Buffer.alloc(0);
  /** By what the process calls them. */
  #sites: ReadonlyMap<string, SourceSite<Buffer>> = new Map();
  /** Ids of breakpoints at exceptions. */
  #raised: ReadonlySet<string> = new Set();
  readonly #stops: Disposable;
  /** Each of the texts that run there takes what it raised, or an empty text. */
  readonly #running: ((raised: string) => void)[] = [];

  private constructor(
    entry: SourceEntry<Buffer>,
    stops: StopSocket,
    reading: Omit<NoteReading, 'names'>,
  ) {
    const script = scriptOf(entry.process.pid);
    const more = [...packageFolders(entry.process.pid), ...(script === null ? [] : [script])];
    super({ ...entry, sources: [...entry.sources, ...more] });
    const { ringPath } = entry.agent;
    // A child that was forked has numbers of its own.
    const names: NoteReading['names'] = (pid) => (pid === this.pid ? ringNames(ringPath) : noNames);
    this.#reading = { ...reading, names };
    if (script !== null) this.#loaded.add(script);
    const idOf = (key: string): string | null =>
      this.#sites.get(key)?.probe.id ?? (this.#raised.has(key) ? key : null);
    this.#stops = stops.take(this.notesPath, (said, connection) =>
      entry.onStopped(new PythonStanding(said, connection, this.#reading, idOf)),
    );
  }

  static async enter(
    entry: SourceEntry<Buffer>,
    parts: EnteringParts,
    reading: Omit<NoteReading, 'names'>,
  ): Promise<PythonProcess> {
    const entered = new PythonProcess(entry, parts.stops, reading);
    return await entered.begin(async () => await entered.#enter(parts));
  }

  async #enter({ libraryPath, enginePath, stops }: EnteringParts): Promise<void> {
    const { notesPath } = this;
    const stopsPath = await stops.open();
    const { problem } = await this.agent.link.call<{ problem: number }>('python', [
      { libraryPath, enginePath, notesPath, stopsPath, atExec: this.atExec },
    ]);
    const name = pythonProblems[problem] ?? 'unknownVersion';
    if (name !== 'fits') throw refusal(this.pid, name);
  }

  protected override async hand(wishes: SourceWishes<Buffer>): Promise<void> {
    const table = encodeFunctionTable(wishes);
    const { functions, rules, sites, raises } = wishes;
    const isNothing = functions.length + rules.length + sites.length + raises.length === 0;
    this.#raised = new Set(raises.map(({ key }) => key));
    this.#sites = new Map(sites.map((site) => [siteKey(site), site]));
    if (table.equals(this.#handed) || (isNothing && this.#handed.length === 0)) return;
    const { isDone } = await this.agent.link.call<{ isDone: boolean }>('pythonWant', [], table);
    if (!isDone) this.say(BUSY);
    this.#handed = table;
  }

  async pause(tid = 0): Promise<readonly number[]> {
    const { isDone, tids } = await this.agent.link.call<PythonPaused>('pythonPause', [tid]);
    if (isDone) return tids;
    throw new StrobeError(
      'CANNOT_DEBUG',
      tids.length > 0 ? BUSY : 'No Python code of it runs yet.',
      'Ask again: debug_continue {"action": "pause"}.',
    );
  }

  /** Has the program run a text of Python beside what it does, and waits for its end. Throws CANNOT_DEBUG, also of what it raises. */
  async run(text: string): Promise<void> {
    const cannot = (why: string, next: string): StrobeError =>
      new StrobeError('CANNOT_DEBUG', why, next);
    let take: (raised: string) => void = () => undefined;
    const ended = new Promise<string>((resolve) => {
      take = resolve;
    });
    this.#running.push(take);
    const isBegun = await this.#begin(text);
    if (!isBegun) {
      this.#running.splice(this.#running.indexOf(take), 1);
      throw cannot('No Python code of it runs yet.', 'Ask again when the program runs.');
    }
    // The file is not watched where inotify(7) is at its limits.
    const reading = setInterval(() => this.read(), RUN_READ_MS);
    try {
      const late = (): StrobeError => cannot(LATE, 'Ask again when that code has ended.');
      const raised = await within(RUN_MS, ended, late);
      if (raised !== '') throw cannot(raised, OTHER_WAY);
    } finally {
      clearInterval(reading);
    }
  }

  async #begin(text: string): Promise<boolean> {
    try {
      return (await this.agent.link.call<{ isBegun: boolean }>('pythonRun', [text])).isBegun;
    } catch {
      // It has ended.
      return false;
    }
  }

  override async close(live: boolean): Promise<void> {
    this.#stops[Symbol.dispose]();
    await super.close(live);
  }

  protected override async leave(): Promise<void> {
    await this.agent.link.call('pythonLeave', []);
  }

  protected override verdictOn(fn: SourceFunction): Verdict {
    if (this.#loaded.has(fn.unit)) return { kind: 'hooked' };
    return { kind: 'pending', waitsFor: fn.unit };
  }

  protected override take({ word, text }: Note): void {
    if (word === pythonNote.module) this.#moduleCame(text);
    else if (word === pythonNote.site) this.#siteCame(text);
    else if (word === pythonNote.uncaught) this.tell(uncaughtException(text, this.#reading));
    else if (word === pythonNote.crashed) {
      const end = { kind: 'uncaught', what: 'signal' } as const;
      this.tell({ ...uncaughtException(text, this.#reading), end });
    } else if (word === pythonNote.undecided) this.say(undecidedText(text));
    else if (word === pythonNote.ran) this.#running.shift()?.(text);
    else if (word === pythonNote.failed) this.say(failures[text] ?? text);
    else if (word === pythonNote.profiler) this.say(PROFILER_TAKEN);
    else if (word === pythonNote.tracer) this.say(TRACER_TAKEN);
    else if (word === pythonNote.unheld) this.say(NOT_HELD);
  }

  /** Of a module that was run they are there, unless the process says otherwise when it sees the code. */
  override get siteStates(): ReadonlyMap<string, SiteState> {
    const states = new Map(super.siteStates);
    for (const { key, file } of this.#sites.values())
      if (this.#loaded.has(file) && !states.has(key)) states.set(key, { isBound: true });
    return states;
  }

  #siteCame(text: string): void {
    const [name = '', word = ''] = text.split(' ');
    const site = this.#sites.get(name);
    if (!site) return;
    const { file, statement } = site;
    const why = whyNoSite(word, file, statement.line);
    this.siteCame(site.key, why === null ? { isBound: true } : { isBound: false, why });
  }

  #moduleCame(path: string): void {
    this.#loaded.add(path);
    this.unitsCame([path]);
  }
}

function whyNoSite(word: string, file: string, line: number): string | null {
  if (word === pythonSite.noLine)
    return `Python has no instruction in line ${line} of ${file}: it was left out as it was compiled.`;
  return word === pythonSite.edited
    ? `${file} was edited since its module was run, and its lines are others there: start the program again.`
    : null;
}

const RUN_MS = 20_000;
const RUN_READ_MS = 100;
const LATE = `Python code has not run for ${RUN_MS / 1000} s: native code of the program holds the lock of its interpreter.`;
const OTHER_WAY = 'debug_breakpoint {"adapter": "strobe"} stops it by Strobe\'s own code.';
const BUSY =
  'The interpreter did not give up its lock for 2 s, as native code of the program holds it: what is traced changes when it does.';
const NOT_HELD =
  'A thread came to a breakpoint and ran on, as it could not reach Strobe: a sandbox or another file system keeps its socket away, or the daemon had gone.';
const TRACER_TAKEN =
  'A debugger or coverage has the trace function of Python (sys.settrace): up to Python 3.11 there is one for each thread, and breakpoints are not hit in that thread. Run it without that, or with Python 3.12 or newer.';
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
