import { dirname } from 'node:path';
import { within } from '../../../base/deadline.ts';
import { linesOf, startOwned, type OwnedProcess } from '../../../base/process.ts';
import { StrobeError } from '../../../model/errors.ts';
import { armEntry } from '../../../protocol/record.ts';
import { walkStep } from '../../../protocol/walk.ts';
import { exceptionPathOf } from '../../exceptions/readExceptionFile.ts';
import type { HooksLink } from '../hooksLink.ts';

export interface OutsideOptions {
  readonly outsidePath: string;
  readonly targetPath: string;
  readonly pid: number;
  /** Made when the process is first changed. */
  readonly ringPath: string;
  readonly slotCount: number;
  readonly ringBytes: number;
  /** What distinguishes its strands, in words: `go`, where a goroutine and its panics have what is read of them; or `c`, where a thread has its number. */
  readonly strands: readonly (string | number)[];
  /** What filters that the program sets forbid (fileHeader `forbidden`), and when, in CLOCK_MONOTONIC. */
  readonly onForbidden: (calls: number, ns: bigint) => void;
  /** A function by which it may set one cannot be hooked, with the code of the verdict. */
  readonly onUnwatched: (code: number) => void;
}

const lineBytes = 1 << 20;
const startLimitMs = 10_000;
const answerLimitMs = 30_000;
const leaveLimitMs = 10_000;
/** In the place of an error number, as native/outside/sandbox.h has it. */
const SANDBOXED = 1000;

/** The hooks of a program that is traced from outside (native/outside); they go when this is closed. */
export class OutsideLink implements HooksLink {
  readonly ended: Promise<void>;
  readonly #process: OwnedProcess;
  readonly #options: OutsideOptions;
  readonly #waiting: ((line: string) => void)[] = [];
  #waitCodes: readonly number[] = [];
  #isSandboxed = false;

  private constructor(process: OwnedProcess, options: OutsideOptions) {
    this.#process = process;
    this.#options = options;
    this.ended = this.#readAll();
  }

  /** Throws INSTRUMENTATION_FAILED. */
  static async start(options: OutsideOptions): Promise<OutsideLink> {
    const { outsidePath, targetPath, pid, ringPath, slotCount, ringBytes, strands } = options;
    const exceptions = strands[0] === 'go' ? [exceptionPathOf(dirname(ringPath))] : [];
    const args = [pid, targetPath, ringPath, slotCount, ringBytes, ...strands, ...exceptions];
    const process = await startOwned({ command: outsidePath, args: args.map(String) });
    const link = new OutsideLink(process, options);
    try {
      link.#check(await link.#answer(startLimitMs));
      return link;
    } catch (error) {
      await process[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Whether a change was refused as the program has entered a sandbox. */
  get isSandboxed(): boolean {
    return this.#isSandboxed;
  }

  /** Of the last functions that were armed in a program of Go: the verdicts of what goroutines wait by. */
  get waitCodes(): readonly number[] {
    return this.#waitCodes;
  }

  async call<T>(method: string, args: readonly unknown[], data?: Uint8Array): Promise<T> {
    return claimed<T>(await this.#do(method, args, data ?? new Uint8Array()));
  }

  /** The program runs on as it was. */
  async close(): Promise<void> {
    this.#process.stdin.end();
    await within(leaveLimitMs, this.ended, () => new Error('late')).catch(() => undefined);
    await this.#process[Symbol.asyncDispose]();
  }

  async #do(method: string, args: readonly unknown[], data: Uint8Array): Promise<unknown> {
    const [first] = args;
    switch (method) {
      case 'begin':
      case 'stands':
      case 'runs':
        await this.#ask(method, data);
        return null;
      case 'steps':
        await this.#ask(`steps ${String(first)} ${data.length / walkStep.bytes}`, data);
        return null;
      case 'policies': {
        const [refused = 0] = await this.#ask(`policies ${String(first)}`, data);
        return { refused };
      }
      case 'panics':
        await this.#ask(`panics ${String(first)}`, data);
        return null;
      case 'probes':
        await this.#ask(`probes ${String(first)}`, data);
        return null;
      case 'watches':
        await this.#ask(`watches ${args.join(' ')}`, first === 0 ? new Uint8Array() : data);
        return null;
      case 'recording':
        await this.#ask(`recording ${first === true ? 1 : 0}`, data);
        return null;
      case 'arm': {
        const count = data.length / armEntry.bytes;
        const codes = await this.#ask(`arm ${count}`, data);
        this.#waitCodes = codes.slice(count);
        return { codes: codes.slice(0, count) };
      }
      case 'disarm': {
        const numbers = Uint32Array.from(Array.isArray(first) ? first.map(Number) : []);
        await this.#ask(`disarm ${numbers.length}`, new Uint8Array(numbers.buffer));
        return null;
      }
      // What only an engine in the process does.
      default:
        return null;
    }
  }

  async #ask(line: string, data: Uint8Array): Promise<readonly number[]> {
    const answer = this.#answer(answerLimitMs);
    this.#process.stdin.write(`${line}\n`);
    this.#process.stdin.write(data);
    return this.#check(await answer);
  }

  async #answer(limitMs: number): Promise<string> {
    const answered = new Promise<string>((resolve) => this.#waiting.push(resolve));
    const late = (): Error =>
      this.#failure('the process that traces it from outside does not answer');
    return await within(limitMs, Promise.race([answered, this.ended.then(() => 'ended')]), late);
  }

  #check(line: string): readonly number[] {
    const [word = '', ...numbers] = line.split(' ');
    if (word === 'ended') throw this.#failure('the process that traces it from outside ended');
    if (word === 'failed') {
      this.#isSandboxed ||= Number(numbers[0]) === SANDBOXED;
      throw this.#failure(whyFailed(Number(numbers[0])));
    }
    return numbers.map(Number);
  }

  #failure(why: string): StrobeError {
    return new StrobeError(
      'INSTRUMENTATION_FAILED',
      `Process ${this.#options.pid} cannot be traced: ${why}.`,
    );
  }

  async #readAll(): Promise<void> {
    for await (const lines of linesOf(this.#process, lineBytes))
      for (const line of lines) this.#take(line);
    await this.#process.ended;
  }

  #take(line: string): void {
    const [word, first = '', second = ''] = line.split(' ');
    if (word === 'forbids') this.#options.onForbidden(Number(first), BigInt(second));
    else if (word === 'unwatched') this.#options.onUnwatched(Number(first));
    else this.#waiting.shift()?.(line);
  }
}

const errors = new Map([
  [1, 'the kernel does not let it be stopped (ptrace); a debugger may hold it'],
  [3, 'it has ended'],
  [8, 'its file is not one whose functions can be found (of Go: 1.20 and later)'],
  [12, 'there is no room for its records, in it or in /dev/shm'],
  [
    13,
    'a file could not be opened: it has other rights than you, or does not let itself be looked into (PR_SET_DUMPABLE)',
  ],
  [28, 'there is no room in /dev/shm for its events'],
  [
    SANDBOXED,
    'it has entered a sandbox (seccomp), which may end it for a system call that tracing makes: run it without its sandbox to trace it',
  ],
]);

function whyFailed(error: number): string {
  return errors.get(error) ?? `error ${error}`;
}

/** Each caller names the answer of its method. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function claimed<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion
  return value as T;
}
