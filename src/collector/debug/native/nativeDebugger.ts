import type { FrameVariable } from '../../../model/endings/crashReport.ts';
import { statFields } from '../../../base/proc.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { FoundStatement } from '../../../model/functions/foundStatement.ts';
import { parsePattern, type Pattern } from '../../../model/names/pattern.ts';
import {
  threadFilter,
  type WatchedPlace,
  type ProbeReport,
  type ProbeRequest,
  type ProbeWhere,
} from '../../../model/probes/probe.ts';
import { condition as conditionWords } from '../../../protocol/record.ts';
import { compileProbe, type CompiledProbe } from '../../native/probes/compileProbe.ts';
import { probeReport, type PlaceOutcome } from '../../probeReport.ts';
import { noMatch, ProbeStatements } from '../../native/probes/probeStatements.ts';
import type { Trap } from '../../native/probes/processProbes.ts';
import { placedWords } from '../../native/watches/watchTable.ts';
import type { NativeParts } from '../../native/nativeParts.ts';
import type { TracedProcess, TracedNow, TracedSession } from '../../tracer.ts';
import type { WantedProbe } from '../../wantedProbe.ts';
import type { Disassembly } from '../../../model/debug/disassembly.ts';
import type { Evaluated, EvaluateRequest } from '../../../model/debug/evaluated.ts';
import type { StepKind, StoppedThread } from '../../../model/debug/stop.ts';
import type { DebugBackend, DebugSink, RanThere, RunningMemory, StopCounts } from '../debugger.ts';
import { DebuggedProcess } from './debuggedProcess.ts';
import type { ProcessOwner } from './processOwner.ts';
import { hitsOf } from './wantedHits.ts';
import { anyCode, watchedPlace, touchOf } from './watchedPlaces.ts';
import type { ProcessMaps } from './processMaps.ts';
import { ProgramMemory } from './programMemory.ts';
import { isTypeMeant, raisePlaces } from './raisePlaces.ts';
import { plantError } from './plantError.ts';
import { isSamePlace, type StopperPlace } from './stopper.ts';
import { Traps } from './traps.ts';

/** A place of a breakpoint in the process. */
interface Placed {
  readonly id: string;
  readonly request: ProbeRequest;
  readonly place: StopperPlace;
  /** The types that are wanted where exceptions are raised; null: all. */
  readonly types: Pattern | null;
  /** What it is in data; null: it is in code. */
  readonly data: WatchedPlace | null;
}

/** Stops threads of programs of machine code: the main process of a session, by a stopper of its own. */
export class NativeDebugger implements DebugBackend {
  readonly isInside = false;
  readonly runsCode = false;
  readonly #session: TracedSession;
  readonly #parts: NativeParts;
  readonly #sink: DebugSink;
  readonly #statements: ProbeStatements;
  /** By number. */
  readonly #placed = new Map<number, Placed>();
  /** Of breakpoints whose places were lifted. */
  readonly #past = new Map<string, StopCounts>();
  readonly #traps = new Traps(() => this.#next++);
  #process: DebuggedProcess | null = null;
  #next = 1;

  constructor(session: TracedSession, parts: NativeParts, sink: DebugSink) {
    this.#session = session;
    this.#parts = parts;
    this.#sink = sink;
    this.#statements = new ProbeStatements(session, parts.code);
  }

