import type { TracedFunction } from '../../model/eventColumns.ts';
import type { FoundFunction } from '../../model/foundFunction.ts';
import { verdictCodes, type Verdict } from '../../model/verdict.ts';
import type { LoadedModule } from '../../protocol/agent.ts';
import { record } from '../../protocol/record.ts';
import type { PayloadPlan } from '../rings/payloadPlan.ts';
import { encodeArmTable, planCapture, type ArmRow, type CapturePlan } from './armTable.ts';
import { isSpecial } from './special.ts';

/** The calls a tracer makes into the target. */
export interface TracerLink {
  call<T>(method: string, args: readonly unknown[], data?: Uint8Array): Promise<T>;
}

/** A function the tracer has given a number, with what its records hold. */
export interface NumberedFunction {
  readonly traced: TracedFunction;
  readonly payload: PayloadPlan;
}

export interface ArmOutcome {
  /** By `functionKey`. Every wanted function has one. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly removed: number;
}

interface Known {
  readonly number: number;
  readonly fn: FoundFunction;
  readonly plan: CapturePlan;
  verdict: Verdict | null;
}

/** Identity of a function in a session: its module and link-time address. */
export function functionKey(fn: FoundFunction): string {
  return `${fn.module}\0${fn.address}`;
}

/**
 * Keeps a target's hooks equal to a wanted set. Functions keep their number for the life of the
 * session, so that records of an earlier trace stay readable.
 */
export class NativeTracer {
  readonly #link: TracerLink;
  readonly #stringBytes: number;
  readonly #loadAddressOf: (module: string) => number | null;
  readonly #announce: (functions: readonly NumberedFunction[]) => Promise<void>;
  readonly #known = new Map<string, Known>();
  readonly #bases = new Map<string, bigint>();
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * `loadAddressOf`: the module's link-time load address, null when it is not indexed.
   * `announce` is awaited before the first record of a function can be written.
   */
  constructor(options: {
    link: TracerLink;
    stringBytes: number;
    loadAddressOf: (module: string) => number | null;
    announce: (functions: readonly NumberedFunction[]) => Promise<void>;
  }) {
    this.#link = options.link;
    this.#stringBytes = options.stringBytes;
    this.#loadAddressOf = options.loadAddressOf;
    this.#announce = options.announce;
  }

  moduleLoaded(module: LoadedModule): void {
    this.#bases.set(module.path, BigInt(module.base));
  }

  moduleUnloaded(path: string): void {
    this.#bases.delete(path);
    for (const known of this.#known.values()) {
      if (known.fn.module === path) known.verdict = null;
    }
  }

  /** Functions hooked now. */
  get hooked(): number {
    let count = 0;
    for (const known of this.#known.values()) if (known.verdict?.kind === 'hooked') count++;
    return count;
  }

  /** Arms what is wanted and not hooked, removes what is hooked and not wanted. One at a time. */
  async setWanted(wanted: readonly FoundFunction[]): Promise<ArmOutcome> {
    const turn = this.#turn.then(
      () => this.#apply(wanted),
      () => this.#apply(wanted),
    );
    this.#turn = turn;
    return turn;
  }

  async #apply(wanted: readonly FoundFunction[]): Promise<ArmOutcome> {
    const keys = new Set<string>();
    const fresh: Known[] = [];
    const toArm: Known[] = [];
    for (const fn of wanted) {
      const key = functionKey(fn);
      if (keys.has(key)) continue;
      keys.add(key);
      let known = this.#known.get(key);
      if (!known) {
        known = {
          number: this.#known.size,
          fn,
          plan: planCapture(fn, this.#stringBytes),
          verdict: null,
        };
        if (known.number >= record.maxFunctions)
          known.verdict = { kind: 'refused', reason: 'poolFull' };
        this.#known.set(key, known);
        fresh.push(known);
      }
      if (known.verdict === null || known.verdict.kind === 'pending') toArm.push(known);
    }
    if (fresh.length > 0) await this.#announce(fresh.map(numbered));
    const removed = await this.#remove(keys);
    await this.#arm(toArm);
    const verdicts = new Map<string, Verdict>();
    for (const key of keys) {
      const verdict = this.#known.get(key)?.verdict;
      if (verdict) verdicts.set(key, verdict);
    }
    return { verdicts, removed };
  }

  async #remove(keys: ReadonlySet<string>): Promise<number> {
    const gone: Known[] = [];
    for (const [key, known] of this.#known) {
      if (known.verdict?.kind === 'hooked' && !keys.has(key)) gone.push(known);
    }
    if (gone.length === 0) return 0;
    const { removed } = await this.#link.call<{ removed: number }>('disarm', [
      gone.map((known) => known.number),
    ]);
    for (const known of gone) known.verdict = null;
    return removed;
  }

  async #arm(candidates: readonly Known[]): Promise<void> {
    const rows: ArmRow[] = [];
    const armed: Known[] = [];
    for (const known of candidates) {
      const base = this.#bases.get(known.fn.module);
      const loadAddress = this.#loadAddressOf(known.fn.module);
      if (isSpecial(known.fn.linkageName)) known.verdict = { kind: 'refused', reason: 'special' };
      else if (known.plan.stackBytes > 256) {
        known.verdict = { kind: 'refused', reason: 'stackArgumentsTooLarge' };
      } else if (base === undefined || loadAddress === null) {
        known.verdict = { kind: 'pending', waitsFor: known.fn.module };
      } else {
        const address = base + BigInt(known.fn.address - loadAddress);
        rows.push({ address, size: known.fn.size, number: known.number, plan: known.plan });
        armed.push(known);
      }
    }
    if (rows.length === 0) return;
    const table = encodeArmTable(rows, this.#stringBytes);
    const { codes } = await this.#link.call<{ codes: number[] }>('arm', [rows.length], table);
    for (const [index, known] of armed.entries()) {
      const code = verdictCodes[codes[index] ?? -1];
      if (code === undefined)
        throw new Error(`The engine answered an unknown verdict ${String(codes[index])}.`);
      known.verdict = code === 'hooked' ? { kind: 'hooked' } : { kind: 'refused', reason: code };
    }
  }
}

function numbered(known: Known): NumberedFunction {
  const { fn, plan } = known;
  return {
    traced: {
      number: known.number,
      name: fn.name,
      signature: fn.signature,
      linkageName: fn.linkageName,
      module: fn.module,
      address: fn.address,
      file: fn.file,
      line: fn.line,
      captured: plan.captured,
      uncaptured: plan.uncaptured,
      returns: fn.returns,
    },
    payload: plan.payload,
  };
}
