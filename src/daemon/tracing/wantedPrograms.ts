import { readOf } from '../../base/proc.ts';
import { isSystemPath, runsOthers } from '../../base/systemPaths.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import type { RunningTarget, SessionContext } from '../session/sessionContext.ts';
import type { ProbeRequest } from '../../model/probes/probe.ts';
import { patternRequest } from './patternRequest.ts';
import { explainableImage } from './explainableImage.ts';
import { presentImage } from './presentImage.ts';
import type { SessionSymbols } from './sessionSymbols.ts';

const { pattern: ownCode } = patternRequest('@usercode');

const machineKinds: ReadonlySet<string> = new Set(['cpp', 'panic']);

/** What is wanted of the programs that a session's processes run. */
export interface Wanted {
  patterns(): readonly Pattern[];
  /** Breakpoints of which some may be in a program (default: in any). */
  probes(image?: string): readonly ProbeRequest[];
}

/** Which programs of a session are worth entering. */
export class WantedPrograms {
  readonly #context: SessionContext;
  readonly #symbols: SessionSymbols;
  readonly #wanted: Wanted;
  /** Programs that are entered whatever the patterns say: one of their processes crashed, and nothing was kept. */
  readonly toExplain = new Set<string>();

  constructor(context: SessionContext, symbols: SessionSymbols, wanted: Wanted) {
    this.#context = context;
    this.#symbols = symbols;
    this.#wanted = wanted;
  }

  /** Whether the processes of some program may be worth entering. */
  get isAny(): boolean {
    return this.toExplain.size > 0 || this.#wanted.patterns().length > 0 || this.#hasProbes();
  }

  #hasProbes(image?: string): boolean {
    return this.#wanted.probes(image).length > 0;
  }

  /** Whether something names a library, a channel, an address or what only machine code raises: it may be in any program. */
  get meansMachineCode(): boolean {
    const wanted = this.#wanted;
    return (
      wanted.patterns().some((pattern) => this.#isElsewhere(pattern)) ||
      wanted.probes().some((probe) => this.#isOfMachineCode(probe))
    );
  }

  /** The libraries that are named, in patterns and in functions of breakpoints that record. */
  get libraries(): string[] {
    const wanted = this.#wanted;
    const ofProbes = wanted
      .probes()
      .flatMap(({ where, stop }) =>
        stop === undefined && 'pattern' in where ? patternRequest(where.pattern).pattern : [],
      );
    return [...wanted.patterns(), ...ofProbes].flatMap(({ module }) =>
      module !== null && !/^[*?/]+$/.test(module) ? [module] : [],
    );
  }

  #isElsewhere({ module, selection }: Pattern): boolean {
    if (module === null) return selection.kind === 'known';
    return !this.#symbols.isPackage(module);
  }

  #isOfMachineCode({ where }: ProbeRequest): boolean {
    if (where.kind === 'exception') return machineKinds.has(where.exception);
    if (where.kind === 'line' || where.kind === 'text') return false;
    return !('pattern' in where) || this.#isElsewhere(patternRequest(where.pattern).pattern);
  }

  /**
   * Whether some pattern may match in a program or in what it loads, so that its processes are
   * worth attaching to. `outside`: it is neither the project's nor the system's.
   */
  async wants(image: string, pid: number): Promise<'yes' | 'no' | 'outside'> {
    if (this.toExplain.has(image)) return 'yes';
    if (this.#hasProbes(image) && (await this.#mayHold(image))) return 'yes';
    const patterns = this.#wanted.patterns();
    if (patterns.length === 0) return 'no';
    if (pid === this.#context.running()?.pid) this.#symbols.programs.add(image);
    return await this.#symbols.wants(image, patterns);
  }

  /** Whether code that is not the system's may run there: also that of a script, whatever interprets it. */
  async #mayHold(image: string): Promise<boolean> {
    return !isSystemPath(image) || (await this.#symbols.wants(image, [ownCode])) === 'yes';
  }

  /**
   * Whether a launched main process runs a shell, or `env`, that no pattern means. It is left alone: entering it costs
   * half a second of processor time, that of a shim soon executes another program, and an attach that meets an exec
   * fails only after seconds. Execs are watched first: none is missed after the look.
   */
  async isPassing({ pid, atExec }: Pick<RunningTarget, 'pid' | 'atExec'>): Promise<boolean> {
    const { follow, isAttached } = this.#context.facts;
    if (follow === 'none' || isAttached) return false;
    // From its start a shell itself may do what a channel or the name of a library means.
    if (atExec && this.meansMachineCode) return false;
    await this.#context.watchExecs(true);
    const image = await presentImage(this.#context, pid);
    if (!runsOthers(image) || hasPreload(pid)) return false;
    return (await this.wants(image, pid)) === 'no';
  }

  /**
   * A child that ran this program crashed and left nothing: the next of its processes are entered at
   * their start, so that theirs is explained. False where that cannot be.
   */
  async explainNext(path: string): Promise<boolean> {
    const image = await explainableImage(this.#context, path);
    if (image === null) return false;
    this.toExplain.add(image);
    await this.#context.watchExecs(true);
    return true;
  }
}

/** Whether the environment of a process names libraries that its loader brings besides those the program needs. */
function hasPreload(pid: number): boolean {
  return /(?:^|\0)LD_(?:PRELOAD|AUDIT)=./.test(readOf(pid, 'environ') ?? '');
}
