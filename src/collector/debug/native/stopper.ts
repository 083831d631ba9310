import { within } from '../../../base/deadline.ts';
import type { ThreadFilter, TouchKind } from '../../../model/probes/probe.ts';
import { linesOf, startOwned, type OwnedProcess } from '../../../base/process.ts';

/** Registers in the order of DWARF, the last the program counter. */
export interface StoppedRegisters {
  readonly registers: readonly bigint[];
  readonly flags: bigint;
  readonly threadBase: bigint;
  /** Those of 16 bytes, one behind the other. */
  readonly vectors: Uint8Array;
}

/** Data that a thread touched: its bits as an unsigned number. */
export interface TouchedPlace {
  readonly number: number;
  readonly old: bigint;
  readonly now: bigint;
}

/** What a thread throws. */
export interface Thrown {
  /** As the linker spells it. */
  readonly type: string;
  /** See `exceptionMessage`. */
  readonly how: number;
  readonly message: Buffer;
}

export type StopWhy = 'break' | 'step' | 'called' | 'paused';

/** What a stopper tells, see native/stopper/main.c. */
export type StopperEvent =
  | ({
      readonly kind: 'stopped';
      readonly tid: number;
      readonly why: StopWhy;
      /** Of the places that were met. */
      readonly numbers: readonly number[];
      /** The condition of the first of them could not be worked out. */
      readonly isUndecided: boolean;
      readonly thrown: Thrown | null;
      readonly touched: readonly TouchedPlace[];
    } & StoppedRegisters)
  /** It stands where an object of this type (address of its type_info) is thrown. */
  | { readonly kind: 'asks'; readonly number: number; readonly type: bigint }
  | { readonly kind: 'refused'; readonly tid: number; readonly state: string }
  | { readonly kind: 'gone'; readonly tid: number }
  | { readonly kind: 'executed' };

/** A place where threads stop. */
export interface StopperPlace {
  readonly number: number;
  readonly address: bigint;
  readonly after: number;
  readonly every: number;
  readonly most: number;
  readonly hasVectors: boolean;
  /** `throws`: it is where C++ throws; `asks`: only types that are wanted. */
  readonly raise: 'none' | 'throws' | 'asks';
  readonly thread: ThreadFilter;
  readonly words: readonly bigint[];
  /** It is a place in data. */
  readonly data?: { readonly bytes: number; readonly access: TouchKind };
}

export interface StopperOptions {
  readonly stopperPath: string;
  readonly enginePath: string;
  readonly pid: number;
  /** The output of its session, by which its supervisor says what it waits for. */
  readonly outputLog: string;
  /** Another process holds it at its start: its threads are seized later. */
  readonly isEarly: boolean;
  readonly take: (event: StopperEvent) => void;
}

/** A stop tells all vector registers in hexadecimal. */
const lineBytes = 4096;
const startLimitMs = 5000;
const answerLimitMs = 5000;
const leaveLimitMs = 3000;
const registerCount = 17;

interface Counts {
  readonly hits: number;
  readonly met: number;
}

/** Stops threads of one process (native/stopper), which runs on as it was when this is closed. */
export class Stopper implements AsyncDisposable {
  readonly ended: Promise<void>;
  readonly #process: OwnedProcess;
  readonly #take: (event: StopperEvent) => void;
  readonly #planted = new Map<number, (error: number) => void>();
  readonly #synced = new Map<number, () => void>();
  readonly #counts = new Map<number, Counts>();
  /** By thread, until its stop is reported. */
  readonly #thrown = new Map<number, Thrown>();
  readonly #touched = new Map<number, readonly TouchedPlace[]>();
  #started: (error: number) => void = () => undefined;
  #next = 1;
  #isSafe = false;

  private constructor(process: OwnedProcess, take: (event: StopperEvent) => void) {
    this.#process = process;
    this.#take = take;
    this.ended = this.#readAll();
  }

