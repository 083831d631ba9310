import { dirname } from 'node:path';
import { pause } from '../../../base/deadline.ts';
import { linkOf, readOf } from '../../../base/proc.ts';
import { makeRingDirectory } from '../../rings/ringFolder.ts';
import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import type { CallPolicy, Verdict } from '../../../model/functions/traceable.ts';
import type { ValueType } from '../../../model/values/valueType.ts';
import { refusals, verdictCodes, type RefusalCode } from '../../../protocol/refusals.ts';
import type { Tracer } from '../../tracer.ts';
import type { FunctionNumbers } from '../functionNumbers.ts';
import { ProcessProbes, type PlacedProbe, type ProbedNow } from '../probes/processProbes.ts';
import { ProcessHooks } from '../processHooks.ts';
import { SentWalks } from '../sentWalks.ts';
import type { FunctionWatches } from '../watches/watchTable.ts';
import { OutsideLink, type OutsideOptions } from './outsideLink.ts';

/** What is asked of a process that is traced from outside. */
export interface OutsideProcessOptions extends OutsideOptions {
  /** The ELF file it runs. */
  readonly image: string;
  readonly isGo: boolean;
  /** It has a filter of system calls already, which may end it for one that tracing makes. */
  readonly isSandboxed: boolean;
  /** Of what a panic of Go is passed; null: it is not described. */
  readonly panicType: () => Promise<Extract<ValueType, { kind: 'tree' }> | null>;
  readonly numbers: FunctionNumbers;
  /** Awaited with the ring's path before anything is hooked. */
  readonly onRing: (path: string) => Promise<void>;
  readonly onNote: (text: string) => void;
  readonly onLost: (why: string) => void;
  readonly onClose: () => void;
}

/** A program waits no longer for its symbols to be read because of its panics. */
const PANICS_PATIENCE_MS = 5000;

const sandboxed: Verdict = { kind: 'refused', code: 'sandboxed', text: refusals.sandboxed };

/** It runs on stacks of its own, in signal handlers, and while the world is stopped. */
const runtimeOfGo =
  /^(?:runtime|internal\/(?:runtime|abi|bytealg|cpu|goarch|chacha8rand)|syscall\.(?:raw|fork|runtime_)|go:|type:|_rt0|gcWrite|debugCall|gogo|callRet|memeqbody|cmpbody|indexbytebody|countbody|aeshashbody)(?:[./\w]|$)/;

/** What goroutines wait by, in the order of native/outside/image.c; behind them what they leave calls by. */
const waitFunctions = ['runtime.gopark', 'syscall.Syscall', 'syscall.Syscall6'];
/** Where runtime.cgocall is among those. */
const CALLS_OF_C = 8;

/** Our presence in a static program: nothing of it is in the process before something is hooked. */
export class OutsideProcess implements Tracer<FoundFunction> {
  readonly pid: number;
  readonly notes: readonly string[] = [];
  readonly #options: OutsideProcessOptions;
  readonly #link: OutsideLink;
  readonly #hooks: ProcessHooks;
  readonly #probes: ProcessProbes;
  readonly #steps: SentWalks;
  #hasRing = false;
  readonly #noted = new Set<string>();
  #closed = false;

