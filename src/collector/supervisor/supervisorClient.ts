import { constants } from 'node:os';
import { join } from 'node:path';
import { getSystemErrorName } from 'node:util';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ExitStatus } from '../../model/outputRecord.ts';
import {
  supervisorDecision,
  supervisorRequest,
  supervisorScope,
  supervisorState,
  supervisorStdin,
  supervisorWire,
} from '../../protocol/supervisor.ts';
import { exitStatus, signalNumber } from './decodedExit.ts';
import { LastingLink, requestMs, socketPath } from './lastingLink.ts';
import { isSupervisorLost, lostBecause } from './supervisorEnd.ts';
import type {
  AskedExec,
  HeldExec,
  SupervisorAnswer,
  SupervisorHello,
  SupervisorStatus,
} from './supervisorLink.ts';
import type { LaunchSpec } from './launchSpec.ts';
import { startSupervisorProcess } from './startSupervisor.ts';

const inputMs = 10_000;

/** A subscription's end. */
export type Unsubscribe = () => void;

export type TargetState = keyof typeof supervisorState;

/**
 * The daemon's hold on one supervisor. Closing it leaves supervisor and target alone; another daemon may
 * adopt them. Every wait has a limit and throws TIMED_OUT or SUPERVISOR_LOST. When the connection ends it is
 * made again, to the supervisor or to the standby of one that was killed, and what was asked meanwhile is asked again.
 */
export class Supervisor implements AsyncDisposable {
  /** The target's process and when its program was in place (CLOCK_MONOTONIC). */
  readonly started: { readonly pid: number; readonly monotonicNs: bigint };
  /** `<session folder>/output.log` */
  readonly logPath: string;
  readonly #link: LastingLink;
  readonly #grown = new Set<(size: number) => void>();
  readonly #changed = new Set<(state: TargetState) => void>();
  readonly #asked = new Set<(asked: AskedExec) => void>();
  readonly #held = new Set<(held: HeldExec) => void>();
  readonly #gone = new Set<() => void>();
  #status: SupervisorStatus;
  #logSize: number;
  #closed = false;
  #asks = false;
  #inputTail: Promise<unknown> = Promise.resolve();