  /** Rejects with the system's error number as text when the process cannot be debugged. */
  static async start(options: StopperOptions): Promise<Stopper> {
    const { stopperPath, enginePath, pid, outputLog, isEarly, take } = options;
    const args = [String(pid), enginePath, outputLog, ...(isEarly ? ['early'] : [])];
    const process = await startOwned({ command: stopperPath, args });
    const stopper = new Stopper(process, take);
    const error = await stopper.#begun();
    if (error === 0) return stopper;
    await stopper[Symbol.asyncDispose]();
    throw new CannotDebug(error);
  }

  /** Its threads are seized now. Rejects as `start` does. */
  async seize(): Promise<void> {
    const begun = this.#begun();
    this.#send('seize');
    const error = await begun;
    if (error !== 0) throw new CannotDebug(error);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Whether the program survives that the stopper is killed. */
  get isSafe(): boolean {
    return this.#isSafe;
  }

  /** 0, or the system's error number. */
  async plant(place: StopperPlace): Promise<number> {
    const { number, address, after, every, most, hasVectors, raise, thread, words, data } = place;
    const raises = ['none', 'throws', 'asks'].indexOf(raise);
    const touch = data ? [data.bytes, data.access === 'write' ? 1 : 2] : [];
    const numbers = [number, address.toString(16), ...touch, after, every, most];
    const threads = [thread.id, Buffer.from(thread.name).toString('hex') || '-'];
    const code = words.map((word) => BigInt.asUintN(64, word).toString(16));
    const planted = new Promise<number>((resolve) => this.#planted.set(number, resolve));
    this.#send(
      data ? 'touch' : 'plant',
      ...numbers,
      hasVectors ? 1 : 0,
      raises,
      ...threads,
      ...code,
    );
    return await this.#answered(planted);
  }

  /** As `plant`, but no thread stops: one that comes to the address runs the island. */
  async divert(number: number, address: bigint, island: bigint): Promise<number> {
    const planted = new Promise<number>((resolve) => this.#planted.set(number, resolve));
    this.#send('divert', number, address.toString(16), island.toString(16));
    return await this.#answered(planted);
  }

  /** Whether a type is wanted where it is thrown. */
  answer(number: number, type: bigint, isWanted: boolean): void {
    this.#send('answer', number, type.toString(16), isWanted ? 1 : 0);
  }

  lift(number: number): void {
    this.#send('lift', number);
  }

  halt(tid: number): void {
    this.#send('halt', tid);
  }

  go(tid: number): void {
    this.#send('go', tid);
  }

  stepInstruction(tid: number): void {
    this.#send('one', tid);
  }

  /** Of a thread that is held; `register`: by its DWARF number. */
  setRegister(tid: number, register: number, value: bigint): void {
    this.#send('set', tid, register, BigInt.asUintN(64, value).toString(16));
  }

  /** `into`: up to a call. */
  step(tid: number, ranges: readonly (readonly [bigint, bigint])[], into: boolean): void {
    this.#send(into ? 'into' : 'step', tid, ...ranges.flat().map((at) => at.toString(16)));
  }

  /** To one of the addresses, not before the stack pointer is at least that. */
  run(tid: number, least: bigint, addresses: readonly bigint[]): void {
    this.#send('run', tid, least.toString(16), ...addresses.map((at) => at.toString(16)));
  }

  /** By number: how often a place was reached, and how often that met its condition. */
  async counts(): Promise<ReadonlyMap<number, Counts>> {
    this.#send('counts');
    await this.sync();
    return this.#counts;
  }

  /** What was asked for before is done. */
  async sync(): Promise<void> {
    const number = this.#next++;
    const synced = new Promise<void>((resolve) => this.#synced.set(number, resolve));
    this.#send('sync', number);
    await this.#answered(synced);
  }

  /** All threads run on, and nothing is left in the process. */
  async close(): Promise<void> {
    this.#process.stdin.end();
    await within(leaveLimitMs, this.ended, () => new Error('late')).catch(() => undefined);
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }

  #send(...words: readonly (string | number)[]): void {
    this.#process.stdin.write(`${words.join(' ')}\n`);
  }

  async #answered<T>(answer: Promise<T>): Promise<T> {
    const ended = this.ended.then((): never => {
      throw new Error('The stopper ended.');
    });
    ended.catch(() => undefined);
    const late = (): Error => new Error('The stopper does not answer.');
    return await within(answerLimitMs, Promise.race([answer, ended]), late);
  }

  /** 0, the system's error number, or -1: it does not answer. */
  async #begun(): Promise<number> {
    const begun = new Promise<number>((resolve) => {
      this.#started = resolve;
    });
    const ended = this.ended.then(() => -1);
    const late = (): Error => new Error('it does not answer');
    return await within(startLimitMs, Promise.race([begun, ended]), late).catch(() => -1);
  }