  private constructor(options: OutsideProcessOptions, link: OutsideLink) {
    this.pid = options.pid;
    this.#options = options;
    this.#link = link;
    const { image, numbers } = options;
    const steps = (this.#steps = new SentWalks(link, numbers.walks));
    const base = baseOf(options.pid).toString(16);
    this.#probes = new ProcessProbes({
      link,
      numbers,
      steps,
      image,
      baseOf: (path) => (path === image ? `0x${base}` : null),
      mayTrap: false,
      refuse: ({ holder }) => (runtimeOfGo.test(holder) ? 'runtimeOfGo' : null),
    });
    this.#hooks = new ProcessHooks({
      link,
      numbers,
      steps,
      image,
      onNote: options.onNote,
      refuse: ({ name, isOfGo }) => (options.isGo ? whyNotOfGo(name, isOfGo) : null),
    });
    this.#hooks.moduleLoaded({
      name: image,
      path: image,
      base: `0x${base}`,
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
    if (wanted.length > 0 && !(await this.#mayBegin()))
      return new Map(wanted.map(({ id }) => [id, sandboxed]));
    const verdicts = await this.#hooks.setWanted(wanted, policies);
    this.#noteWaits();
    return verdicts;
  }

  /** Has these watches sampled in hooked functions, and no others. */
  async setWatches(watches: FunctionWatches): Promise<void> {
    await this.#hooks.setWatches(watches);
  }

  /** Has these statements recorded, and no others. */
  async setProbes(probes: readonly PlacedProbe[]): Promise<ProbedNow> {
    if (probes.length > 0 && !(await this.#mayBegin())) {
      const verdicts = new Map(probes.map(({ number }) => [number, sandboxed]));
      return { verdicts, traps: [], trapped: new Map() };
    }
    return await this.#probes.set(probes);
  }

  /** False: the program has entered a sandbox before anything of ours was in it. */
  async #mayBegin(): Promise<boolean> {
    if (this.#options.isSandboxed) return false;
    try {
      await this.begin();
      return true;
    } catch (error) {
      if (!this.#link.isSandboxed) throw error;
      return false;
    }
  }

  /** Puts what records into the program, once. */
  async begin(): Promise<void> {
    if (this.#hasRing) return;
    this.#hasRing = true;
    try {
      await this.#link.call('begin', []);
    } catch (error) {
      this.#hasRing = false;
      throw error;
    }
    await this.#options.onRing(this.#options.ringPath);
    if (this.#options.isGo) await Promise.race([this.#followPanics(), pause(PANICS_PATIENCE_MS)]);
  }

  /** Whether another tracer holds it at its start, so that it need not be stopped for a change; it has begun before. */
  async setStands(stands: boolean): Promise<void> {
    await this.#link.call(stands ? 'stands' : 'runs', []);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.onClose();
    await this.#link.close();
  }

  /** Has what panics are passed copied. Never rejects. */
  async #followPanics(): Promise<void> {
    try {
      const type = await this.#options.panicType();
      const walk = type && this.#options.numbers.walkOf(type);
      if (walk === null) return;
      await this.#steps.send();
      await this.#link.call('panics', [walk]);
    } catch {
      // It has ended, which its next use says.
    }
  }

  #noteWaits(): void {
    const verdicts = this.#link.waitCodes.map((code) => verdictCodes[code] ?? 'hooked');
    // Every program has runtime.gopark: where that was found, what was not found is not in the program, which never calls it.
    const knowsNames = verdicts[0] !== 'notExecutable';
    const unseen = waitFunctions.flatMap((name, at) => {
      const verdict = verdicts[at] ?? 'hooked';
      const isAbsent = knowsNames && verdict === 'notExecutable';
      return verdict === 'hooked' || isAbsent ? [] : [`${name} (${refusals[verdict]})`];
    });
    if (unseen.length > 0)
      this.#note(`How long goroutines wait is not known of: ${unseen.join(', ')}.`);
    const ofC = verdicts[CALLS_OF_C] ?? 'hooked';
    if (ofC === 'hooked' || ofC === 'notExecutable') return;
    this.#note(
      `Functions of C are shown by thread, not below the functions of Go that call them: runtime.cgocall cannot be hooked (${refusals[ofC]}).`,
    );
  }

  #note(text: string): void {
    if (this.#noted.has(text)) return;
    this.#noted.add(text);
    this.#options.onNote(text);
  }
}

/** What cannot be hooked in a program of Go. */
function whyNotOfGo(name: string, isOfGo: boolean): RefusalCode | null {
  if (!isOfGo) return 'codeOfC';
  return runtimeOfGo.test(name) ? 'runtimeOfGo' : null;
}

/** Where the program begins in memory. */
function baseOf(pid: number): bigint {
  const image = linkOf(pid, 'exe') ?? '';
  const first = (readOf(pid, 'maps') ?? '').split('\n').find((line) => line.endsWith(image));
  return BigInt(`0x${first?.split('-')[0] ?? '0'}`);
}
