import { pause } from '../../base/deadline.ts';
import { hasEnded } from '../../base/proc.ts';
import type { TracedFunction } from '../../model/eventColumns.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { Verdict } from '../../model/functions/traceable.ts';
import type { Expression } from '../../model/watches/expression.ts';
import { parsePattern } from '../../model/names/pattern.ts';
import type { LoadedModule } from '../../protocol/agent.ts';
import { refusals } from '../../protocol/refusals.ts';
import { DivertedProcesses } from '../debug/native/divertedProcesses.ts';
import { ProgramDebugger } from '../debug/programDebugger.ts';
import { NativeExceptions } from '../exceptions/nativeExceptions.ts';
import { SessionHosts } from '../frida/sessionHosts.ts';
import { isTracedFromOutside } from '../program/entryConditions.ts';
import { processRoom, runningFile, type ProgramFile } from '../program/entryFacts.ts';
import { goroutineLayoutIn } from '../program/goBuild.ts';
import { memoryFactsOf, ringRoom } from '../program/memoryConditions.ts';
import { threadNumberAt } from '../program/staticLibrary.ts';
import { outputPathOf } from '../rings/ringFolder.ts';
import { powerBelow, RingPlans } from '../rings/ringPlan.ts';
import type { LaunchSpec } from '../supervisor/launchSpec.ts';
import type {
  SessionTracer,
  TraceableProcess,
  TracedSession,
  Tracer,
  TracerSink,
} from '../tracer.ts';
import { whyUndecided } from './expressions/compileCondition.ts';
import { withoutSecretParameters } from './secretShapes.ts';
import { exceptionFunctions } from './exceptionFunctions.ts';
import { FunctionNumbers } from './functionNumbers.ts';
import { keepModules } from './loadedModules.ts';
import { programAfterAgent } from './programAfter.ts';
import type { NativeParts } from './nativeParts.ts';
import { NativeProcess } from './nativeProcess.ts';
import { GoProcess } from './outside/goProcess.ts';
import { forbiddenNote, unwatchedNote } from './outside/forbiddenCalls.ts';
import { OutsideProcess, type OutsideProcessOptions } from './outside/outsideProcess.ts';
import { NativeProbes, type ProbedProcesses } from './probes/nativeProbes.ts';
import type { PlacedProbe, Trap } from './probes/processProbes.ts';
import { NativeWatches } from './watches/nativeWatches.ts';
import type { FunctionWatches } from './watches/watchTable.ts';

/** A program waits no longer for its own symbols to be read because of its exceptions. */
const HOOKING_PATIENCE_MS = 500;
/** Of a program that is traced from outside: rings do not grow, and take memory by parts as they are first gone through. */
const OUTSIDE_RING_BYTES = 32 << 20;
const OUTSIDE_SLOTS = 256;

/** Why the tracer leaves a program that unshares what its threads share. */
const NAMESPACES = 'it makes or enters a namespace, which only a process with one thread may';

const refusedTrap = (text: string): Verdict => ({ kind: 'refused', code: 'trap', text });
/** What plugin.Open calls in every program that has it. */
const pluginLoader = parsePattern('plugin.open');
const pluginsUntraced =
  "Functions of Go in plugins (package plugin) are not traced: Strobe traces Go only in the program's own file. Build the plugin's code into a program as a package that it imports, or trace its tests (go test).";

const goIsLeft =
  'What traces its functions of Go from outside ended: those that are hooked record on, and no other can be hooked.';

/** Agent and engine in the processes of one session: one numbering of functions for all of them. */
export class NativeSession implements SessionTracer<FoundFunction> {
  readonly watches: NativeWatches;
  readonly probes: NativeProbes;
  readonly debugger: ProgramDebugger;
  readonly #session: TracedSession;
  readonly #parts: NativeParts;
  readonly #sink: TracerSink;
  readonly #hosts: SessionHosts;
  readonly #numbers: FunctionNumbers;
  readonly #exceptions: NativeExceptions;
  readonly #byPid = new Map<number, NativeProcess>();
  /** Those that are traced from outside, also in part. */
  readonly #outside = new Map<number, Pick<OutsideProcess, 'setProbes' | 'setWatches'>>();
  readonly #diverted: DivertedProcesses;
  readonly #rings: RingPlans;
  /** Files that processes loaded besides their programs. */
  readonly #libraries = new Set<string>();
  #watches: FunctionWatches = new Map();
  /** Invariants, which are asked where watches are sampled. */
  #checks: FunctionWatches = new Map();

