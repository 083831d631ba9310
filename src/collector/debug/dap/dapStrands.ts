import { z } from 'zod';
import { codeAddressOf, readOf, threadsOf } from '../../../base/proc.ts';
import type { StopCause, StoppedThread } from '../../../model/debug/stop.ts';
import { excerptOf } from '../../source/sourceExcerpt.ts';
import type { DebugAdapter } from '../adapters/debugAdapter.ts';
import { DapError, type DapLink } from './dapLink.ts';
import { stack } from './dapStacks.ts';

const strands = z.looseObject({
  threads: z.array(z.looseObject({ id: z.number(), name: z.string() })),
});
const printed = z.looseObject({ result: z.string() });

/** A strand, and the adapter's numbers of the places where it stands. */
export interface StrandAt {
  readonly tid: number;
  readonly places: readonly number[];
}

/** The strands of a program as they are known outside: threads by the kernel's numbers, all else by the adapter's. */
export class DapStrands {
  readonly #pid: number;
  readonly #link: DapLink;
  readonly #adapter: DebugAdapter;
  /** The adapter's number by the kernel's. */
  #numbers: ReadonlyMap<number, number> = new Map();
  readonly #came = new Set<number>();
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

  /**
   * Those whose threads stand at places that the adapter is silent on where it reports another strand. `unlisted`: places of
   * such that it does not list, as Delve lists 1,024. `isFirstThere`: the strand that it reports stands at one. Throws DapError.
   */
  async at(
    placesAt: (address: bigint) => readonly number[],
    isFirstThere: boolean,
  ): Promise<{ readonly listed: readonly StrandAt[]; readonly unlisted: readonly number[] }> {
    const { threadInName } = this.#adapter;
    const found = new Map<number, readonly number[]>();
    for (const thread of threadInName === null ? [] : threadsOf(this.#pid)) {
      const address = codeAddressOf(this.#pid, thread);
      const places = address === null ? [] : placesAt(address);
      if (places.length > 0) found.set(thread, places);
    }
    // To list all strands takes long where they are many.
    const isNone = found.size <= (isFirstThere ? 1 : 0);
    if (threadInName === null || isNone) return { listed: [], unlisted: [] };
    const { threads } = await this.#link.ask('threads', {}, strands);
    const listed: StrandAt[] = [];
    for (const { id, name } of threads) {
      const thread = Number(threadInName.exec(name)?.[1]);
      const places = found.get(thread);
      if (places !== undefined) listed.push({ tid: this.#tid(id), places });
      found.delete(thread);
    }
    return { listed, unlisted: [...found.values()].flat() };
  }

  /** Those that came to a line of source since the program ran last and are not taken yet, where the adapter knows that. */
  takeCame(): readonly number[] {
    const came = [...this.#came];
    this.#came.clear();
    return came;
  }

  /** The program runs on. */
  change(): void {
    this.#standing = null;
    this.#came.clear();
  }

  async #read(): Promise<readonly number[]> {
    const { threads } = await this.#link.ask('threads', {}, strands);
    await this.#learn(null);
    return threads.map(({ id }) => this.#tid(id)).filter((tid) => tid > 0);
  }

  /**
   * What others call the strand that the adapter calls so as it reports it; 0: it does not say which. What it reports beside
   * has come when this settles. Throws DapError.
   */
  async reported(number: number): Promise<number> {
    const { threadsBy, threadInName } = this.#adapter;
    if (number <= 0) return (await this.all())[0] ?? 1;
    // A number may be another thread's by now.
    if (threadsBy !== null) await this.#learn(number);
    else if (threadInName === null) await this.#link.ask('threads', {}, strands);
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

  /** `number`: of a strand that stands still; null: none is known to. */
  async #learn(number: number | null): Promise<void> {
    const { threadsBy, inSource } = this.#adapter;
    // What runs code of the program to tell does so in a frame, and has told as the strand was reported.
    if (threadsBy === null || (inSource && number === null)) return;
    let result = '';
    try {
      const args = inSource
        ? { expression: threadsBy, context: 'watch', frameId: await this.#newestFrame(number) }
        : { expression: threadsBy, context: 'repl' };
      ({ result } = await this.#link.ask('evaluate', args, printed));
    } catch (error) {
      if (!(error instanceof DapError)) throw error; // It has no such line, and its own numbers stay.
    }
    // debugpy writes a text as Python does.
    const lines = result.replaceAll(/^'|'$/g, '').replaceAll(String.raw`\n`, '\n');
    const found = [...lines.matchAll(/^\*?\s*(\d+)\s+.*?\bLWP (\d+)\)( came)?/gm)];
    this.#numbers = new Map(found.map(([, own, tid]) => [Number(tid), Number(own)]));
    for (const [, , tid, came] of found) if (came !== undefined) this.#came.add(Number(tid));
  }

  async #newestFrame(threadId: number | null): Promise<number | undefined> {
    const asked = { threadId, startFrame: 0, levels: 1 };
    return (await this.#link.ask('stackTrace', asked, stack)).stackFrames[0]?.id;
  }
}
