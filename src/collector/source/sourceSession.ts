import { monotonicNs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { hasEnded } from '../../base/proc.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { ExceptionKind, ProbeRequest } from '../../model/probes/probe.ts';
import type { Expression } from '../../model/watches/expression.ts';
import type { AgentLinks } from '../frida/agentLinks.ts';
import { makeRingDirectory, ringDirectory } from '../rings/ringFolder.ts';
import { RingPlans } from '../rings/ringPlan.ts';
import type { DebugBackend, DebugSink } from '../debug/debugger.ts';
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
import { SourceDebugger, type StandingLanguage } from './sourceDebugger.ts';
import { SampledWatches, type WatchedLanguage } from './sampledWatches.ts';
import type {
  OwnWay,
  OwnWaySink,
  SourceEntry,
  SourceProcess,
  UncaughtException,
} from './sourceProcess.ts';

/** How long after its connections a process may end, or be known to have executed another program. */
const ENDING_MS = 2000;
const CLOSED = 'it closed its connection to the tracer, whose descriptor is none that it opened';

/** A language whose functions are source text, and the way into its processes. `C`: what an expression becomes. */
export interface TracedLanguage<C> extends Omit<WatchedLanguage<C>, 'any' | 'sample'> {
  /** Whether a file of this name holds source. */
  isSource(name: string): boolean;
  /** Why a condition cannot be decided in a function, as a clause; null: it can. */
  whyUndecided(when: Expression, fn: SourceFunction, atReturn: boolean): string | null;
  /** Whether it needs nobody to come into a process that runs this file and has not begun. */
  entersAlone?(image: string, session: TracedSession): Promise<boolean>;
  /** The way into one that comes in by itself. */
  comeAlone?(pid: number, sink: OwnWaySink): OwnWay;
  enter(entry: SourceEntry<C>, session: TracedSession): Promise<SourceProcess<C>>;
  readonly probed: ProbedLanguage<C>;
  readonly standing: StandingLanguage<C>;
  readonly raised: ExceptionKind;
  /** What stops its threads where that may be another debugger; `own` makes Strobe's. Absent: Strobe alone does. */
  chooses?(
    parts: StoppingParts<C>,
    sink: DebugSink,
    own: (sink: DebugSink) => SourceDebugger<C>,
  ): DebugBackend & { readonly own: SourceDebugger<C> };
}

/** What a debugger of others needs of a session. */
export interface StoppingParts<C> {
  readonly session: TracedSession;
  readonly probes: SourceProbes<C>;
  /** Null: it is not entered. */
  readonly processOf: (pid: number) => SourceProcess<C> | null;
}

/** The processes of one language in one session. They are entered by the agent of the native tracer, unless they come by themselves. */
export class SourceSession<C> implements SessionTracer<SourceFunction> {
  readonly watches: SampledWatches<C>;
  readonly probes: SourceProbes<C>;
  readonly debugger: DebugBackend;
  readonly #stopper: SourceDebugger<C>;
  readonly #session: TracedSession;
  readonly #agents: AgentLinks;
  readonly #sink: TracerSink;
  readonly #language: TracedLanguage<C>;
  #sources: readonly string[] | null = null;
  readonly #rings: RingPlans;
  readonly #entered = new Set<SourceProcess<C>>();
  /** By what they do at a hit: record, or stop. */
  readonly #sites: { record: readonly SourceSite<C>[]; stop: readonly SourceSite<C>[] } = {
    record: [],
    stop: [],
  };
  #uncaught = 0;
  #telling: Promise<void> = Promise.resolve();

  constructor(
    session: TracedSession,
    agents: AgentLinks,
    sink: TracerSink,
    language: TracedLanguage<C>,
  ) {
    this.#session = session;
    this.#rings = new RingPlans(session);
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
    this.probes = this.#probesThat('record');
    const stopping = this.#probesThat('stop');
    const processes = {
      of: (pid: number) => [...this.#entered].find((one) => one.pid === pid) ?? null,
      all: () => [...this.#entered],
    };
    const own = (debug: DebugSink): SourceDebugger<C> =>
      new SourceDebugger(session, language, stopping, processes, debug);
    const parts = { session, probes: stopping, processOf: processes.of };
    const choosing = language.chooses?.(parts, sink.debug, own);
    this.#stopper = choosing?.own ?? own(sink.debug);
    this.debugger = choosing ?? this.#stopper;
  }

  #probesThat(act: 'record' | 'stop'): SourceProbes<C> {
    return new SourceProbes(this.#session, this.#language.probed, this.#language, {
      any: () => this.#entered.size > 0,
      units: () => [...new Set([...this.#entered].flatMap((one) => one.units()))],
      set: async (sites, only) => await this.#setSites(act, sites, only),
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

  ownBreakpoint({ where, stop }: ProbeRequest): { readonly why: string | null } | null {
    if (where.kind === 'exception')
      return where.exception === this.#language.raised && this.#entered.size > 0
        ? { why: null }
        : null;
    const isInFile = where.kind === 'line' || where.kind === 'text';
    return isInFile && this.#language.isSource(where.file) && stop !== undefined
      ? { why: null }
      : null;
  }

  async enter(process: TraceableProcess): Promise<Tracer<SourceFunction>> {
    const { agent, own } = this.#wayInto(process);
    this.#sources ??= projectSources(this.#session.projectRoot, (name) =>
      this.#language.isSource(name),
    );
    const entry: SourceEntry<C> = {
      process,
      agent,
      ...(own ? { own } : {}),
      sources: this.#sources,
      onUnits: () => void this.#sink.unitsChanged(process.pid),
      onException: (exception) => this.#tell(exception),
      onNote: (text) => this.#sink.note(text),
      onClosed: () => {
        this.#entered.delete(entered);
        this.#stopper.left(process.pid);
      },
      onStopped: (thread) => this.#stopper.came(thread),
    };
    const entered = await this.#language.enter(entry, this.#session);
    this.#entered.add(entered);
    await entered.setRaises(this.#stopper.raises);
    return entered;
  }

  async entersAlone({ image }: TraceableProcess): Promise<boolean> {
    return (await this.#language.entersAlone?.(image, this.#session)) ?? false;
  }

  #wayInto({ pid, comesAlone = false }: TraceableProcess): Pick<SourceEntry<C>, 'agent' | 'own'> {
    const agent = comesAlone ? null : this.#agents.of(this.#session.id, pid);
    if (agent !== null) return { agent };
    if (!comesAlone || !this.#language.comeAlone)
      throw new StrobeError(
        'INSTRUMENTATION_FAILED',
        `${this.#language.name} functions of process ${pid} cannot be traced: its native code could not be entered.`,
      );
    makeRingDirectory(ringDirectory(this.#session.id));
    const plan = this.#rings.next(pid);
    const link = this.#language.comeAlone(pid, {
      ring: (path) => this.#sink.ring(path),
      ended: () => void this.#leaveLiving(pid),
    });
    return { agent: { link, ringPath: plan.ringPath }, own: { plan, link } };
  }

  /** What ends or executes another program closes it, too. */
  async #leaveLiving(pid: number): Promise<void> {
    const entered = [...this.#entered].find((one) => one.pid === pid);
    await pause(ENDING_MS);
    if (entered && this.#entered.has(entered) && !hasEnded(pid)) this.#sink.leave(pid, CLOSED);
  }

  /** Of each site what the process says that got farthest with it. */
  async #setSites(
    act: 'record' | 'stop',
    own: readonly SourceSite<C>[],
    only?: number,
  ): Promise<ReadonlyMap<string, SiteState>> {
    this.#sites[act] = own;
    const sites = [...this.#sites.record, ...this.#sites.stop];
    const merged = new Map<string, SiteState>();
    await Promise.all(
      [...this.#entered].map(async (process) => {
        const isMeant = only === undefined || process.pid === only;
        const states = isMeant ? await process.setSites(sites) : process.siteStates;
        for (const [key, state] of states)
          if (isFarther(state, merged.get(key))) merged.set(key, state);
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

/** Of two that are bound the costlier says more. */
function isFarther(state: SiteState, known: SiteState | undefined): boolean {
  if (known?.isBound !== true) return true;
  return state.isBound && known.isWritten === true && state.isWritten !== true;
}