  async apply(
    probes: readonly WantedProbe[],
    { own, pid, isHeld }: Pick<TracedNow, 'own' | 'pid'> & { readonly isHeld: boolean },
  ): Promise<readonly ProbeReport[]> {
    const wanted = probes.filter(({ request }) => request.isEnabled);
    const ids = new Set(wanted.map(({ id }) => id));
    for (const [number, { id }] of this.#placed) if (!ids.has(id)) await this.#lift(number);
    const process =
      pid !== null && wanted.length > 0 ? await this.#begin(pid, isHeld) : this.#process;
    const reports: ProbeReport[] = [];
    for (const probe of probes) reports.push(await this.#place(probe, own, process));
    return reports;
  }

  /** Has int3s lead to these islands, and no others. By address why one does not: whole sentences. */
  async divert(traps: readonly Trap[], main: TracedProcess): Promise<ReadonlyMap<bigint, string>> {
    const why = traps.length === 0 ? null : await this.#whyNoTraps(main);
    return await this.#traps.set(traps, this.#process?.stopper ?? null, why);
  }

  /** The process, which was held at its start, runs now. Throws CANNOT_DEBUG. */
  async began(pid: number): Promise<void> {
    if (this.#process?.pid === pid) await this.#process.seize();
  }

  /** A whole sentence; null: they can be. */
  async #whyNoTraps({ pid, isHeld }: TracedProcess): Promise<string | null> {
    try {
      const why = await (await this.#begin(pid, isHeld))?.whyUnsafe();
      return why ? `${why}.` : null;
    } catch (error) {
      if (error instanceof StrobeError) return error.message;
      throw error;
    }
  }

  async counts(): Promise<ReadonlyMap<string, StopCounts>> {
    const totals = new Map(this.#past);
    const counts = await this.#process?.stopper.counts();
    for (const [number, { id }] of this.#placed) {
      const { hits, met } = counts?.get(number) ?? { hits: 0, met: 0 };
      const before = totals.get(id) ?? { hits: 0, met: 0 };
      totals.set(id, { hits: before.hits + hits, met: before.met + met });
    }
    return totals;
  }

  holds(pid: number): boolean {
    return this.#process?.pid === pid && !this.#process.isOver;
  }

  adapterIn(): null {
    return null;
  }

  isFor(): boolean {
    return true;
  }

  async pause(pid: number, tid?: number): Promise<readonly number[]> {
    const process = await this.#debug(pid, false);
    return await process.pause(tid);
  }

  async go(tid: number): Promise<void> {
    await this.#held(tid).go(tid);
  }

  async step(tid: number, kind: StepKind): Promise<void> {
    await this.#held(tid).step(tid, kind);
  }

  async until(tid: number, target: WantedProbe, own: readonly string[]): Promise<void> {
    const process = this.#held(tid);
    const { match } = await this.#statements.find(target, own);
    const addresses = match.statements.flatMap((one) => process.maps().addressOf(one) ?? []);
    if (addresses.length === 0)
      throw new StrobeError('BAD_PARAMETER', match.why ?? 'Its code is not loaded.');
    await process.until(tid, addresses);
  }

  async evaluate(tid: number, request: EvaluateRequest): Promise<Evaluated> {
    return await this.#held(tid).evaluate(tid, request);
  }

  async variables(tid: number, frame: number): Promise<readonly FrameVariable[]> {
    return await this.#held(tid).variables(tid, frame);
  }

  read(tid: number, address: bigint, length: number): Uint8Array {
    return this.#held(tid).read(address, length);
  }

  async write(tid: number, address: bigint, bytes: Uint8Array): Promise<StoppedThread> {
    return await this.#held(tid).write(tid, address, bytes);
  }

  async setRegister(tid: number, register: number, value: bigint): Promise<StoppedThread> {
    return await this.#held(tid).setRegister(tid, register, value);
  }

  memory(pid: number): RunningMemory {
    return new ProgramMemory(pid, this.#session, this.#parts.code);
  }

  assign(): Promise<StoppedThread> {
    throw new StrobeError('BAD_EXPRESSION', 'It is no number, character, enumerator or pointer.');
  }

  run(): Promise<RanThere> {
    throw new StrobeError(
      'BAD_PARAMETER',
      'Strobe\'s own stopper has no console and runs nothing for an expression: "sideEffects" is for Python and JavaScript.',
      'Leave it out: variables, fields, elements, casts and sums need no code of the program. gdb and lldb have a console: debug_breakpoint {"adapter":"gdb"}.',
    );
  }

  async disassemble(tid: number, frame: number, count: number): Promise<Disassembly> {
    return await this.#held(tid).disassemble(tid, frame, count);
  }

  doubt(tid: number): string | null {
    const letter = statFields(tid)?.[0] ?? 'X';
    return letter === 't' ? null : `the kernel says its state is ${letter}`;
  }

  async close(): Promise<void> {
    // What was counted stays.
    for (const number of this.#placed.keys()) await this.#lift(number);
    const process = this.#process;
    this.#process = null;
    this.#traps.clear();
    await process?.close();
  }

  #held(tid: number): DebuggedProcess {
    if (!this.#process) throw new StrobeError('NOT_STOPPED', `Thread ${tid} is not stopped.`);
    return this.#process;
  }

  /** Null: a program that is held at its start has to run first. Throws CANNOT_DEBUG. */
  async #begin(pid: number, isHeld: boolean): Promise<DebuggedProcess | null> {
    return isHeld ? await this.#debug(pid, true).catch(() => null) : await this.#debug(pid, false);
  }

  /** Throws CANNOT_DEBUG. */
  async #debug(pid: number, isHeld: boolean): Promise<DebuggedProcess> {
    if (this.#process?.pid === pid && !this.#process.isOver) {
      if (!isHeld) await this.#process.seize();
      return this.#process;
    }
    await this.close();
    const owner: ProcessOwner = {
      session: this.#session,
      parts: this.#parts,
      idsOf: (numbers) => [
        ...new Set(numbers.flatMap((number) => this.#placed.get(number)?.id ?? [])),
      ],
      touchedOf: (touched) => {
        const { request, data = null } = this.#placed.get(touched.number) ?? {};
        return request?.where.kind === 'data' && data
          ? touchOf(request.where, data, touched)
          : null;
      },
      conditionOf: (number) => this.#placed.get(number)?.request.condition ?? null,
      isWanted: async (number, type) => {
        const types = this.#placed.get(number)?.types ?? null;
        return types === null || (await isTypeMeant(this.#parts.code, pid, type, types));
      },
      stopped: (stop) => this.#sink.stopped(stop, this),
      gone: (tid) => this.#sink.gone(tid),
      left: (why) => {
        if (this.#process !== process) return;
        this.#process = null;
        this.#placed.clear();
        this.#traps.clear();
        this.#sink.left(pid, why);
      },
    };
    const process = await DebuggedProcess.begin(pid, owner, isHeld);
    this.#process = process;
    return process;
  }

  async #lift(number: number): Promise<void> {
    const placed = this.#placed.get(number);
    if (!placed) return;
    const counts = await this.#process?.stopper.counts();
    const { hits, met } = counts?.get(number) ?? { hits: 0, met: 0 };
    const before = this.#past.get(placed.id) ?? { hits: 0, met: 0 };
    this.#past.set(placed.id, { hits: before.hits + hits, met: before.met + met });
    this.#process?.stopper.lift(number);
    this.#placed.delete(number);
  }

  async #place(
    probe: WantedProbe,
    own: readonly string[],
    process: DebuggedProcess | null,
  ): Promise<ProbeReport> {
    const { where } = probe.request;
    if (where.kind === 'exception') return await this.#placeRaises(probe, where, own, process);
    if (where.kind === 'data') return await this.#placeTouches(probe, where, own, process);
    const { match, globals } = await this.#statements.find(probe, own, process?.pid);
    const { secretNames } = this.#session.limits;
    const outcomes: PlaceOutcome[] = [];
    const reasons = new Set<string>();
    const kept = new Set<number>();
    for (const statement of match.statements) {
      const compiled = compileProbe(probe, { statement, globals, secretNames });
      if ('why' in compiled) {
        reasons.add(`${compiled.why.slice(0, 1).toUpperCase()}${compiled.why.slice(1)}.`);
        continue;
      }
      const outcome = (state: PlaceOutcome['state'], why: string | null = null): void => {
        const { functionName, file, line, text } = statement;
        const at = { function: functionName, file, line, text };
        outcomes.push({ at, isReturn: false, state, why, missing: [] });
      };
      if (!probe.request.isEnabled) outcome('pending');
      else if (process === null) outcome('pending');
      else {
        const planted = await this.#plant(probe, statement, compiled, process);
        if (planted.number !== null) kept.add(planted.number);
        outcome(
          planted.number !== null ? 'bound' : planted.why ? 'refused' : 'pending',
          planted.why,
        );
      }
    }
    await this.#liftOthers(probe, kept);
    return await reportOf(probeReport(probe, match, [...reasons], outcomes), process);
  }

  /** Where exceptions are raised: what has no debug information mostly. */
  async #placeRaises(
    probe: WantedProbe,
    where: Extract<ProbeWhere, { kind: 'exception' }>,
    own: readonly string[],
    process: DebuggedProcess | null,
  ): Promise<ProbeReport> {
    const { code } = this.#parts;
    const none = probeReport(probe, noMatch(null), [], []);
    if (!probe.request.isEnabled) return await reportOf(none, process);
    if (process === null) return await reportOf({ ...none, state: 'pending' }, process);
    const maps = process.maps();
    const places = await raisePlaces(code, maps, where.exception, own);
    const types = where.type === undefined ? null : parsePattern(where.type);
    const raise =
      where.exception !== 'cpp' ? ('none' as const) : types === null ? 'throws' : 'asks';
    const kept = new Set<number>();
    const outcomes: PlaceOutcome[] = [];
    for (const place of places) {
      const address = maps.addressOf(place) ?? 0n;
      const planted = await this.#plantAt(probe, process, { address, raise, types });
      if (planted.number !== null) kept.add(planted.number);
      outcomes.push({
        at: { function: place.name, file: place.module, line: null, text: null },
        isReturn: false,
        state: planted.number === null ? 'refused' : 'bound',
        why: planted.why,
        missing: [],
      });
    }
    await this.#liftOthers(probe, kept);
    const report =
      outcomes.length > 0
        ? probeReport(probe, noMatch(null), [], outcomes)
        : { ...none, state: 'pending' as const, reasons: [noRaiser[where.exception]] };
    return await reportOf(report, process);
  }

  /** Where data is written or read, by any thread. */
  async #placeTouches(
    probe: WantedProbe,
    where: Extract<ProbeWhere, { kind: 'data' }>,
    own: readonly string[],
    process: DebuggedProcess | null,
  ): Promise<ProbeReport> {
    const none = probeReport(probe, noMatch(null), [], []);
    const failed = async (why: string): Promise<ProbeReport> =>
      await reportOf({ ...none, state: 'failed', reasons: [why] }, process);
    if (!probe.request.isEnabled) return await reportOf(none, process);
    if (process === null) return await reportOf({ ...none, state: 'pending' }, process);
    const at = { pid: process.pid, maps: process.maps() };
    const place = await watchedPlace(this.#parts.code, this.#session, at, where);
    if ('why' in place) return await failed(place.why);
    const globals = await this.#statements.globals(probe, [anyCode], own);
    const { secretNames } = this.#session.limits;
    const compiled = compileProbe(probe, { statement: anyCode, globals, secretNames });
    if ('why' in compiled) return await failed(`${compiled.why}.`);
    const words = compiled.condition ? this.#wordsOf(compiled.condition, at.maps) : [];
    if ('why' in words) return await failed(words.why);
    const { bytes, address } = place;
    const planted = await this.#plantAt(probe, process, {
      address: BigInt(address),
      hasVectors: compiled.hasVectors,
      words,
      place,
      data: { bytes, access: where.access },
    });
    await this.#liftOthers(probe, new Set(planted.number === null ? [] : [planted.number]));
    const outcome: PlaceOutcome = {
      at: { function: `${bytes} bytes at ${address}`, file: null, line: null, text: null },
      isReturn: false,
      state: planted.number === null ? 'refused' : 'bound',
      why: planted.why,
      missing: [],
    };
    return await reportOf(probeReport(probe, noMatch(null), [], [outcome]), process);
  }

  async #liftOthers({ id }: WantedProbe, kept: ReadonlySet<number>): Promise<void> {
    for (const [number, placed] of this.#placed)
      if (placed.id === id && !kept.has(number)) await this.#lift(number);
  }

  async #plant(
    probe: WantedProbe,
    statement: FoundStatement,
    { condition, hasVectors }: CompiledProbe,
    process: DebuggedProcess,
  ): Promise<Planted> {
    const maps = process.maps();
    const address = maps.addressOf(statement);
    if (address === null) return { number: null, why: null };
    const code = condition ? this.#wordsOf(condition, maps) : [];
    if ('why' in code) return refused(code.why);
    return await this.#plantAt(probe, process, { address, hasVectors, words: code });
  }

  /** Those of a condition, or why it cannot be decided: a whole sentence. */
  #wordsOf(
    condition: NonNullable<CompiledProbe['condition']>,
    maps: ProcessMaps,
  ): readonly bigint[] | { readonly why: string } {
    const code = placedWords(condition, {
      image: this.#session.image,
      addressIn: (module, offset) => maps.addressOf({ module, offset }),
    });
    if (!code) return { why: 'A variable of its condition is not loaded.' };
    return code.some((word) => Number(word & 0xffn) === conditionWords.thread)
      ? { why: 'Its condition names a thread-local variable, which a stop cannot evaluate.' }
      : code;
  }

  async #plantAt(
    probe: WantedProbe,
    process: DebuggedProcess,
    {
      address,
      hasVectors = false,
      words = [],
      raise = 'none',
      types = null,
      place: dataAt = null,
      data: touch,
    }: Pick<StopperPlace, 'address'> &
      Partial<Pick<StopperPlace, 'data'> & { readonly place: WatchedPlace | null }> &
      Partial<Pick<StopperPlace, 'hasVectors' | 'words' | 'raise'> & Pick<Placed, 'types'>>,
  ): Promise<Planted> {
    const over = touch ? null : process.maps().jumpOver(address);
    if (over !== null && over !== address)
      return refused(
        'A hook has moved this statement: stop at the next line, or remove the pattern that traces its function.',
      );
    const place: StopperPlace = {
      number: this.#next,
      address,
      ...hitsOf(probe.request),
      hasVectors,
      raise,
      thread: threadFilter(probe.request.thread),
      words,
      ...(touch ? { data: touch } : {}),
    };
    const same = [...this.#placed].find(
      ([, one]) =>
        one.id === probe.id && isSamePlace(one.place, place) && one.types?.text === types?.text,
    );
    if (same) return { number: same[0], why: null };
    this.#placed.set(this.#next++, {
      id: probe.id,
      request: probe.request,
      place,
      types,
      data: dataAt,
    });
    const error = await process.stopper.plant(place);
    if (error === 0) return { number: place.number, why: null };
    this.#placed.delete(place.number);
    return refused(plantError(error, touch !== undefined));
  }
}

/** The number of its place, or why there is none: a whole sentence. */
interface Planted {
  readonly number: number | null;
  readonly why: string | null;
}

function refused(why: string): Planted {
  return { number: null, why };
}

async function reportOf(
  report: Omit<ProbeReport, 'numbers'>,
  process: DebuggedProcess | null,
): Promise<ProbeReport> {
  const isBound = report.state === 'bound';
  const notes = isBound ? [...report.notes, ...(await exposures(process))] : report.notes;
  return { ...report, numbers: [], notes, means: isBound ? 'trap' : null };
}

const noRaiser = {
  cpp: 'No loaded file throws exceptions of C++.',
  python: 'No Python program runs in this session yet.',
  js: 'No Node program runs in this session yet.',
  panic: 'No loaded file has panics of Rust.',
} as const;

/** What the program is exposed to while threads stop at a breakpoint. */
async function exposures(process: DebuggedProcess | null): Promise<string[]> {
  const only = 'Stops the main process only.';
  if (!process) return [only];
  const why = await process.whyUnsafe();
  const danger = 'if Strobe\'s "stopper" process is killed, the program ends at its next hit.';
  return why === null ? [only] : [only, `${why}: ${danger}`];
}
