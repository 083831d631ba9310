import { z } from 'zod';
import { readOf, threadsOf } from '../../../base/proc.ts';
import type { StopCause, StoppedThread } from '../../../model/debug/stop.ts';
import { excerptOf } from '../../source/sourceExcerpt.ts';
import type { DebugAdapter } from '../adapters/debugAdapter.ts';
import { DapError, type DapLink } from './dapLink.ts';

const strands = z.looseObject({
  threads: z.array(z.looseObject({ id: z.number(), name: z.string() })),
});
const printed = z.looseObject({ result: z.string() });

/** The strands of a program as they are known outside: threads by the kernel's numbers, all else by the adapter's. */
export class DapStrands {
  readonly #pid: number;
  readonly #link: DapLink;
  readonly #adapter: DebugAdapter;
  /** The adapter's number by the kernel's. */
  #numbers: ReadonlyMap<number, number> = new Map();
  /** While the program stands still they stay the same. */
  #standing: Promise<readonly number[]> | null = null;

  constructor(pid: number, link: DapLink, adapter: DebugAdapter) {
    this.#pid = pid;
    this.#link = link;
    this.#adapter = adapter;
  }

  /** Those that stand still now. Throws DapError. */
  async all(): Promise<readonly number[]> {
    this.#standing ??= this.#read();
    return await this.#standing;
  }

  /** One of them. Throws DapError. */
  async first(): Promise<number> {
    return (await this.all())[0] ?? 1;
  }

  /** The program stops once more. */
  change(): void {
    this.#standing = null;
  }

  async #read(): Promise<readonly number[]> {
    const { threads } = await this.#link.ask('threads', {}, strands);
    await this.#learn();
    return threads.map(({ id }) => this.#tid(id)).filter((tid) => tid > 0);
  }

  /** What others call the strand that the adapter calls so. Throws DapError. */
  async tidOf(number: number): Promise<number> {
    // A number may be another thread's by now.
    await this.#learn();
    return this.#tid(number);
  }

  numberOf(tid: number): number {
    return this.#numbers.get(tid) ?? tid;
  }

  nameOf(tid: number): string {
    if (this.#adapter.strand !== null) return this.#adapter.strand;
    const isThread = threadsOf(this.#pid).includes(tid);
    return (isThread ? readOf(tid, 'comm')?.trim() : undefined) ?? 'thread';
  }

  /** One that stands still with all of its program; its registers are not read. */
  held(tid: number, cause: StopCause, frames: StoppedThread['frames']): StoppedThread {
    return {
      pid: this.#pid,
      tid,
      name: this.nameOf(tid),
      cause,
      frames,
      problem: null,
      source: excerptOf(frames),
      registers: [],
      holdsAll: true,
    };
  }

  #tid(number: number): number {
    return [...this.#numbers].find(([, one]) => one === number)?.[0] ?? number;
  }

  async #learn(): Promise<void> {
    const { threadsBy } = this.#adapter;
    if (threadsBy === null) return;
    const args = { expression: threadsBy, context: 'repl' };
    let result = '';
    try {
      ({ result } = await this.#link.ask('evaluate', args, printed));
    } catch (error) {
      if (!(error instanceof DapError)) throw error; // It has no such line, and its own numbers stay.
    }
    const found = [...result.matchAll(/^\*?\s*(\d+)\s+.*?\bLWP (\d+)\)/gm)];
    this.#numbers = new Map(found.map(([, number, tid]) => [Number(tid), Number(number)]));
  }
}