  private constructor(link: LastingLink, sessionDir: string) {
    const { hello } = link;
    this.#link = link;
    this.started = { pid: hello.targetPid, monotonicNs: hello.startedNs };
    this.logPath = join(sessionDir, 'output.log');
    this.#status = hello;
    this.#logSize = hello.logSize;
    link.listen({
      hello: (again) => this.#onHello(again),
      grown: (size) => this.#onGrown(size),
      state: (status) => this.#onStatus(status),
      exec: (asked) => {
        for (const callback of this.#asked) callback(asked);
      },
      held: (held) => {
        for (const callback of this.#held) callback(held);
      },
      hasEnded: () => this.state === 'ended',
      closed: () => {
        this.#closed = true;
        for (const callback of this.#gone) callback();
      },
    });
  }

  /**
   * Starts a supervisor in `sessionDir` (it must exist) and its target. Throws PATH_TOO_LONG,
   * NO_SUCH_DIRECTORY, PTRACE_DENIED, EXEC_FAILED, STORE_FAILED, SUPERVISOR_LOST; then nothing is left running.
   */
  static async start(options: {
    readonly supervisorPath: string;
    readonly sessionDir: string;
    readonly spec: LaunchSpec;
  }): Promise<Supervisor> {
    const { supervisorPath, sessionDir, spec } = options;
    socketPath(sessionDir);
    const started = await startSupervisorProcess(supervisorPath, sessionDir, spec);
    const { standby } = started;
    const { supervisorPid } = started.answer;
    try {
      const link = await LastingLink.open({ sessionDir, supervisorPid, standby });
      return new Supervisor(link, sessionDir);
    } catch (error) {
      started.abandon();
      throw error;
    }
  }

  /**
   * Takes over the supervisor of a session started by an earlier daemon. SUPERVISOR_LOST when there is none,
   * TIMED_OUT when it does not answer.
   */
  static async adopt(sessionDir: string): Promise<Supervisor> {
    const unknown = { sessionDir, supervisorPid: null, standby: null };
    return new Supervisor(await LastingLink.open(unknown), sessionDir);
  }

  /** As `adopt`, of a supervisor that is there and silent: it is held as soon as it, or its standby, answers. */
  static awaited(sessionDir: string, targetPid: number): Supervisor {
    return new Supervisor(LastingLink.awaited(sessionDir, targetPid), sessionDir);
  }

  get supervisorPid(): number {
    return this.#link.supervisorPid;
  }

  get state(): TargetState {
    for (const name of ['stopped', 'running', 'exited'] as const) {
      if (this.#status.state === supervisorState[name]) return name;
    }
    return 'ended';
  }

  /** The target's own end, or null while it lives. */
  get exit(): ExitStatus | null {
    return this.#status.state >= supervisorState.exited ? exitStatus(this.#status.status) : null;
  }

  get stdinOpen(): boolean {
    return this.#status.stdin === supervisorStdin.open;
  }

  /** How it was lost, in sentences; empty while it is not. */
  get end(): string {
    return this.#link.end;
  }

  /** It let the last request wait in vain: it is stopped, or gets neither memory nor processor. */
  get isSilent(): boolean {
    return this.#link.isSilent;
  }

  /** Bytes of the log known to be complete. */
  get logSize(): number {
    return this.#logSize;
  }

  /** Resolves when it is connected to, or neither it nor its standby is there any more. */
  async reached(): Promise<void> {
    await this.#link.isBack(null);
  }

  /**
   * Lets a target held at its exec stop go. One that has ended meanwhile is no error. `pid`: a process
   * of the tree that was held, else the target.
   */
  async resume(pid = 0): Promise<void> {
    await this.#ask(supervisorRequest.resume, words(pid, 0));
  }

  /** Tells the supervisor that a host let such a process go: it holds it no more, and sends it nothing. */
  async resumed(pid = 0): Promise<void> {
    await this.#ask(supervisorRequest.resume, words(pid, 1));
  }

  /**
   * Stops a process of the tree (SIGSTOP) until a debugger holds it; should this daemon end before `stands` is false, the
   * supervisor continues it. False: another stands, or it has ended.
   */
  async stand(pid: number, stands: boolean): Promise<boolean> {
    return (await this.#ask(supervisorRequest.stand, words(pid, stands ? 1 : 0))) === 0;
  }

  /** Has a process that is held at its start begin with these words (`name=value`) in its environment. Throws INSTRUMENTATION_FAILED. */
  async environ(pid: number, given: readonly string[]): Promise<void> {
    const text = Buffer.from(given.map((word) => `${word}\0`).join(''));
    const errno = await this.#ask(supervisorRequest.environ, Buffer.concat([words(pid), text]));
    if (errno !== 0)
      throw new StrobeError(
        'INSTRUMENTATION_FAILED',
        `The environment of process ${pid} cannot be added to: ${errnoName(errno)}.`,
      );
  }

  /** Whether each exec of the tree waits for `decide`; else all go on at once. */
  async askAboutExecs(ask: boolean): Promise<void> {
    this.#asks = ask;
    await this.#ask(supervisorRequest.ask, words(ask ? 1 : 0));
  }

  /** Lets a program run that stands at its start, or has it held there; `onHeld` then tells. False: it runs already. */
  async decide(number: number, decision: keyof typeof supervisorDecision): Promise<boolean> {
    const payload = words(number, supervisorDecision[decision]);
    return (await this.#ask(supervisorRequest.decide, payload)) === 0;
  }

  /** Writes processes to the log that were never seen: those that forked and called no exec. */
  async scan(): Promise<void> {
    await this.#ask(supervisorRequest.scan);
  }

  onExec(callback: (asked: AskedExec) => void): Unsubscribe {
    return subscribe(this.#asked, callback);
  }

  onHeld(callback: (held: HeldExec) => void): Unsubscribe {
    return subscribe(this.#held, callback);
  }

  /**
   * Writes to the target's stdin; resolves when its pipe has taken all. STDIN_CLOSED, or TIMED_OUT
   * after `limitMs` (default 10 s; null = until the target takes it, closes its stdin or ends) with
   * the number of bytes handed over so far. Calls are served in order.
   */
  async input(
    bytes: Uint8Array,
    options: { readonly limitMs?: number | null } = {},
  ): Promise<void> {
    const work = this.#inputTail.then(() =>
      this.#feed(bytes, options.limitMs === undefined ? inputMs : options.limitMs),
    );
    this.#inputTail = work.catch(() => undefined);
    await work;
  }

  /** Closes the target's stdin once everything given before was written. */
  async inputEof(): Promise<void> {
    const work = this.#inputTail.then(() => this.#ask(supervisorRequest.inputEof));
    this.#inputTail = work.catch(() => undefined);
    await work;
  }

  /**
   * Sends a signal to the target, or with `group` to its whole tree. SESSION_ENDED when nothing
   * is left to receive it, BAD_PARAMETER for an unknown name.
   */
  async signal(name: string, options: { readonly group: boolean }): Promise<void> {
    const number = signalNumber(name);
    if (number === null) throw new StrobeError('BAD_PARAMETER', `${name} is not a signal.`);
    const payload = Buffer.alloc(8);
    payload.writeUInt32LE(number, 0);
    payload.writeUInt32LE(options.group ? supervisorScope.tree : supervisorScope.target, 4);
    const errno = await this.#ask(supervisorRequest.signal, payload);
    if (errno === constants.errno.ESRCH)
      throw new StrobeError('SESSION_ENDED', 'No process of the target is left.');
    if (errno !== 0)
      throw new StrobeError('BAD_PARAMETER', `${name} was not sent: ${errnoName(errno)}.`);
  }

  /** Cycle counter and CLOCK_MONOTONIC read together, in the supervisor; also written to the log. */
  async clock(): Promise<{ readonly tsc: bigint; readonly monotonicNs: bigint }> {
    const { tsc, monotonicNs } = await this.#link.request(supervisorRequest.clock, Buffer.alloc(0));
    return { tsc, monotonicNs };
  }

  /** Output from now on is read and thrown away. */
  async forget(): Promise<void> {
    await this.#ask(supervisorRequest.forget);
  }

  /** Lets the supervisor end as soon as the whole tree has ended. */
  async quit(): Promise<void> {
    await this.#ask(supervisorRequest.quit);
  }

  /** The log grew to `size` bytes of complete records; several growths are told as one. */
  onGrown(callback: (size: number) => void): Unsubscribe {
    return subscribe(this.#grown, callback);
  }

  onState(callback: (state: TargetState) => void): Unsubscribe {
    return subscribe(this.#changed, callback);
  }

  /** The connection ended, by `close` or with supervisor and standby. Called at once when it has already. */
  onClosed(callback: () => void): Unsubscribe {
    if (this.#closed) callback();
    return subscribe(this.#gone, callback);
  }

  /** Lets go of the connection; supervisor and target live on. */
  close(): void {
    this.#link.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  async #feed(bytes: Uint8Array, limitMs: number | null): Promise<void> {
    const deadline = limitMs === null ? null : monotonicMs() + limitMs;
    let done = 0;
    while (done < bytes.length) {
      const left = deadline === null ? null : deadline - monotonicMs();
      if (left !== null && left <= 0) throw unread(done, bytes.length);
      await this.#link.isBack(left);
      const chunk = bytes.subarray(done, done + supervisorWire.maxInputBytes);
      const { errno } = await this.#link
        .once(supervisorRequest.input, chunk, left)
        .catch(async (error: unknown) => await this.#unfed(error, done, bytes.length));
      if (errno === constants.errno.EAGAIN) {
        // Bytes of an earlier request still wait in the supervisor.
        await pause(20);
        continue;
      }
      if (errno !== 0)
        throw new StrobeError(
          'STDIN_CLOSED',
          'The program has closed its standard input, or was launched without.',
        );
      done += chunk.length;
    }
  }

  /** What is answered, or thrown, instead. */
  async #unfed(
    error: unknown,
    done: number,
    total: number,
  ): Promise<Pick<SupervisorAnswer, 'errno'>> {
    if (error instanceof StrobeError && error.code === 'TIMED_OUT') throw unread(done, total);
    if (!isSupervisorLost(error)) throw error;
    if (this.state === 'ended') return { errno: constants.errno.EPIPE };
    await this.#link.isBack(requestMs);
    const killed = new StrobeError(
      'SUPERVISOR_LOST',
      `The supervisor was killed while it wrote to the program: ${done} of ${total} bytes were handed over for certain, up to ${supervisorWire.maxInputBytes} more perhaps.`,
      'See what the program did with its input before you send more.',
    );
    throw lostBecause(killed, this.#link.end);
  }

  /**
   * An errno. A supervisor goes as soon as its tree has ended and it may, also before it has answered
   * what was on its way to it: nothing was left then that could have been meant.
   */
  async #ask(type: number, payload: Uint8Array = Buffer.alloc(0)): Promise<number> {
    try {
      return (await this.#link.request(type, payload)).errno;
    } catch (error) {
      if (!isSupervisorLost(error) || this.state !== 'ended') throw error;
      return constants.errno.ESRCH;
    }
  }

  #onHello(hello: SupervisorHello): void {
    this.#onGrown(hello.logSize);
    this.#onStatus(hello);
    // Should the connection end again, the next one is asked.
    if (this.#asks)
      this.#link.once(supervisorRequest.ask, words(1), requestMs).catch(() => undefined);
  }

  #onGrown(size: number): void {
    this.#logSize = size;
    for (const callback of this.#grown) callback(size);
  }

  #onStatus(status: SupervisorStatus): void {
    const before = this.#status.state;
    this.#status = status;
    if (status.state === before) return;
    for (const callback of this.#changed) callback(this.state);
  }
}

function words(...values: readonly number[]): Buffer {
  const payload = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) payload.writeUInt32LE(value, at * 4);
  return payload;
}

function unread(done: number, total: number): StrobeError {
  return new StrobeError(
    'TIMED_OUT',
    `The program reads its input too slowly: ${done} of ${total} bytes were handed over, up to ${supervisorWire.maxInputBytes} more wait in the supervisor.`,
  );
}

function subscribe<T>(set: Set<T>, callback: T): Unsubscribe {
  set.add(callback);
  return () => void set.delete(callback);
}

/** `ENOENT` for 2. */
function errnoName(errno: number): string {
  return getSystemErrorName(-errno);
}
