import { closeSync, existsSync, ftruncateSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { filesOf } from '../../base/proc.ts';
import { StrobeError } from '../../model/errors.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { CallPolicy, Verdict } from '../../model/functions/traceable.ts';
import { modulePathExpression } from '../../model/names/pattern.ts';
import { attachNotes, NOT_LEFT } from '../../model/session.ts';
import type {
  AgentMessage,
  ExceptionOptions,
  LoadedModule,
  StartResult,
  Tap,
} from '../../protocol/agent.ts';
import { outputRing } from '../../protocol/record.ts';
import { verdictCodes, type RefusalCode } from '../../protocol/refusals.ts';
import { exceptionPathOf } from '../exceptions/readExceptionFile.ts';
import type { PlacedAgent } from '../frida/agentLinks.ts';
import type { AgentLink } from '../frida/fridaHost.ts';
import type { HeldProcess } from '../frida/sessionHosts.ts';
import { isFollowed } from '../program/entryFacts.ts';
import { makeRingDirectory } from '../rings/ringFolder.ts';
import type { Tracer } from '../tracer.ts';
import type { ExceptionFunction } from './exceptionFunctions.ts';
import { exceptionLibraries } from './exceptionFunctions.ts';
import type { FunctionNumbers } from './functionNumbers.ts';
import { watchMainThread } from './mainThread.ts';
import { ProcessProbes, type PlacedProbe, type ProbedNow } from './probes/processProbes.ts';
import { ProcessHooks } from './processHooks.ts';
import { SentWalks } from './sentWalks.ts';
import type { FunctionWatches } from './watches/watchTable.ts';

/** What entering a process takes. */
export interface NativeOptions {
  readonly pid: number;
  /** The ELF file it runs. */
  readonly image: string;
  /** Where its events go; no other process and no earlier program of this one used it. */
  readonly ringPath: string;
  /** It has not run yet: its only thread of its own is the main one. */
  readonly atExec: boolean;
  /** Where its output is recorded; null when somebody else reads it. */
  readonly outputPath: string | null;
  readonly agentSource: string;
  readonly enginePath: string;
  readonly slotCount: number;
  readonly ringBytes: number;
  readonly mostRingBytes: number;
  readonly growBytes: number;
  readonly forkedBytes: number;
  readonly sampling: { readonly callsPerSecond: number; readonly every: number };
  readonly numbers: FunctionNumbers;
  /** Awaited with the ring's path before anything is armed. */
  readonly onRing: (path: string) => Promise<void>;
  /** The same with the path of its output. */
  readonly onOutput: (path: string) => Promise<void>;
  /** Ends when its functions are hooked, as far as they are wanted. */
  readonly onModuleLoaded: (module: LoadedModule) => Promise<void>;
  /** `isOver`: its program has ended or was replaced. */
  readonly onLost: (why: string, isOver: boolean) => void;
  /** What the program did to itself that concerns its tracing. */
  readonly onNote: (text: string) => void;
  /** The program waits for us to leave. */
  readonly onLeave: () => void;
}

/** A process that stands still answers nothing. */
const CLOCK_LIMIT_MS = 250;
const HOST_ENDED = 'the process that speaks Frida ended';

/** Our presence inside one target process: agent, engine, hooks. */
export class NativeProcess implements Tracer<FoundFunction> {
  readonly pid: number;
  readonly image: string;
  readonly modules = new Map<string, LoadedModule>();
  readonly notes: readonly string[];
  readonly #hooks: ProcessHooks;
  readonly #probes: ProcessProbes;
  readonly #enginePath: string;
  /** Its output is recorded in it. */
  readonly #hasTaps: boolean;
  readonly #held: HeldProcess;
  readonly #onNote: (text: string) => void;
  readonly #link: AgentLink;
  readonly #ringPath: string;
  #exceptions: ExceptionOptions | null = null;
  #closed = false;
  /** Those libraries, as a regular expression, that wait for their hooks when they come. */
  #awaited = '';
  /** It is not held at its start. */
  #isRunning: boolean;
  #watch: Disposable | null = null;

  private constructor(
    held: HeldProcess,
    link: AgentLink,
    options: NativeOptions,
    taps: readonly Tap[],
  ) {
    this.pid = options.pid;
    this.image = options.image;
    this.notes = [
      ...(options.outputPath === null ? [] : [outputNote(taps)]),
      ...(held.interrupted ? [INTERRUPTED] : []),
    ];
    this.#hasTaps = taps.length > 0;
    this.#enginePath = options.enginePath;
    this.#isRunning = !options.atExec;
    this.#held = held;
    this.#onNote = (text) => options.onNote(text);
    this.#link = link;
    this.#ringPath = options.ringPath;
    const { numbers } = options;
    const steps = new SentWalks(link, numbers.walks);
    this.#hooks = new ProcessHooks({
      link,
      numbers,
      steps,
      image: options.image,
      onNote: this.#onNote,
      refuse: ({ isOfGo, unit }) => ofGo(isOfGo, unit, options.image),
    });
    this.#probes = new ProcessProbes({
      link,
      numbers,
      steps,
      image: options.image,
      baseOf: (path) => this.modules.get(path)?.base ?? null,
      mayTrap: true,
      refuse: ({ isOfGo, module }) => ofGo(isOfGo, module, options.image),
    });
  }

  /** Loads agent and engine into an attached process; it is let go when this throws. */
  static async enter(held: HeldProcess, options: NativeOptions): Promise<NativeProcess> {
    try {
      const link = await held.session.load(options.agentSource);
      makeRingDirectory(dirname(options.ringPath));
      if (options.outputPath !== null) makeOutputFile(options.outputPath);
      const started = await link.call<StartResult>('start', [
        {
          enginePath: options.enginePath,
          ringPath: options.ringPath,
          slotCount: options.slotCount,
          ringBytes: options.ringBytes,
          mostRingBytes: options.mostRingBytes,
          growBytes: options.growBytes,
          forkedBytes: options.forkedBytes,
          sampling: options.sampling,
          atExec: options.atExec,
          hasStackRoom: options.atExec && isFollowed(options.pid),
          fillsPages: !options.atExec && fillsPages(options.pid),
          ...(options.outputPath === null ? {} : { outputPath: options.outputPath }),
          ...(held.scratch === null ? {} : { scratch: held.scratch }),
        },
      ]);
      if (dirname(started.ringPath) !== dirname(options.ringPath)) {
        throw new StrobeError(
          'INSTRUMENTATION_FAILED',
          `Process ${options.pid} was traced by another session before, which its engine still belongs to.`,
        );
      }
      await options.onRing(started.ringPath);
      if (options.outputPath !== null) await options.onOutput(options.outputPath);
      const entered = new NativeProcess(held, link, options, started.taps);
      for (const module of started.modules) entered.#add(named(module));
      link.onMessage((message: AgentMessage) => {
        if (message.type === 'moduleLoaded') {
          entered.#add(named(message.module));
          entered.#raisersCame(message.module);
          void entered.#place(message.module, options.onModuleLoaded(message.module));
        } else if (message.type === 'moduleUnloaded') {
          entered.modules.delete(fileOf(message.path));
          entered.#hooks.moduleUnloaded(fileOf(message.path));
          entered.#probes.moduleUnloaded(fileOf(message.path));
        } else if (message.type === 'note') options.onNote(message.text);
        else if (message.type === 'leave') options.onLeave();
      });
      entered.#watch = watchMainThread(options.pid, (status) =>
        link.call<boolean>('endIfAlone', [status]),
      );
      let lost = false;
      const onLost = (why: string, isOver: boolean): void => {
        // A host that ends is heard of twice: as the end of the session, and as its own.
        if (entered.#closed || lost) return;
        lost = true;
        options.onLost(why, isOver);
      };
      held.session.onDetached((reason) => {
        onLost(reason === 'host-lost' ? HOST_ENDED : reason, /process-terminated/.test(reason));
      });
      held.onHostExit(() => onLost(HOST_ENDED, false));
      return entered;
    } catch (error) {
      // At its exec it would wait for its host for ever.
      if (options.atExec) await held.resume().catch(() => undefined);
      await held.detach().catch(() => undefined);
      if (options.atExec) await held.resume().catch(() => undefined);
      await held.release();
      throw explained(error, options.pid);
    }
  }

  get hooked(): number {
    return this.#hooks.hooked;
  }

  /** What another tracer comes in by. */
  get agent(): PlacedAgent {
    return { link: this.#link, ringPath: this.#ringPath };
  }

  /** Without the engine, which must not trace itself, also where a project holds it. */
  units(): string[] {
    return [...this.modules.keys()].filter((path) => !this.#isOurs(path));
  }

  /** The libraries that runtimes load lie beside the engine. */
  #isOurs(path: string): boolean {
    return path.endsWith('.so') && dirname(path) === dirname(this.#enginePath);
  }

  async setWanted(
    wanted: readonly FoundFunction[],
    policies: ReadonlyMap<string, CallPolicy>,
  ): Promise<ReadonlyMap<string, Verdict>> {
    return await this.#hooks.setWanted(wanted, policies);
  }

  async awaitLibraries(modules: readonly string[]): Promise<void> {
    const source = modules.length === 0 ? '' : modulePathExpression(modules);
    if (source === this.#awaited) return;
    this.#awaited = source;
    await this.#link.call('awaits', [source]);
  }

  /** Has these watches sampled in hooked functions, and no others. By `id`. */
  async setWatches(watches: FunctionWatches): Promise<void> {
    await this.#hooks.setWatches(watches);
  }

  /** Has these statements patched, and no others. */
  async setProbes(probes: readonly PlacedProbe[]): Promise<ProbedNow> {
    return await this.#probes.set(probes);
  }

  /** It is not held at its exec any more. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Run-time addresses of what is hooked. */
  hookedAt(): readonly bigint[] {
    return this.#hooks.hookedAt();
  }

  /** Lets the process go when it was stopped at its exec. */
  async resume(): Promise<void> {
    await this.#held.resume();
    this.#isRunning = true;
  }

  /** Has cycle counter and time written down together once more, into the output file. */
  async clock(): Promise<void> {
    if (!this.#hasTaps) return;
    await this.#link.call('clock', [], undefined, { limitMs: CLOCK_LIMIT_MS });
  }

  /**
   * Records exceptions from now on, in libraries that come later too, and at these link-time offsets
   * from where the program begins.
   */
  async hookExceptions(found: readonly ExceptionFunction[]): Promise<void> {
    const base = this.modules.get(this.image)?.base;
    this.#exceptions = {
      path: exceptionPathOf(dirname(this.#ringPath)),
      found:
        base === undefined
          ? []
          : found.map(({ offset, kind }) => ({
              kind,
              address: `0x${(BigInt(base) + BigInt(offset)).toString(16)}`,
            })),
    };
    await this.#link.call('exceptions', [this.#exceptions]);
  }

  /** `live`: the process runs on, so its code is restored first. */
  async close(live: boolean): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#watch?.[Symbol.dispose]();
    try {
      if (live) {
        await this.#hooks.setWanted([]);
        await this.#link.call('leave', []);
        if (!(await this.#held.detach())) this.#onNote(notLeft(this.pid));
      }
    } finally {
      await this.#held.release();
    }
  }

  /** A library that raises or catches came. */
  #raisersCame({ name }: LoadedModule): void {
    if (this.#exceptions === null || !exceptionLibraries.test(name)) return;
    this.#link.call('exceptions', [this.#exceptions]).catch(() => undefined); // It may be gone again.
  }

  /** `hooking` never rejects. Of a library that waits for it the agent says when that took too long. */
  async #place({ path, name }: LoadedModule, hooking: Promise<void>): Promise<void> {
    const waits = this.#awaited !== '' && new RegExp(this.#awaited).test(path);
    await hooking;
    if (waits) await this.#link.call('placed', [path]).catch(() => undefined); // It may be gone.
    const unit = fileOf(path);
    const isUsed = this.#hooks.isIn(unit) || this.#probes.isIn(unit);
    if (!waits && this.#isRunning && isUsed) this.#onNote(loadedLate(name));
  }

  #add(module: LoadedModule): void {
    this.modules.set(module.path, module);
    this.#hooks.moduleLoaded(module);
  }
}

/** What comes from inside does not trace Go. */
function ofGo(isOfGo: boolean, file: string, image: string): RefusalCode | null {
  if (!isOfGo) return null;
  return file === image ? 'codeOfGo' : 'libraryOfGo';
}

function loadedLate(library: string): string {
  return `${library} was loaded while the program ran, which did not wait for what is recorded there: its first calls may not be seen. A pattern with the library ("${library}!name"), or the function of a breakpoint with it, makes it wait.`;
}

/** A descriptor of userfaultfd(2). */
function fillsPages(pid: number): boolean {
  return filesOf(pid).includes('anon_inode:[userfaultfd]');
}

const INTERRUPTED =
  'Every thread was blocked in a call that cannot be restarted (epoll_wait, a socket with a time limit…): one of them returned EINTR once.';

/** `taps`: the ways out of its C library that are seen, and which are not. */
function outputNote(taps: readonly Tap[]): string {
  const missing = taps.filter(({ code }) => verdictCodes[code] !== 'hooked');
  if (missing.length === taps.length) {
    return 'Its output is not captured: it has no C library that is known here (glibc), or that cannot be hooked. Calls are.';
  }
  const through = missing.length === 0 ? '' : `, ${missing.map((tap) => tap.function).join(', ')}`;
  return `${attachNotes.output}, what it writes to descriptors 1 and 2 through libc is copied on its way. Not seen: duplicates of these descriptors, raw system calls, splice, what its children write${through}.`;
}

function named(module: LoadedModule): LoadedModule {
  return { ...module, path: fileOf(module.path) };
}

/** The kernel writes a line feed in the path of a mapping as `\012` (proc(5)), and nothing else so. */
function fileOf(path: string): string {
  return path.includes('\\012') && !existsSync(path) ? path.replaceAll('\\012', '\n') : path;
}

/**
 * Made here in its full size: the process may not be allowed files that large, and would be ended
 * for it (RLIMIT_FSIZE).
 */
function makeOutputFile(path: string): void {
  const file = openSync(path, 'wx', 0o600);
  ftruncateSync(file, outputRing.headerBytes + outputRing.bytes);
  closeSync(file);
}

function notLeft(pid: number): string {
  return `${NOT_LEFT} process ${pid}: threads of Frida did not end within 8 s and may stay in it, doing nothing. It cannot be attached to again while they do.`;
}

/** What the engine's error numbers mean: ENOSPC, ENOMEM, EFBIG. */
const startErrors = new Map([
  [
    '28',
    {
      reason: 'there is no room in /dev/shm for its events',
      hint: 'Give /dev/shm more room (mount -o remount,size=256M /dev/shm), or remove what others left there.',
    },
  ],
  [
    '12',
    {
      reason: 'its address space is limited, and has no room for its events',
      hint: 'Raise the limit (ulimit -v) to trace it.',
    },
  ],
  [
    '27',
    {
      reason: 'its limit of the size of files is too low for its events',
      hint: 'Raise the limit (ulimit -f) to trace it.',
    },
  ],
]);

function explained(error: unknown, pid: number): unknown {
  const text = error instanceof Error ? error.message : '';
  const why = startErrors.get(/engine start failed: error (\d+)/.exec(text)?.[1] ?? '');
  if (why === undefined) return error;
  const message = `Process ${pid} cannot be traced: ${why.reason}.`;
  return new StrobeError('INSTRUMENTATION_FAILED', message, why.hint);
}
