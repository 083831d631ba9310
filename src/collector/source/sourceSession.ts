import { monotonicNs } from '../../base/clock.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { ProbeRequest } from '../../model/probes/probe.ts';
import type { Expression } from '../../model/watches/expression.ts';
import type { AgentLinks } from '../frida/agentLinks.ts';
import type { LaunchSpec } from '../supervisor/launchSpec.ts';
import type {
  SessionTracer,
  TraceableProcess,
  TracedSession,
  Tracer,
  TracerSink,
} from '../tracer.ts';
import { projectSources } from './projectSources.ts';
import { SourceProbes, type ProbedLanguage, type SiteState } from './sourceProbes.ts';
import type { SourceSite } from './sourceSites.ts';
import { SampledWatches, type WatchedLanguage } from './sampledWatches.ts';
import type { SourceEntry, SourceProcess, UncaughtException } from './sourceProcess.ts';

/** A language whose functions are source text, and the way into its processes. `C`: what an expression becomes. */
export interface TracedLanguage<C> extends Omit<WatchedLanguage<C>, 'any' | 'sample'> {
  /** Whether a file of this name holds source. */
  isSource(name: string): boolean;
  /** Why a condition cannot be decided in a function, as a clause; null: it can. */
  whyUndecided(when: Expression, fn: SourceFunction, atReturn: boolean): string | null;
  enter(entry: SourceEntry, session: TracedSession): Promise<SourceProcess<C>>;
  readonly probed: ProbedLanguage<C>;
}

/** The processes of one language in one session. They are entered by the agent of the native tracer. */
export class SourceSession<C> implements SessionTracer<SourceFunction> {
  readonly watches: SampledWatches<C>;
  readonly probes: SourceProbes<C>;
  readonly #session: TracedSession;
  readonly #agents: AgentLinks;
  readonly #sink: TracerSink;
  readonly #language: TracedLanguage<C>;
  #sources: readonly string[] | null = null;
  readonly #entered = new Set<SourceProcess<C>>();
  #uncaught = 0;
  #telling: Promise<void> = Promise.resolve();

  constructor(
    session: TracedSession,
    agents: AgentLinks,
    sink: TracerSink,
    language: TracedLanguage<C>,
  ) {
    this.#session = session;
    this.#agents = agents;
    this.#sink = sink;
    this.#language = language;
    this.watches = new SampledWatches(session, sink, {
      ...language,
      any: () => this.#entered.size > 0,
      sample: async (plan, only) => {
        const all = [...this.#entered].filter(({ pid }) => only === undefined || pid === only);
        await Promise.all(all.map((process) => process.setWatches(plan)));
      },
    });
    this.probes = new SourceProbes(session, language.probed, (name) => language.isSource(name), {
      any: () => this.#entered.size > 0,
      set: async (sites, only) => await this.#setSites(sites, only),
    });
  }

  prepare(spec: LaunchSpec): LaunchSpec {
    return spec;
  }

  /** Functions are numbered in the processes. */
  continueFrom(): void {
    return;
  }

  whyUndecided(when: Expression, fn: SourceFunction, atReturn: boolean): string | null {
    return this.#language.whyUndecided(when, fn, atReturn);
  }

  whyNoBreakpoint({ where, stop }: ProbeRequest): string | null {
    const isInFile = where.kind === 'line' || where.kind === 'text';
    const isOurs = isInFile
      ? this.#language.isSource(where.file)
      : where.kind === 'function' && this.#entered.size > 0;
    if (!isOurs || stop === undefined) return null;
    return `Threads cannot be stopped in ${this.#language.name} yet: "log" or "capture" records the values there without stopping.`;
  }

  async enter(process: TraceableProcess): Promise<Tracer<SourceFunction>> {
    const agent = this.#agents.of(this.#session.id, process.pid);
    if (agent === null)
      throw new StrobeError(
        'INSTRUMENTATION_FAILED',
        `${this.#language.name} functions of process ${process.pid} cannot be traced: its native code could not be entered.`,
      );
    this.#sources ??= projectSources(this.#session.projectRoot, (name) =>
      this.#language.isSource(name),
    );
    const entry: SourceEntry = {
      process,
      agent,
      sources: this.#sources,
      onUnits: () => this.#sink.unitsChanged(process.pid),
      onException: (exception) => this.#tell(exception),
      onNote: (text) => this.#sink.note(text),
      onClosed: () => void this.#entered.delete(entered),
    };
    const entered = await this.#language.enter(entry, this.#session);
    this.#entered.add(entered);
    return entered;
  }

  /** Of each site what the process says that got farthest with it. */
  async #setSites(
    sites: readonly SourceSite<C>[],
    only?: number,
  ): Promise<ReadonlyMap<string, SiteState>> {
    const merged = new Map<string, SiteState>();
    await Promise.all(
      [...this.#entered].map(async (process) => {
        const isMeant = only === undefined || process.pid === only;
        const states = isMeant ? await process.setSites(sites) : process.siteStates;
        for (const [key, state] of states)
          if (merged.get(key)?.isBound !== true) merged.set(key, state);
      }),
    );
    return merged;
  }

  /** An exception that nothing caught ends the program: it is stored before that is known. */
  #tell(uncaught: UncaughtException): void {
    const exception = {
      ...uncaught,
      key: `${this.#language.type} ${uncaught.pid} ${this.#uncaught++}`,
      time: Number(monotonicNs() - this.#session.startNs),
    };
    this.#telling = this.#telling
      .then(() => this.#sink.exception(exception))
      .catch(() => undefined); // The session is gone.
  }

  async settle(): Promise<boolean> {
    for (const entered of this.#entered) entered.read();
    await this.#telling;
    return true;
  }

  async finish(): Promise<void> {
    await this.settle();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
