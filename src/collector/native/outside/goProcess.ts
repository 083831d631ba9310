import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import type { CallPolicy, Verdict } from '../../../model/functions/traceable.ts';
import { refusals } from '../../../protocol/refusals.ts';
import type { Tracer } from '../../tracer.ts';
import type { PlacedProbe, ProbedNow } from '../probes/processProbes.ts';
import type { FunctionWatches } from '../watches/watchTable.ts';
import type { OutsideProcess } from './outsideProcess.ts';

type Policies = ReadonlyMap<string, CallPolicy>;

export interface GoProcessOptions {
  /** The ELF file it runs. */
  readonly image: string;
  /** What traces the rest of the process. */
  readonly inside: Tracer<FoundFunction>;
  /** Where it is held at its start: what began before. */
  readonly standing: OutsideProcess | null;
  /** Begins to trace from outside a process that runs. */
  readonly enter: () => Promise<OutsideProcess>;
  readonly onNote: (text: string) => void;
  readonly onClose: () => void;
}

/** Our presence in a program of Go that has a loader (cgo, plug-ins, -buildmode=pie): its functions of Go are traced from outside, the others by the engine inside. */
export class GoProcess implements Tracer<FoundFunction> {
  readonly #options: GoProcessOptions;
  #outside: OutsideProcess | null;
  #isRefused = false;

  constructor(options: GoProcessOptions) {
    this.#options = options;
    this.#outside = options.standing;
  }

  get pid(): number {
    return this.#options.inside.pid;
  }

  get hooked(): number {
    return this.#options.inside.hooked + (this.#outside?.hooked ?? 0);
  }

  get notes(): readonly string[] {
    return this.#options.inside.notes;
  }

  units(): readonly string[] {
    return this.#options.inside.units();
  }

  async setWanted(
    wanted: readonly FoundFunction[],
    policies: Policies,
  ): Promise<ReadonlyMap<string, Verdict>> {
    const { image, inside } = this.#options;
    const ofGo = wanted.filter(({ isOfGo, unit }) => isOfGo && unit === image);
    const others = wanted.filter(({ isOfGo, unit }) => !isOfGo || unit !== image);
    return new Map([
      ...(await inside.setWanted(others, policies, [])),
      ...(await this.#setWantedOfGo(ofGo, policies)),
    ]);
  }

  /** Has these watches sampled in hooked functions of Go, and no others. */
  async setWatches(watches: FunctionWatches): Promise<void> {
    await this.#outside?.setWatches(watches);
  }

  /** Has these statements of Go recorded, and no others. */
  async setProbes(probes: readonly PlacedProbe[]): Promise<ProbedNow> {
    const { image } = this.#options;
    const ofGo = probes.filter(
      ({ statement }) => statement === null || (statement.isOfGo && statement.module === image),
    );
    const none: ProbedNow = { verdicts: new Map(), traps: [], trapped: new Map() };
    if (this.#isRefused || (ofGo.length === 0 && !this.#outside)) return none;
    this.#outside ??= await this.#options.enter();
    return await this.#outside.setProbes(ofGo);
  }

  async awaitLibraries(modules: readonly string[]): Promise<void> {
    await this.#options.inside.awaitLibraries?.(modules);
  }

  async clock(): Promise<void> {
    await this.#options.inside.clock?.();
  }

  async resume(): Promise<void> {
    await this.#options.standing?.setStands(false);
    await this.#options.inside.resume?.();
  }

  async close(live: boolean): Promise<void> {
    this.#options.onClose();
    // First what records C: by whom that is called, only the other knows.
    try {
      await this.#options.inside.close(live);
    } finally {
      await this.#outside?.close();
    }
  }

  async #setWantedOfGo(
    wanted: readonly FoundFunction[],
    policies: Policies,
  ): Promise<ReadonlyMap<string, Verdict>> {
    if (wanted.length === 0 && !this.#outside) return new Map();
    try {
      if (!this.#isRefused) {
        this.#outside ??= await this.#options.enter();
        return await this.#outside.setWanted(wanted, policies);
      }
    } catch (error) {
      // Its C is traced all the same.
      this.#isRefused = true;
      this.#options.onNote(`Its functions of Go are not traced: ${String(error)}`);
    }
    const verdict = { kind: 'refused', code: 'codeOfGo', text: refusals.codeOfGo } as const;
    return new Map(wanted.map(({ id }) => [id, verdict]));
  }
}