  async #readAll(): Promise<void> {
    for await (const lines of linesOf(this.#process, lineBytes))
      for (const line of lines) this.#line(line.split(' '));
    await this.#process.ended;
  }

  #taken<T>(of: Map<number, T>, thread: string): T | null {
    const value = of.get(Number(thread)) ?? null;
    of.delete(Number(thread));
    return value;
  }

  #line([word = '', ...rest]: readonly string[]): void {
    const [a = '', b = '', c = ''] = rest;
    switch (word) {
      case 'ready':
        this.#isSafe = b === '1';
        return this.#started(0);
      case 'failed':
        return this.#started(Number(a));
      case 'planted':
        this.#planted.get(Number(a))?.(Number(b));
        this.#planted.delete(Number(a));
        return;
      case 'hits':
        this.#counts.set(Number(a), { hits: Number(b), met: Number(c) });
        return;
      case 'synced':
        this.#synced.get(Number(a))?.();
        this.#synced.delete(Number(a));
        return;
      case 'stopped':
        return this.#take(
          stopFrom(rest, this.#taken(this.#thrown, a), this.#taken(this.#touched, a)),
        );
      case 'thrown':
        this.#thrown.set(Number(a), thrownFrom(rest));
        return;
      case 'touched': {
        const old = BigInt(`0x${c}`);
        const now = BigInt(`0x${rest[3] ?? '0'}`);
        const before = this.#touched.get(Number(a)) ?? [];
        this.#touched.set(Number(a), [...before, { number: Number(b), old, now }]);
        return;
      }
      case 'asks':
        return this.#take({ kind: 'asks', number: Number(b), type: BigInt(`0x${c}`) });
      case 'held':
      case 'running':
      case 'unknown':
        return this.#take({ kind: 'refused', tid: Number(a), state: word });
      case 'gone':
        return this.#take({ kind: 'gone', tid: Number(a) });
      case 'executed':
        return this.#take({ kind: 'executed' });
      default:
    }
  }
}

/** The process cannot be debugged: the system's error number. */
export class CannotDebug extends Error {
  readonly number: number;

  constructor(number: number) {
    super(`error ${number}`);
    this.number = number;
  }
}

function thrownFrom([, type = '', how = '', message = '']: readonly string[]): Thrown {
  const bytes = (text: string): Buffer => Buffer.from(text, 'hex');
  return { type: bytes(type).toString('latin1'), how: Number(how), message: bytes(message) };
}

function stopFrom(
  [tid = '', why = '', numbers = '', ...words]: readonly string[],
  thrown: Thrown | null,
  touched: readonly TouchedPlace[] | null,
): StopperEvent {
  const values = words.slice(0, registerCount + 2).map((word) => BigInt(`0x${word}`));
  return {
    kind: 'stopped',
    tid: Number(tid),
    why: why === 'break' || why === 'step' || why === 'called' ? why : 'paused',
    numbers: numbers === '-' ? [] : numbers.split(',').map((text) => parseInt(text, 10)),
    isUndecided: numbers.startsWith('?', numbers.search(/\D|$/)),
    thrown,
    touched: touched ?? [],
    registers: values.slice(0, registerCount),
    flags: values[registerCount] ?? 0n,
    threadBase: values[registerCount + 1] ?? 0n,
    vectors: Uint8Array.from(Buffer.from(words[registerCount + 2] ?? '', 'hex')),
  };
}

/** Whether two places differ in nothing but their number. */
export function isSamePlace(a: StopperPlace, b: StopperPlace): boolean {
  const text = ({ number: _number, ...rest }: StopperPlace): string =>
    JSON.stringify(rest, (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString(16) : value,
    );
  return text(a) === text(b);
}
