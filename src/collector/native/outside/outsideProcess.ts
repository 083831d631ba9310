import { dirname } from 'node:path';
import { linkOf, readOf } from '../../../base/proc.ts';
import { makeRingDirectory } from '../../rings/ringFolder.ts';
import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import { usualPolicy, type CallPolicy, type Verdict } from '../../../model/functions/traceable.ts';
import { refusals, verdictCodes } from '../../../protocol/refusals.ts';
import type { Tracer } from '../../tracer.ts';
import type { FunctionNumbers } from '../functionNumbers.ts';
import { ProcessHooks } from '../processHooks.ts';
import { SentWalks } from '../sentWalks.ts';
import { OutsideLink, type OutsideOptions } from './outsideLink.ts';

/** What is asked of a process that is traced from outside. */
export interface OutsideProcessOptions extends OutsideOptions {
  /** The ELF file it runs. */
  readonly image: string;
  readonly isGo: boolean;
  readonly numbers: FunctionNumbers;
  /** Awaited with the ring's path before anything is hooked. */
  readonly onRing: (path: string) => Promise<void>;
  readonly onNote: (text: string) => void;
  readonly onLost: (why: string) => void;
}

/** It runs on stacks of its own, in signal handlers, and while the world is stopped. */
const runtimeOfGo =
  /^(?:runtime|internal\/(?:runtime|abi|bytealg|cpu|goarch|chacha8rand)|syscall\.(?:raw|fork|runtime_)|go:|type:|_rt0|gcWrite|debugCall|gogo|callRet|memeqbody|cmpbody|indexbytebody|countbody|aeshashbody)(?:[./\w]|$)/;

/** What goroutines wait by, in the order of native/outside/image.c. */
const waitFunctions = ['runtime.gopark', 'syscall.Syscall', 'syscall.Syscall6'];

/** Our presence in a static program: nothing of it is in the process before something is hooked. */
export class OutsideProcess implements Tracer<FoundFunction> {
  readonly pid: number;
  readonly notes: readonly string[] = [];
  readonly #options: OutsideProcessOptions;
  readonly #link: OutsideLink;
  readonly #hooks: ProcessHooks;
  /** Numbers of functions that are not sampled. */
  readonly #whole = new Set<number>();
  #hasRing = false;
  #hasNoted = false;
  #notedWaits = '';
  #closed = false;

  private constructor(options: OutsideProcessOptions, link: OutsideLink) {
    this.pid = options.pid;
    this.#options = options;
    this.#link = link;
    this.#hooks = new ProcessHooks({
      link,
      numbers: options.numbers,
      steps: new SentWalks(link, options.numbers.walks),
      image: options.image,
      onNote: options.onNote,
      refuse: ({ name }) => (options.isGo && runtimeOfGo.test(name) ? 'runtimeOfGo' : null),
    });
    this.#hooks.moduleLoaded({
      name: options.image,
      path: options.image,
      base: `0x${baseOf(options.pid).toString(16)}`,
      size: 0,
    });
    void link.ended.then(() => {
      if (!this.#closed) options.onLost('what traces it from outside ended');
    });
  }

  static async enter(options: OutsideProcessOptions): Promise<OutsideProcess> {
    makeRingDirectory(dirname(options.ringPath));
    return new OutsideProcess(options, await OutsideLink.start(options));
  }

  get hooked(): number {
    return this.#hooks.hooked;
  }

  units(): readonly string[] {
    return [this.#options.image];
  }

  async setWanted(
    wanted: readonly FoundFunction[],
    policies: ReadonlyMap<string, CallPolicy>,
  ): Promise<ReadonlyMap<string, Verdict>> {
    this.#notePolicies(policies);
    if (wanted.length > 0) await this.begin();
    await this.#setWhole(wanted, policies);
    const verdicts = await this.#hooks.setWanted(wanted);
    this.#noteWaits();
    return verdicts;
  }

  /** Puts what records into the program, once. */
  async begin(): Promise<void> {
    if (this.#hasRing) return;
    this.#hasRing = true;
    await this.#link.call('begin', []);
    await this.#options.onRing(this.#options.ringPath);
  }

  /** Whether another tracer holds it at its start, so that it need not be stopped for a change; it has begun before. */
  async setStands(stands: boolean): Promise<void> {
    await this.#link.call(stands ? 'stands' : 'runs', []);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#link.close();
  }

  /** Functions of which no call may be left out where the reader is behind. */
  async #setWhole(
    wanted: readonly FoundFunction[],
    policies: ReadonlyMap<string, CallPolicy>,
  ): Promise<void> {
    const rows: number[] = [];
    for (const [id, { number }] of await this.#options.numbers.number(wanted)) {
      const isWhole = policies.get(id)?.every === 1;
      if (isWhole === this.#whole.has(number)) continue;
      if (isWhole) this.#whole.add(number);
      else this.#whole.delete(number);
      rows.push(number * 2 + (isWhole ? 1 : 0));
    }
    if (rows.length === 0) return;
    await this.#link.call('whole', [], new Uint8Array(Uint32Array.from(rows).buffer));
  }

  #noteWaits(): void {
    const unseen = this.#link.waitCodes.flatMap((code, at) => {
      const verdict = verdictCodes[code] ?? 'hooked';
      return verdict === 'hooked' ? [] : [`${waitFunctions[at] ?? '?'} (${refusals[verdict]})`];
    });
    const text = `How long goroutines wait is not known of: ${unseen.join(', ')}.`;
    if (unseen.length === 0 || text === this.#notedWaits) return;
    this.#notedWaits = text;
    this.#options.onNote(text);
  }

  #notePolicies(policies: ReadonlyMap<string, CallPolicy>): void {
    if (this.#hasNoted || [...policies.values()].every(isUsual)) return;
    this.#hasNoted = true;
    this.#options.onNote(
      'A share of calls (sampling), when, whenReturn, firstN, minDurationNs, maxDepth and trigger have no effect in a static program yet: all calls are recorded, and of a function that is called too fast for the reader one in 100 (unless "sampling" is "off").',
    );
  }
}

function isUsual(policy: CallPolicy): boolean {
  const { every, first, leastNs, depth, when, whenReturn, start, stop } = policy;
  const { start: never } = usualPolicy;
  const counts = [every === 1 ? 0 : every, first, leastNs, depth];
  return (
    counts.every((count) => count === 0) &&
    when === null &&
    whenReturn === undefined &&
    start === never &&
    stop === never
  );
}

/** Where the program begins in memory. */
function baseOf(pid: number): bigint {
  const image = linkOf(pid, 'exe') ?? '';
  const first = (readOf(pid, 'maps') ?? '').split('\n').find((line) => line.endsWith(image));
  return BigInt(`0x${first?.split('-')[0] ?? '0'}`);
}
