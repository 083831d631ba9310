import {
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { exceptionPathOf } from '../../collector/exceptions/readExceptionFile.ts';
import type { HeldProcess } from '../../collector/frida/sessionHosts.ts';
import { NOT_LEFT } from '../../model/session.ts';
import type { FunctionNumbers } from '../../collector/native/functionNumbers.ts';
import { NativeTracer } from '../../collector/native/nativeTracer.ts';
import { StrobeError } from '../../model/errors.ts';
import type { AgentLink } from '../../collector/frida/fridaHost.ts';
import type {
  AgentMessage,
  ExceptionOptions,
  LoadedModule,
  StartResult,
  Tap,
} from '../../protocol/agent.ts';
import { outputRing } from '../../protocol/record.ts';
import type { ExceptionFunction } from './exceptionFunctions.ts';
import { exceptionLibraries } from './exceptionFunctions.ts';
import { watchMainThread } from './lastThread.ts';

export interface InstrumentOptions {
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
  readonly sampling: { readonly callsPerSecond: number; readonly every: number };
  readonly numbers: FunctionNumbers;
  /** Awaited with the ring's path before anything is armed. */
  readonly onRing: (path: string) => Promise<void>;
  /** The same with the path of its output. */
  readonly onOutput: (path: string) => Promise<void>;
  readonly onModuleLoaded: (module: LoadedModule) => void;
  readonly onLost: (why: string) => void;
  /** What the program did to itself that concerns its tracing. */
  readonly onNote: (text: string) => void;
  /** Descriptors to be given back before its start. */
  readonly lowNumbers: readonly number[];
}

/** A process that stands still answers nothing. */
const CLOCK_LIMIT_MS = 250;
const HOST_ENDED = 'the process that speaks Frida ended';

/**
 * Where rings lie: shared memory, so that they never touch a disk; the folder is the user's own.
 */
export function ringDirectory(sessionId: string): string {
  const uid = process.getuid?.() ?? 0;
  return join('/dev/shm', `strobe-${uid}`, sessionId);
}

/**
 * Makes the folder of a session's rings. Shared memory is everybody's: whoever made the user's folder
 * there first could read what is traced. Throws UNSAFE_HOME.
 */
function makeRingDirectory(folder: string): void {
  const own = dirname(folder);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const { uid, mode, isLink } = ownerOf(own);
  if (isLink || uid !== process.getuid?.() || (mode & 0o077) !== 0) {
    throw new StrobeError(
      'UNSAFE_HOME',
      `${own}, where traced values lie, belongs to user ${uid} with mode ${(mode & 0o777).toString(8)}.`,
      `Remove it, or let its owner do so; then trace again.`,
    );
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function ownerOf(path: string): { uid: number; mode: number; isLink: boolean } {
  const stat = lstatSync(path);
  return { uid: stat.uid, mode: stat.mode, isLink: !stat.isDirectory() };
}

/** Our presence inside one target process: agent, engine, hooks. */
export class Instrument {
  readonly pid: number;
  readonly image: string;
  readonly tracer: NativeTracer;
  readonly modules = new Map<string, LoadedModule>();
  /** A call of the running program returned EINTR once when we came. */
  readonly interrupted: boolean;
  /** The ways out of its C library that are seen, and which are not. */
  readonly taps: readonly Tap[];
  readonly #held: HeldProcess;
  readonly #onNote: (text: string) => void;
  readonly #link: AgentLink;
  readonly #ringPath: string;
  #exceptions: ExceptionOptions | null = null;
  #closed = false;
  #watch: Disposable | null = null;

  private constructor(
    held: HeldProcess,
    link: AgentLink,
    options: InstrumentOptions,
    taps: readonly Tap[],
  ) {
    this.pid = options.pid;
    this.image = options.image;
    this.taps = taps;
    this.interrupted = held.interrupted;
    this.#held = held;
    this.#onNote = (text) => options.onNote(text);
    this.#link = link;
    this.#ringPath = options.ringPath;
    const { numbers } = options;
    this.tracer = new NativeTracer({
      link,
      numbers,
      image: options.image,
      onNote: this.#onNote,
    });
  }

  /** Loads agent and engine into an attached process; it is let go when this throws. */
  static async install(held: HeldProcess, options: InstrumentOptions): Promise<Instrument> {
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
          sampling: options.sampling,
          atExec: options.atExec,
          lowNumbers: options.lowNumbers,
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
      const instrument = new Instrument(held, link, options, started.taps);
      const { tracer } = instrument;
      for (const module of started.modules) instrument.#add(named(module));
      link.onMessage((message: AgentMessage) => {
        if (message.type === 'moduleLoaded') {
          instrument.#add(named(message.module));
          instrument.#raisersCame(message.module);
          options.onModuleLoaded(message.module);
        } else if (message.type === 'moduleUnloaded') {
          instrument.modules.delete(fileOf(message.path));
          tracer.moduleUnloaded(fileOf(message.path));
        } else if (message.type === 'note') options.onNote(message.text);
      });
      instrument.#watch = watchMainThread(options.pid, (status) =>
        link.call<boolean>('endIfAlone', [status]),
      );
      held.session.onDetached((reason) => {
        if (instrument.#closed) return;
        options.onLost(reason === 'host-lost' ? HOST_ENDED : reason);
      });
      held.onHostExit(() => {
        if (!instrument.#closed) options.onLost(HOST_ENDED);
      });
      return instrument;
    } catch (error) {
      // At its exec it would wait for its host for ever.
      if (options.atExec) await held.resume().catch(() => undefined);
      await held.detach().catch(() => undefined);
      if (options.atExec) await held.resume().catch(() => undefined);
      await held.release();
      throw isNoRoom(error) ? noRoom(options.pid) : error;
    }
  }

  /** Lets the process go when it was stopped at its exec. */
  async resume(): Promise<void> {
    await this.#held.resume();
  }

  /** Has cycle counter and time written down together once more, into the output file. */
  async clock(): Promise<void> {
    await this.#link.call('clock', [], undefined, { limitMs: CLOCK_LIMIT_MS });
  }

  /**
   * Records exceptions from now on, in libraries that come later too, and at these link-time offsets
   * from where the program begins.
   */
  async hookExceptions(found: readonly ExceptionFunction[]): Promise<void> {
    const base = this.modules.get(this.image)?.base;
    this.#exceptions = {
      path: exceptionPathOf(this.#ringPath),
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
        await this.tracer.setWanted([]);
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

  #add(module: LoadedModule): void {
    this.modules.set(module.path, module);
    this.tracer.moduleLoaded(module);
  }
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

/** Removes a session's rings; their contents are in the store by then. */
export function removeRings(sessionId: string): void {
  rmSync(ringDirectory(sessionId), { recursive: true, force: true });
}

/** ENOSPC, as the agent tells it. */
function isNoRoom(error: unknown): boolean {
  return error instanceof Error && /engine start failed: error 28\b/.test(error.message);
}

function noRoom(pid: number): StrobeError {
  return new StrobeError(
    'INSTRUMENTATION_FAILED',
    `There is no room in /dev/shm for the events of process ${pid}.`,
    'Give /dev/shm more room (mount -o remount,size=256M /dev/shm), or remove what others left there.',
  );
}
