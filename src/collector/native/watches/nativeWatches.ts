import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import {
  watchLabel,
  watchReport,
  type WatchDefinition,
  type WatchReport,
} from '../../../model/watches/watch.ts';
import type {
  TracedNow,
  TracedSession,
  TracerSink,
  WantedWatch,
  WatchTracer,
} from '../../tracer.ts';
import type { NativeParts } from '../nativeParts.ts';
import { placesWith } from './processPlaces.ts';
import {
  definitionOf,
  programsOf,
  Refused,
  Waits,
  writeProgram,
  type NamesAround,
} from './watchPrograms.ts';
import type { FunctionWatches, NumberedWatch } from './watchTable.ts';
import { writePlace } from './writePlace.ts';
import { WriteWatches, type WantedWrites, type WritesOutcome } from './writeWatches.ts';

/** What the processes of the session do for its watches. */
export interface WatchedProcesses {
  /** Has these sampled and no others, in one process or in all. */
  sample(watches: FunctionWatches, only?: number): Promise<void>;
  /** Run-time addresses of what is hooked in a process. */
  hookedAt(pid: number): readonly bigint[];
}

/** What one round of applying watches finds out. */
interface Round {
  readonly traced: TracedNow<FoundFunction>;
  readonly around: NamesAround;
  readonly reports: Map<WantedWatch, WatchReport>;
  readonly plan: Map<string, NumberedWatch[]>;
  readonly writes: Map<WantedWrites, WantedWatch>;
}

/** Functions of a watch whose reasons are said. */
const mostRefused = 4;

/** The watches of one session in programs of machine code. */
export class NativeWatches implements WatchTracer<FoundFunction> {
  readonly writes: WriteWatches;
  readonly #session: TracedSession;
  readonly #parts: NativeParts;
  readonly #sink: TracerSink;
  readonly #processes: WatchedProcesses;
  readonly #numbers = new Map<string, number>();
  #hasWrites = false;
  /** The engines may have watches. */
  #isSampled = false;

  constructor(
    session: TracedSession,
    parts: NativeParts,
    sink: TracerSink,
    processes: WatchedProcesses,
  ) {
    this.#session = session;
    this.#parts = parts;
    this.#sink = sink;
    this.#processes = processes;
    this.writes = new WriteWatches(session, parts, sink, (pid) => processes.hookedAt(pid));
  }