  constructor(session: TracedSession, parts: NativeParts, sink: TracerSink) {
    this.#session = session;
    this.#parts = parts;
    this.#sink = sink;
    this.#rings = new RingPlans(session);
    this.#hosts = new SessionHosts((progress) => parts.hosts.take(progress));
    this.#numbers = new FunctionNumbers({
      rules: { stringBytes: parts.stringBytes, secretNames: session.limits.secretNames },
      announce: (functions) => sink.define(functions),
    });
    this.#exceptions = new NativeExceptions(session, parts, sink);
    this.watches = new NativeWatches(session, parts, sink, {
      sample: (watches, only) => this.#sample(watches, only),
      hookedAt: (pid) => this.#byPid.get(pid)?.hookedAt() ?? [],
    });
    this.probes = new NativeProbes(session, parts, this.#numbers, {
      set: (probes, among) => this.#setProbes(probes, among),
      check: (checks, only) => {
        this.#checks = checks;
        return this.#sample(this.#watches, only);
      },
    });
    this.debugger = new ProgramDebugger(session, parts, sink.debug);
    this.#diverted = new DivertedProcesses(session, parts);
  }

  prepare(spec: LaunchSpec): LaunchSpec {
    return spec;
  }

  continueFrom(functions: readonly TracedFunction[]): void {
    this.#numbers.continueFrom(functions);
  }

  whyUndecided(when: Expression, fn: FoundFunction, atReturn: boolean): string | null {
    return whyUndecided(when, withoutSecretParameters(fn, this.#session.limits), atReturn);
  }

  /** A process that ends soon after it loads a plugin may not be asked any more. */
  refusalOf({ isOfGo, unit }: FoundFunction): Verdict | null {
    if (!isOfGo || !this.#libraries.has(unit)) return null;
    return { kind: 'refused', code: 'libraryOfGo', text: refusals.libraryOfGo };
  }

  /** Throws what FridaHost.attach does. */
  async enter(process: TraceableProcess): Promise<Tracer<FoundFunction>> {
    const program = await runningFile(process.pid);
    if (isTracedFromOutside(program)) {
      const outside = await this.#enterFromOutside(process, program, {
        onLost: (why) => this.#sink.lost(process.pid, why, null),
        onClose: () => this.#outside.delete(process.pid),
      });
      this.#outside.set(process.pid, outside);
      return outside;
    }
    if (program.go !== null && goroutineLayoutIn(program.go) !== null)
      return await this.#enterGo(process, program);
    return await this.#enterInside(process);
  }

  async #enterGo(process: TraceableProcess, program: ProgramFile): Promise<GoProcess> {
    const onNote = (text: string): void => this.#sink.note(text);
    void this.#noteOfPlugins(process.image);
    const enter = (): Promise<OutsideProcess> =>
      this.#enterFromOutside(process, program, {
        onLost: () => onNote(goIsLeft),
        onClose: () => undefined,
      });
    // Held at its start by Frida it cannot be changed from outside any more.
    const standing = process.atExec ? await enter() : null;
    try {
      await standing?.begin();
      const inside = await this.#enterInside(process);
      await standing?.setStands(true);
      const { image, pid } = process;
      const onClose = (): void => void this.#outside.delete(pid);
      const entered = new GoProcess({ image, inside, standing, enter, onNote, onClose });
      this.#outside.set(pid, entered);
      return entered;
    } catch (error) {
      await standing?.close();
      throw error;
    }
  }

  /** Says what is not traced of a program that loads plugins of Go. Never rejects. */
  async #noteOfPlugins(image: string): Promise<void> {
    const options = { projectRoot: this.#session.projectRoot, isOnlyWhether: true };
    try {
      const { value } = await this.#parts.code.find([image], pluginLoader, options);
      if (value.functions.length > 0) this.#sink.note(pluginsUntraced);
    } catch {
      // What its symbols lack is said where they are read.
    }
  }

  async #enterInside(process: TraceableProcess): Promise<Tracer<FoundFunction>> {
    const { pid } = process;
    const agentSource = await this.#parts.agentSource();
    const doing = (what: string): void => this.#sink.doing(what);
    const held =
      process.isAttached || !process.atExec
        ? await this.#hosts.attachRunning(pid, doing)
        : await this.#hosts.attach(pid, doing);
    const plan = this.#rings.next(pid);
    const entered = await NativeProcess.enter(held, {
      ...process,
      ...plan,
      outputPath: process.isAttached ? outputPathOf(plan.ringPath) : null,
      agentSource,
      enginePath: this.#parts.enginePath,
      numbers: this.#numbers,
      onRing: (path) => this.#sink.ring(path),
      onOutput: (path) => this.#sink.output(path),
      onModuleLoaded: async (module) => {
        this.#keep([module], process.image);
        await this.#sink.unitsChanged();
      },
      onNote: (text) => this.#sink.note(text),
      onLeave: () => this.#sink.leave(pid, NAMESPACES),
      onLost: (why, isOver) =>
        this.#sink.lost(pid, why, isOver ? (limitMs) => programAfterAgent(pid, limitMs) : null),
    });
    this.#keep([...entered.modules.values()], process.image);
    this.#exceptions.start();
    const hooking = this.#hookExceptions(entered, process);
    this.#byPid.set(pid, entered);
    const told = this.#parts.agents.add(this.#session.id, pid, entered.agent);
    return {
      pid,
      get hooked() {
        return entered.hooked;
      },
      notes: entered.notes,
      units: () => entered.units(),
      setWanted: (wanted, policies) => entered.setWanted(wanted, policies),
      awaitLibraries: (modules) => entered.awaitLibraries(modules),
      clock: () => entered.clock(),
      resume: async () => {
        await Promise.race([hooking, pause(HOOKING_PATIENCE_MS)]);
        await entered.resume();
        await this.#began(pid);
      },
      close: async (live) => {
        await this.#diverted.leave(pid);
        if (this.#byPid.get(pid) === entered) this.#byPid.delete(pid);
        told[Symbol.dispose]();
        await entered.close(live);
      },
    };
  }

  async #enterFromOutside(
    process: TraceableProcess,
    program: ProgramFile,
    told: Pick<OutsideProcessOptions, 'onLost' | 'onClose'>,
  ): Promise<OutsideProcess> {
    const { pid, image } = process;
    const { limits } = this.#session;
    const room = ringRoom(memoryFactsOf(pid));
    const { outsidePath, outsideTargetPath: targetPath } = this.#parts;
    if (program.go !== null) this.#exceptions.start();
    return await OutsideProcess.enter({
      outsidePath,
      targetPath,
      pid,
      image,
      ringPath: this.#rings.path(pid),
      slotCount: Math.min(limits.ringSlots, OUTSIDE_SLOTS),
      ringBytes: powerBelow(Math.min(OUTSIDE_RING_BYTES, limits.ringBytes, room)),
      isGo: program.go !== null,
      isSandboxed: (processRoom(process)?.filters ?? 0) > 0,
      panicType: () => this.#exceptions.panics.typeIn(image),
      strands: strandsIn(program),
      numbers: this.#numbers,
      onRing: (path) => this.#sink.ring(path),
      onNote: (text) => this.#sink.note(text),
      onForbidden: (calls, ns) => {
        const seconds = Number(ns - this.#session.startNs) / 1e9;
        this.#sink.note(forbiddenNote(calls, seconds, program.go !== null));
      },
      onUnwatched: (code) => this.#sink.note(unwatchedNote(code)),
      ...told,
    });
  }

  async settle(): Promise<boolean> {
    const [areAllStored] = await Promise.all([
      this.#exceptions.readSoon(),
      this.watches.writes.readSoon(),
    ]);
    return areAllStored;
  }

  async finish(): Promise<void> {
    await Promise.all([this.#exceptions.finish(), this.watches.writes.finish()]);
  }

  async letGo(): Promise<void> {
    await this.watches.writes.close();
  }

  async close(): Promise<void> {
    await this.#diverted.close();
    await this.#hosts.close();
  }

  /** Hooked where one process at least has it; of processes that are left alone what they said last. */
  async #setProbes(
    probes: readonly PlacedProbe[],
    { main, only }: Parameters<ProbedProcesses['set']>[1],
  ): ReturnType<ProbedProcesses['set']> {
    const merged = new Map<number, Verdict>();
    const trapped = new Set<number>();
    await Promise.all(
      [...this.#byPid.values()]
        .filter(({ pid }) => only === undefined || pid === only)
        .map(async (entered) => {
          const now = await entered.setProbes(probes);
          const refused = await this.#divert(now.traps, entered, main);
          for (const [number, verdict] of now.verdicts) {
            const address = now.trapped.get(number);
            const text = address === undefined ? undefined : refused.get(address);
            if (address !== undefined && text === undefined) trapped.add(number);
            if (merged.get(number)?.kind !== 'hooked')
              merged.set(number, text === undefined ? verdict : refusedTrap(text));
          }
        }),
    );
    for (const [pid, outside] of this.#outside) {
      if (only !== undefined && pid !== only) continue;
      const { verdicts } = await outside.setProbes(probes);
      for (const [number, verdict] of verdicts)
        if (merged.get(number)?.kind !== 'hooked') merged.set(number, verdict);
    }
    return { verdicts: merged, trapped };
  }

  /** The stopper of what stops serves the traps there, too: a process has one tracer. */
  async #divert(
    traps: readonly Trap[],
    { pid, isRunning }: NativeProcess,
    main: number | null,
  ): Promise<ReadonlyMap<bigint, string>> {
    const process = { pid, isHeld: !isRunning };
    if (pid !== main) return await this.#diverted.divert(traps, process);
    await this.#diverted.leave(pid);
    return await this.debugger.divert(traps, process);
  }

  /** Threads that meet an int3 before wait for the stopper. */
  async #began(pid: number): Promise<void> {
    try {
      await this.#diverted.began(pid);
      await this.debugger.began(pid);
    } catch (error) {
      if (!hasEnded(pid))
        this.#sink.note(`Breakpoints by traps could not be placed: ${String(error)}`);
    }
  }

  async #sample(watches: FunctionWatches, only?: number): Promise<void> {
    this.#watches = watches;
    const all = joined(watches, this.#checks);
    const processes = [...this.#byPid, ...this.#outside];
    await Promise.all(
      processes
        .filter(([pid]) => only === undefined || pid === only)
        .map(([pid, entered]) => entered.setWatches(watchesIn(pid, all))),
    );
  }

  #keep(modules: readonly LoadedModule[], image: string): void {
    for (const { path } of modules) if (path !== image) this.#libraries.add(path);
    keepModules(this.#session.storePath, modules).catch((error: unknown) => {
      this.#parts.warn('functions will not be named', {
        session: this.#session.id,
        error: String(error),
      });
    });
  }

  /**
   * Also those of the run-time libraries that the program brings along; of an engine, whose index takes seconds, its own
   * are left alone. Never rejects.
   */
  async #hookExceptions(
    entered: NativeProcess,
    { image, isEngine = false }: TraceableProcess,
  ): Promise<void> {
    try {
      await entered.hookExceptions([]);
      if (isEngine) return;
      const found = await exceptionFunctions(this.#parts.code, image);
      if (found.length > 0) await entered.hookExceptions(found);
    } catch (error) {
      this.#parts.warn('exceptions are not recorded', {
        session: this.#session.id,
        pid: entered.pid,
        error: String(error),
      });
    }
  }
}

/** What tells strands apart in a program that is traced from outside. */
function strandsIn({ go, staticLibrary }: ProgramFile): readonly (string | number)[] {
  if (go === null) return ['c', threadNumberAt[staticLibrary ?? 'glibc']];
  const none = { number: 0, creator: 0, panicFrame: 0 };
  const { number, creator, panicFrame } = goroutineLayoutIn(go) ?? none;
  return ['go', number, creator, panicFrame];
}

function joined(one: FunctionWatches, other: FunctionWatches): FunctionWatches {
  const all = new Map(one);
  for (const [id, watches] of other) all.set(id, [...(all.get(id) ?? []), ...watches]);
  return all;
}

/** Without those that mean something in another process alone. */
function watchesIn(pid: number, watches: FunctionWatches): FunctionWatches {
  return new Map(
    [...watches].map(([id, uses]) => [
      id,
      uses.filter(({ program }) => program.pid === undefined || program.pid === pid),
    ]),
  );
}
