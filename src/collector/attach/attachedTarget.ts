import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicNs } from '../../base/clock.ts';
import { within } from '../../base/deadline.ts';
import { startOwned, type OwnedProcess } from '../../base/process.ts';
import { StrobeError } from '../../model/errors.ts';
import { supervisorWire, logHead, logType, unknownStatus } from '../../protocol/supervisor.ts';
import { signalNumber } from '../supervisor/decodedExit.ts';
import type { TargetState, Unsubscribe } from '../supervisor/supervisorClient.ts';
import type { TargetHolder } from '../supervisor/targetHolder.ts';
import { outputExitCode } from '../rings/outputRingFile.ts';
import { commandOf, descendantsOf, linkOf, processFacts } from '../../base/proc.ts';

const WATCH_LIMIT_MS = 5_000;
/** A disk that is full is tried again. */
const RETRY_MS = 1_000;
/** What may wait for room: the few facts of the process, and some of those it started. */
const MOST_WAITING_BYTES = 1 << 20;
/** Number of its child processes that are looked at. */
const MOST_CHILDREN = 1000;

export interface AttachedTargetOptions {
  readonly watcherPath: string;
  readonly sessionDir: string;
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat: no other process of this number is meant. */
  readonly startTicks: string;
  /** Where the process says what it is about to end with. */
  readonly outputPath: string;
  /** Has the agent write a clock record. */
  readonly clock: () => Promise<void>;
}

/**
 * The watch over an attached process. It is not our child: a small program waits for its end, and
 * what a supervisor would write into the output log (that it runs, how it ended) is written here.
 */
export class AttachedTarget implements TargetHolder {
  readonly started: { readonly pid: number };
  readonly #options: AttachedTargetOptions;
  readonly #watcher: OwnedProcess;
  readonly #log: number;
  readonly #grown = new Set<(size: number) => void>();
  readonly #gone = new Set<() => void>();
  /** By pid, those that were seen, with the program each ran then. */
  readonly #children = new Map<number, { readonly startTicks: string; readonly program: string }>();
  /** Of the log, as far as its records are whole. */
  #size = 0;
  /** Records that there was no room for, in their order. */
  #waiting: Buffer = Buffer.alloc(0);
  #retry: NodeJS.Timeout | null = null;
  #ended = false;
  #closed = false;

  private constructor(options: AttachedTargetOptions, watcher: OwnedProcess) {
    this.started = { pid: options.pid };
    this.#options = options;
    this.#watcher = watcher;
    this.#log = openSync(join(options.sessionDir, 'output.log'), 'wx', 0o600);
    this.#write(logType.started, words(options.pid));
  }

  /** NO_SUCH_PROCESS when it has ended meanwhile; INTERNAL when the watcher does not work. */
  static async watch(options: AttachedTargetOptions): Promise<AttachedTarget> {
    const args = [String(options.pid), options.startTicks];
    const watcher = await startOwned({ command: options.watcherPath, args });
    try {
      const lines = new Lines(watcher);
      const late = (): Error => new StrobeError('INTERNAL', 'The watcher did not begin.');
      const first = await within(WATCH_LIMIT_MS, lines.next(), late);
      if (first === 'gone')
        throw new StrobeError('NO_SUCH_PROCESS', `Process ${options.pid} has ended.`);
      if (first !== 'watching') throw new StrobeError('INTERNAL', 'The watcher ended at once.');
      const target = new AttachedTarget(options, watcher);
      void target.#follow(lines);
      return target;
    } catch (error) {
      await watcher[Symbol.asyncDispose]();
      throw error;
    }
  }

  get state(): TargetState {
    return this.#ended ? 'ended' : 'running';
  }

  async resume(): Promise<void> {
    // It runs.
  }

  async resumed(): Promise<void> {
    // It never stood.
  }

  async input(): Promise<void> {
    throw new StrobeError(
      'STDIN_CLOSED',
      `The input of process ${this.started.pid} is not ours: it was attached to.`,
      'Write to it where the process was started.',
    );
  }

  async inputEof(): Promise<void> {
    await this.input();
  }

  /** To the process alone: what it has started is not known. SESSION_ENDED, BAD_PARAMETER. */
  async signal(name: string): Promise<void> {
    const number = signalNumber(name);
    if (number === null) throw new StrobeError('BAD_PARAMETER', `${name} is not a signal.`);
    const { pid, startTicks } = this.#options;
    // The number may belong to another process by now.
    const isThere = !this.#ended && processFacts(pid)?.startTicks === startTicks;
    try {
      if (isThere) process.kill(pid, number);
    } catch {
      // It has ended since it was asked for.
    }
    if (!isThere) throw new StrobeError('SESSION_ENDED', `Process ${pid} has ended.`);
  }

