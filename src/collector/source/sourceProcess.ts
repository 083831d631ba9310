import { monotonicMs } from '../../base/clock.ts';
import type { RaisedException } from '../../model/endings/exception.ts';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { CallPolicy, NameRule, Verdict } from '../../model/functions/traceable.ts';
import type { PlacedAgent } from '../frida/agentLinks.ts';
import type { AgentLink } from '../frida/fridaHost.ts';
import type { RingPlan } from '../rings/ringPlan.ts';
import type { TraceableProcess, Tracer } from '../tracer.ts';
import { functionsByUnit } from './functionsByUnit.ts';
import { NotesFile, type Note } from './notesFile.ts';
import type { WatchPlan } from './sampledWatches.ts';
import type { SiteState } from './sourceProbes.ts';
import type { StandingThread } from './standingThread.ts';
import type { SourceRaise } from './sourceRaises.ts';
import type { SourceSite } from './sourceSites.ts';

/** An exception as a process told it. */
export type UncaughtException = Omit<RaisedException, 'key' | 'time'>;

/** The link of a process that comes in by itself. */
export interface OwnWay extends AgentLink {
  /** The process runs on without us. */
  close(): void;
}

/** What the way into a process that comes in by itself tells. */
export interface OwnWaySink {
  /** It records there; awaited before it hears what is wanted. */
  ring(path: string): Promise<void>;
  /** The process closed its side of it. */
  ended(): void;
}

/** What entering a process takes. */
export interface SourceEntry<C> {
  readonly process: TraceableProcess;
  readonly agent: PlacedAgent;
  /** It comes in by itself, once it runs: what it makes, and the link of `agent`. */
  readonly own?: { readonly plan: RingPlan; readonly link: OwnWay };
  /** Source files of the project, loaded or not; a path that ends with `/` is a folder in which packages are. */
  readonly sources: readonly string[];
  readonly onUnits: () => void;
  readonly onException: (exception: UncaughtException) => void;
  readonly onNote: (text: string) => void;
  readonly onClosed: () => void;
  readonly onStopped: (thread: StandingThread<C>) => void;
}

/** What is wanted of a process now. */
export interface SourceWishes<C> {
  readonly functions: readonly SourceFunction[];
  readonly policies: ReadonlyMap<string, CallPolicy>;
  readonly watches: WatchPlan<C>;
  readonly rules: readonly NameRule[];
  readonly sites: readonly SourceSite<C>[];
  readonly raises: readonly SourceRaise[];
}

/** Source files that load one after the other are reported together. */
const GATHER_MS = 25;
const TELL_MS = 250;

/**
 * Our presence in one process of a language whose functions are source text. It is entered by the agent that is
 * there, takes its wishes as one table, and tells what it did in a file of notes. `C`: what an expression becomes.
 */