  async apply(
    watches: readonly WantedWatch[],
    traced: TracedNow<FoundFunction>,
    only?: number,
  ): Promise<readonly WatchReport[]> {
    if (watches.length === 0 && !this.#isSampled) return [];
    const units = [...new Set([...traced.own, ...traced.wanted.map(({ unit }) => unit)])];
    const round: Round = {
      traced,
      around: {
        secretNames: this.#session.limits.secretNames,
        pid: traced.pid,
        functions: (pattern, depth) => traced.functions(pattern, depth),
        variables: (name, depth) => this.#parts.code.variables(units, name, depth),
      },
      reports: new Map(),
      plan: new Map(),
      writes: new Map(),
    };
    for (const watch of watches) {
      try {
        if (watch.request.at === 'write') await this.#place(watch, round);
        else await this.#sample(watch, round);
      } catch (error) {
        cannotBe(watch, round, error);
      }
    }
    await this.#spot(round);
    const reports = watches.flatMap((watch) => round.reports.get(watch) ?? []);
    this.#isSampled = reports.some(({ state }) => state !== 'refused');
    await this.#processes.sample(round.plan, only);
    return reports;
  }

  async #spot({ writes, reports }: Round): Promise<void> {
    if (writes.size === 0 && !this.#hasWrites) return;
    this.#hasWrites = writes.size > 0;
    const outcomes = await this.writes.watch([...writes.keys()]);
    let isFirst = true;
    for (const [{ number, pid }, watch] of writes) {
      const outcome = outcomes.get(number);
      const report = reports.get(watch);
      if (outcome?.isWatched !== true || !report) {
        cannotBe(watch, { reports }, new Refused(whyNot(outcome)));
        continue;
      }
      const general = `By any thread of process ${pid}; not seen: read(2) into it, and other processes, also forked ones.`;
      const notes = [...outcome.notes, ...report.notes, ...(isFirst ? [general] : [])];
      isFirst = false;
      reports.set(watch, { ...report, state: 'active', notes });
    }
  }

  /** Where it lies now. Throws Refused or Waits. */
  async #place(watch: WantedWatch, { traced, around, reports, writes }: Round): Promise<void> {
    const { request } = watch;
    const label = watchLabel(request);
    const program = await writeProgram(watch, around);
    const modules = program.fixups.map(({ variable }) => variable.module);
    const places = traced.pid === null ? null : placesWith([...new Set(modules)], traced.pids);
    if (!places) throw new Waits('The process is gone.');
    const place = writePlace(program, places);
    if ('why' in place)
      throw new (place.waits ? Waits : Refused)(
        `${label} cannot be watched for writes: ${place.why}.`,
      );
    const { address, bytes, isBehindPointer } = place;
    const isText = program.type.kind === 'cstring';
    const type = isText ? ({ kind: 'pointer', name: program.type.name } as const) : program.type;
    const definitions: WatchDefinition[] = [];
    const number = this.#number(`${label}\0write ${JSON.stringify(type)}`, (fresh) => {
      definitions.push({
        ...definitionOf(fresh, request, { type, isOfCall: false }),
        isWritten: true,
      });
    });
    if (definitions.length > 0) await this.#sink.defineWatches(definitions);
    const where = `Where it is now: 0x${address.toString(16)}.`;
    const notes = isBehindPointer ? [where] : [];
    reports.set(watch, watchReport(request, 'pending', { type: type.name, functions: 0, notes }));
    writes.set({ pid: places.pid, number, label, address, bytes }, watch);
  }

  async #sample(watch: WantedWatch, { traced, around, reports, plan }: Round): Promise<void> {
    const { request } = watch;
    const programs = await programsOf(watch, around);
    const uses = new Map<string, NumberedWatch>();
    const made = new Map<string, NumberedWatch>();
    const definitions: WatchDefinition[] = [];
    for (const [fn, program] of programs.byFunction) {
      const key = JSON.stringify([program.type, program.isOfCall]);
      const number = this.#number(`${watchLabel(request)}\0${key}`, (fresh) => {
        definitions.push(definitionOf(fresh, request, program));
      });
      const whole = `${number} ${program.at} ${program.words.join()} ${program.where}`;
      const use = made.get(whole) ?? { number, program };
      made.set(whole, use);
      uses.set(fn.id, use);
    }
    if (definitions.length > 0) await this.#sink.defineWatches(definitions);
    for (const [id, use] of uses) {
      const known = plan.get(id);
      if (known) known.push(use);
      else plan.set(id, [use]);
    }
    const functions = [...uses.keys()].filter((id) => traced.hooked.has(id)).length;
    const [first] = made.values();
    const notes = [...programs.notes];
    const refused = programs.byFunction.flatMap(([{ id, name }]) => {
      const why = traced.whyRefused(id);
      return why === null ? [] : [`${name} cannot be hooked: ${why}.`];
    });
    if (functions === 0 && refused.length > 0 && refused.length === programs.byFunction.length)
      throw new Refused(refused.slice(0, mostRefused).join(' '));
    if (functions === 0)
      notes.push(
        'It is sampled at traced calls, and none of its functions is hooked yet: add a pattern.',
      );
    const state = functions > 0 ? 'active' : 'pending';
    const type = first ? first.program.type.name : null;
    reports.set(watch, watchReport(request, state, { type, functions, notes }));
  }

  #number(key: string, define: (fresh: number) => void): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const fresh = this.#sink.watchNumber();
    this.#numbers.set(key, fresh);
    define(fresh);
    return fresh;
  }
}

function whyNot(outcome: WritesOutcome | undefined): string {
  return outcome === undefined || outcome.isWatched ? 'The process is gone.' : outcome.why;
}

/** Rethrows everything but Refused and Waits. */
function cannotBe(watch: WantedWatch, { reports }: Pick<Round, 'reports'>, error: unknown): void {
  if (!(error instanceof Refused) && !(error instanceof Waits)) throw error;
  const state = error instanceof Refused ? 'refused' : 'pending';
  const notes = [error.message];
  reports.set(watch, watchReport(watch.request, state, { type: null, functions: 0, notes }));
}