  async clock(): Promise<void> {
    if (!this.#ended) await this.#options.clock();
  }

  async askAboutExecs(): Promise<void> {
    // What it starts is not followed.
  }

  /** Looks what it has started; how that ends nobody tells. */
  async scan(): Promise<void> {
    if (this.#ended || this.#closed) return;
    const now = descendantsOf(this.started.pid, MOST_CHILDREN);
    if (this.#waiting.length > MOST_WAITING_BYTES) return; // What is not told is looked at again.
    const there = new Map(now.map(({ pid, startTicks }) => [pid, startTicks]));
    for (const [pid, { startTicks }] of this.#children) {
      if (there.get(pid) === startTicks) continue;
      this.#children.delete(pid);
      this.#write(logType.gone, words(pid));
    }
    for (const { pid, parent, startTicks, stackStart } of now) {
      const path = (linkOf(pid, 'exe') ?? '').replace(/ \(deleted\)$/, '');
      const program = `${stackStart} ${path}`;
      const known = this.#children.get(pid);
      // A child that is seen between its fork and its exec still looks like its parent.
      if (known?.program === program) continue;
      this.#children.set(pid, { startTicks, program });
      const text = [path, ...commandOf(pid)].map((word) => `${word}\0`).join('');
      const told = Buffer.from(text).subarray(0, supervisorWire.maxProgramBytes);
      const [type, head] = known
        ? ([logType.exec, words(pid, parent, 0)] as const)
        : ([logType.forked, words(pid, parent)] as const);
      this.#write(type, Buffer.concat([head, told]));
    }
    this.#tellGrown();
  }

  async forget(): Promise<void> {
    // Nothing of what it writes comes to us any more.
  }

  async quit(): Promise<void> {
    this.#watcher.stdin.end();
  }

  onGrown(callback: (size: number) => void): Unsubscribe {
    this.#grown.add(callback);
    return () => void this.#grown.delete(callback);
  }

  onClosed(callback: () => void): Unsubscribe {
    this.#gone.add(callback);
    return () => void this.#gone.delete(callback);
  }

  /** Ends the watch; the process lives on. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#retry) clearTimeout(this.#retry);
    closeSync(this.#log);
    void this.#watcher[Symbol.asyncDispose]();
  }

  async #follow(lines: Lines): Promise<void> {
    const verdict = await lines.next();
    if (this.#closed) return;
    if (verdict === null) {
      for (const callback of this.#gone) callback();
      return;
    }
    this.#ended = true;
    const told = /^status (\d+)$/.exec(verdict);
    const status = told ? Number(told[1]) : this.#guess();
    this.#write(logType.exited, words(this.started.pid, status));
    this.#write(logType.ended, words());
    this.#tellGrown();
  }

  /** Nobody told its status: what it was seen to hand to _exit, if it was. */
  #guess(): number {
    const code = outputExitCode(this.#options.outputPath);
    return code === null ? unknownStatus : code << 8;
  }

  #write(type: number, payload: Buffer): void {
    const head = Buffer.alloc(logHead.bytes);
    head.writeUInt32LE(payload.length, logHead.length);
    head.writeUInt8(type, logHead.type);
    head.writeBigUInt64LE(monotonicNs(), logHead.time);
    this.#waiting = Buffer.concat([this.#waiting, head, payload]);
    this.#store();
  }

  /** Where only a part found room it is written again: a reader leaves a record that is cut short for later. */
  #store(): void {
    const bytes = this.#waiting;
    if (this.#written(bytes)) {
      this.#size += bytes.length;
      this.#waiting = Buffer.alloc(0);
      return;
    }
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      this.#store();
      this.#tellGrown();
    }, RETRY_MS);
  }

  #written(bytes: Buffer): boolean {
    try {
      return writeSync(this.#log, bytes, 0, bytes.length, this.#size) === bytes.length;
    } catch {
      return false;
    }
  }

  #tellGrown(): void {
    for (const callback of this.#grown) callback(this.#size);
  }
}

function words(...values: readonly number[]): Buffer {
  const payload = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) payload.writeUInt32LE(value, at * 4);
  return payload;
}

/** What a watcher says, line by line; null when it has ended. */
class Lines {
  readonly #waiting: string[] = [];
  #rest = '';
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(watcher: OwnedProcess) {
    watcher.stdout.on('data', (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString()).split('\n');
      this.#rest = lines.pop() ?? '';
      this.#waiting.push(...lines);
      this.#wake();
    });
    watcher.stdout.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  async next(): Promise<string | null> {
    while (this.#waiting.length === 0 && !this.#ended)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#waiting.shift() ?? null;
  }
}