export abstract class SourceProcess<C> implements Tracer<SourceFunction> {
  readonly pid: number;
  readonly notes: readonly string[] = [];
  hooked = 0;
  protected readonly agent: PlacedAgent;
  protected readonly notesPath: string;
  /** Nothing of the program had run when it was entered. */
  protected readonly atExec: boolean;
  readonly #entry: SourceEntry<C>;
  readonly #told: NotesFile;
  readonly #units: Set<string>;
  #wishes: SourceWishes<C> = {
    functions: [],
    policies: new Map(),
    watches: new Map(),
    rules: [],
    sites: [],
    raises: [],
  };
  readonly #siteStates = new Map<string, SiteState>();
  #verdicts = new Map<string, Verdict>();
  /** The functions that they are of. */
  #decided: readonly SourceFunction[] = [];
  /** Units that came: functions in others wait, and have no verdict. */
  readonly #present = new Set<string>();
  /** Those of them that came since. */
  readonly #came = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  #gathering: { readonly timer: NodeJS.Timeout; readonly at: number } | null = null;
  readonly #said = new Set<string>();

  protected constructor(entry: SourceEntry<C>) {
    this.pid = entry.process.pid;
    this.agent = entry.agent;
    this.atExec = entry.process.atExec;
    this.notesPath = `${entry.agent.ringPath}.notes`;
    this.#entry = entry;
    this.#units = new Set(entry.sources);
    this.#told = new NotesFile(this.notesPath, (note) => this.take(note));
  }

  /** Has the process record these and nothing else. */
  protected abstract hand(wishes: SourceWishes<C>): Promise<void>;

  /** Of a function in a unit that came. */
  protected abstract verdictOn(fn: SourceFunction): Verdict;

  protected abstract take(note: Note): void;

  /** The process records nothing any more. */
  protected abstract leave(): Promise<void>;

  units(): readonly string[] {
    return [...this.#units];
  }

  get lastVerdicts(): ReadonlyMap<string, Verdict> {
    return this.#verdicts;
  }

  async setWanted(
    functions: readonly SourceFunction[],
    policies: ReadonlyMap<string, CallPolicy>,
    rules: readonly NameRule[],
  ): Promise<ReadonlyMap<string, Verdict>> {
    return await this.#inTurn(async () => await this.#apply({ functions, policies, rules }));
  }

  /** Has these watches sampled and no others. */
  async setWatches(watches: WatchPlan<C>): Promise<void> {
    if (watches.size + this.#wishes.watches.size === 0) return;
    await this.#inTurn(async () => await this.#apply({ watches }));
  }

  /** Has breakpoints at these statements and no others; what became of them by key, as far as that is known. */
  async setSites(sites: readonly SourceSite<C>[]): Promise<ReadonlyMap<string, SiteState>> {
    const before = this.#wishes.sites;
    if (sites.length > 0 || before.length > 0)
      await this.#inTurn(async () => await this.#apply({ sites }));
    return this.siteStates;
  }

  /** Has threads stand still at these exceptions and no others. */
  async setRaises(raises: readonly SourceRaise[]): Promise<void> {
    if (raises.length + this.#wishes.raises.length === 0) return;
    await this.#inTurn(async () => await this.#apply({ raises }));
  }

  /** Has a thread stand still, or without `tid` all; which. Throws CANNOT_DEBUG. */
  abstract pause(tid?: number): Promise<readonly number[]>;

  get siteStates(): ReadonlyMap<string, SiteState> {
    return this.#siteStates;
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
    this.#decide();
    this.#dispose();
    this.#entry.onClosed();
    if (live) await this.leave();
    this.#entry.own?.link.close();
  }

  /** Enters the process; what was opened for it is closed when that throws. */
  protected async begin(enter: () => Promise<void>): Promise<this> {
    try {
      await enter();
      return this;
    } catch (error) {
      this.#dispose();
      this.#entry.own?.link.close();
      throw error;
    }
  }

  /** Source files were loaded, or will be for sure. */
  protected unitsCame(paths: readonly string[]): void {
    const isKnown = paths.every((path) => this.#units.has(path));
    for (const path of paths) {
      this.#units.add(path);
      this.#present.add(path);
      this.#came.add(path);
    }
    // Of those that are known all is handed over: what became of it is only told.
    this.#gather(isKnown ? TELL_MS : GATHER_MS);
  }

  #gather(ms: number): void {
    const at = monotonicMs() + ms;
    if (this.#gathering !== null && this.#gathering.at <= at) return;
    if (this.#gathering !== null) clearTimeout(this.#gathering.timer);
    const timer = setTimeout(() => {
      this.#gathering = null;
      this.#entry.onUnits();
    }, ms).unref();
    this.#gathering = { timer, at };
  }

  /** What became of a breakpoint; once bound in a thread it is bound. */
  protected siteCame(key: string, state: SiteState): void {
    if (this.#siteStates.get(key)?.isBound === true) return;
    this.#siteStates.set(key, state);
    this.#gather(GATHER_MS);
  }

  protected tell(exception: UncaughtException): void {
    this.#entry.onException(exception);
  }

  /** A whole sentence, once. */
  protected say(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#entry.onNote(text);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn;
    return await turn;
  }

  async #apply(changed: Partial<SourceWishes<C>>): Promise<ReadonlyMap<string, Verdict>> {
    this.#wishes = { ...this.#wishes, ...changed };
    await this.hand(this.#wishes);
    this.#told.read();
    this.#decide();
    return this.#verdicts;
  }

  /** Of functions that were wanted before only those in units that came since can have another verdict. */
  #decide(): void {
    const { functions } = this.#wishes;
    const isSame = functions === this.#decided;
    if (!isSame) {
      this.#verdicts = new Map();
      this.hooked = 0;
    }
    const found = functionsByUnit(functions);
    for (const unit of isSame ? this.#came : this.#present)
      for (const fn of found.get(unit) ?? []) this.#decideOn(fn);
    this.#decided = functions;
    this.#came.clear();
  }

  #decideOn(fn: SourceFunction): void {
    const verdict = this.verdictOn(fn);
    const wasHooked = this.#verdicts.get(fn.id)?.kind === 'hooked';
    this.hooked += Number(verdict.kind === 'hooked') - Number(wasHooked);
    this.#verdicts.set(fn.id, verdict);
  }

  #dispose(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering.timer);
    this.#told[Symbol.dispose]();
  }
}
