import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import { processorNamed } from '../../model/processors.ts';
import type { CallPolicy, Verdict } from '../../model/functions/traceable.ts';
import type { LoadedModule } from '../../protocol/agent.ts';
import { exceptionFile } from '../../protocol/exceptionFile.ts';
import { record } from '../../protocol/record.ts';
import { refusals, verdictCodes, type RefusalCode } from '../../protocol/refusals.ts';
import { encodeArmTable, type ArmRow } from './armTable.ts';
import {
  compilePolicy,
  encodePolicyTable,
  isOfAnyFunction,
  isSamePolicy,
  usualCompiled,
  type CompiledPolicy,
} from './callPolicy.ts';
import type { FunctionNumbers, KnownFunction } from './functionNumbers.ts';
import type { HooksLink } from './hooksLink.ts';
import { isOfSanitizer, isSpecial } from './unhookable.ts';
import type { SentWalks } from './sentWalks.ts';
import { encodeWatchTable, noWatches, type FunctionWatches } from './watches/watchTable.ts';

/** The numbers above are those of functions that are hooked for other ends. */
const maxTraced = record.maxFunctions - record.maxTaps - exceptionFile.maxHooks;

const { replacedBytes } = processorNamed(process.arch);

interface Placed extends KnownFunction {
  verdict: Verdict | null;
  /** As the process was told. */
  policy: CompiledPolicy;
}

/** Refusals for reasons that pass. */
const passing: ReadonlySet<string> = new Set(['notStopped', 'breakpoint'] satisfies RefusalCode[]);

function mayBeArmed(verdict: Verdict | null): boolean {
  if (verdict?.kind === 'refused') return passing.has(verdict.code);
  return verdict?.kind !== 'hooked';
}

function compiledFor(
  known: ReadonlyMap<string, KnownFunction>,
  policies: ReadonlyMap<string, CallPolicy>,
): ReadonlyMap<string, CompiledPolicy> {
  const compiled = new Map<string, CompiledPolicy>();
  const shared = new Map<CallPolicy, CompiledPolicy>();
  // Policies are those of all runtimes.
  for (const [id, { fn }] of known) {
    const policy = policies.get(id);
    if (!policy) continue;
    const one = shared.get(policy) ?? compilePolicy(policy, fn);
    if (isOfAnyFunction(policy)) shared.set(policy, one);
    compiled.set(id, one);
  }
  return compiled;
}

function refusedFor(code: RefusalCode): Verdict {
  return { kind: 'refused', code, text: refusals[code] };
}

function entriesOnly(name: string, count: number): string {
  const more = count === 1 ? '' : ` and ${count - 1} more`;
  return `${name}${more}: entries are recorded, ends are not seen, as only the caller knows how much it passes on the stack (variadic functions, and such that take its address).`;
}

function refusedPolicies(count: number): string {
  return `${count} functions: their sampling, when, whenReturn, firstN, minDurationNs, maxDepth and trigger have no effect and all calls are recorded, because this process has no room to count the calls of that many functions. Use them on fewer functions.`;
}

/** Keeps the hooks of one process equal to a wanted set. */
export class ProcessHooks {
  readonly #link: HooksLink;
  readonly #numbers: FunctionNumbers;
  readonly #placed = new Map<string, Placed>();
  readonly #bases = new Map<string, bigint>();
  /** Of which the agent knows where they jump to functions that look at their caller. */
  readonly #searched = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  /** The triggers the process was told, as text. */
  #triggers = '';
  readonly #image: string;
  #hasNoted = false;
  readonly #onNote: (text: string) => void;
  /** The table of watches the engine has. */
  #watches: Buffer = noWatches;
  readonly #steps: SentWalks;
  readonly #refuse: (fn: FoundFunction) => RefusalCode | null;

  constructor(options: {
    link: HooksLink;
    numbers: FunctionNumbers;
    steps: SentWalks;
    /** The ELF file the process runs. */
    image: string;
    /** A whole sentence that is shown with the session. */
    onNote: (text: string) => void;
    /** Why a function must not be hooked in this program; absent: all may be. */
    refuse?: (fn: FoundFunction) => RefusalCode | null;
  }) {
    this.#onNote = options.onNote;
    this.#image = options.image;
    this.#link = options.link;
    this.#numbers = options.numbers;
    this.#steps = options.steps;
    this.#refuse = options.refuse ?? (() => null);
  }

  moduleLoaded(module: LoadedModule): void {
    this.#bases.set(module.path, BigInt(module.base));
  }

  moduleUnloaded(path: string): void {
    this.#bases.delete(path);
    this.#searched.delete(path);
    for (const placed of this.#placed.values()) {
      if (placed.fn.unit === path) placed.verdict = null;
    }
  }

  /** Functions hooked now. */
  get hooked(): number {
    let count = 0;
    for (const placed of this.#placed.values()) if (placed.verdict?.kind === 'hooked') count++;
    return count;
  }

  /** Functions of the module are hooked now. */
  isIn(path: string): boolean {
    const all = [...this.#placed.values()];
    return all.some(({ fn, verdict }) => fn.unit === path && verdict?.kind === 'hooked');
  }

  /** Run-time addresses of the hooked functions. */
  hookedAt(): bigint[] {
    return [...this.#placed.values()].flatMap(({ fn, verdict }) => {
      const address = verdict?.kind === 'hooked' ? this.#addressIn(fn.unit, fn.offset) : null;
      return address === null ? [] : [address];
    });
  }

  /** Null: the module is not loaded. */
  #addressIn(module: string, offset: number): bigint | null {
    const base = this.#bases.get(module);
    return base === undefined ? null : base + BigInt(offset);
  }

  /**
   * Arms what is wanted and not hooked, removes what is hooked and not wanted. One at a time.
   * `policies` and the verdicts, one for each wanted function, by `id`.
   */
  async setWanted(
    wanted: readonly FoundFunction[],
    policies: ReadonlyMap<string, CallPolicy> = new Map(),
  ): Promise<ReadonlyMap<string, Verdict>> {
    const turn = this.#turn.then(
      () => this.#apply(wanted, policies),
      () => this.#apply(wanted, policies),
    );
    this.#turn = turn;
    return turn;
  }

  /** Has these watches sampled in hooked functions, and no others. By `id`. */
  async setWatches(watches: FunctionWatches): Promise<void> {
    const turn = this.#turn.then(
      () => this.#sendWatches(watches),
      () => this.#sendWatches(watches),
    );
    this.#turn = turn;
    return turn;
  }

  async #sendWatches(watches: FunctionWatches): Promise<void> {
    const numbers = new Map<string, number>();
    for (const [key, { number }] of this.#placed) numbers.set(key, number);
    const table = encodeWatchTable(watches, numbers, {
      image: this.#image,
      walkOf: (type) => this.#numbers.walkOf(type),
      addressIn: (module, offset) => this.#addressIn(module, offset),
    });
    if (table.bytes.equals(this.#watches)) return;
    await this.#steps.send();
    const { watches: count, sets, functions } = table;
    await this.#link.call('watches', [count, sets, functions], table.bytes);
    this.#watches = table.bytes;
  }

  async #apply(
    wanted: readonly FoundFunction[],
    policies: ReadonlyMap<string, CallPolicy>,
  ): Promise<ReadonlyMap<string, Verdict>> {
    const known = await this.#numbers.number(wanted);
    const toArm: Placed[] = [];
    const replaced: Placed[] = [];
    for (const [key, one] of known) {
      let placed = this.#placed.get(key);
      if (placed && placed.number !== one.number) {
        replaced.push(placed);
        placed = undefined;
      }
      if (!placed) {
        placed = { ...one, verdict: null, policy: usualCompiled };
        if (placed.number >= maxTraced) placed.verdict = refusedFor('poolFull');
        this.#placed.set(key, placed);
      }
      if (mayBeArmed(placed.verdict)) toArm.push(placed);
    }
    await this.#disarm(replaced);
    await this.#remove(known);
    const compiled = compiledFor(known, policies);
    await this.#setPolicies(known.keys(), compiled);
    await this.#setRecording(compiled);
    await this.#arm(toArm);
    const verdicts = new Map<string, Verdict>();
    for (const key of known.keys()) {
      const verdict = this.#placed.get(key)?.verdict;
      if (verdict) verdicts.set(key, verdict);
    }
    return verdicts;
  }

  async #setPolicies(
    keys: Iterable<string>,
    policies: ReadonlyMap<string, CompiledPolicy>,
  ): Promise<void> {
    const changed: Placed[] = [];
    for (const key of keys) {
      const placed = this.#placed.get(key);
      const policy = policies.get(key) ?? usualCompiled;
      if (!placed || isSamePolicy(placed.policy, policy)) continue;
      placed.policy = policy;
      changed.push(placed);
    }
    if (changed.length === 0) return;
    // A trigger that found no room would leave the recording as it is for good.
    const isTrigger = ({ policy: { start, stop } }: Placed): boolean =>
      start !== null || stop !== null;
    const sorted = [
      ...changed.filter(isTrigger),
      ...changed.filter((placed) => !isTrigger(placed)),
    ];
    const table = encodePolicyTable(sorted);
    const { refused } = await this.#link.call<{ refused: number }>(
      'policies',
      [sorted.length],
      table,
    );
    if (refused > 0) this.#onNote(refusedPolicies(refused));
  }

  /** Recording begins on, unless a call is to start it; what triggers said before holds while they stay. */
  async #setRecording(policies: ReadonlyMap<string, CompiledPolicy>): Promise<void> {
    const named = [...policies].filter(([, { start, stop }]) => start !== null || stop !== null);
    const triggers = named.map(
      ([key, { start, stop }]) => `${key} ${start?.join()} ${stop?.join()}`,
    );
    const text = triggers.toSorted().join(';');
    if (text === this.#triggers) return;
    this.#triggers = text;
    await this.#link.call<null>('recording', [!named.some(([, { start }]) => start !== null)]);
  }

  async #remove(wanted: ReadonlyMap<string, unknown>): Promise<void> {
    const gone: Placed[] = [];
    for (const [key, placed] of this.#placed) {
      if (!wanted.has(key)) gone.push(placed);
    }
    await this.#disarm(gone);
  }

  async #disarm(candidates: readonly Placed[]): Promise<void> {
    const gone = candidates.filter(({ verdict }) => verdict?.kind === 'hooked');
    if (gone.length === 0) return;
    await this.#link.call('disarm', [gone.map((placed) => placed.number)]);
    for (const placed of gone) placed.verdict = null;
  }

  async #arm(candidates: readonly Placed[]): Promise<void> {
    const rows: ArmRow[] = [];
    const armed: Placed[] = [];
    for (const placed of candidates) {
      const address = this.#addressIn(placed.fn.unit, placed.fn.offset);
      const refusal = this.#refuse(placed.fn);
      if (refusal !== null) placed.verdict = refusedFor(refusal);
      else if (isSpecial(placed.fn.linkageName)) placed.verdict = refusedFor('special');
      else if (placed.fn.isForeign) placed.verdict = refusedFor('convention');
      else if (isOfSanitizer(placed.fn.linkageName)) {
        placed.verdict = refusedFor('sanitizer');
      } else if (placed.fn.room !== null && placed.fn.room < replacedBytes) {
        // Where it ends before, the engine might take the next one's first instructions for padding.
        const isShort = placed.fn.size <= placed.fn.room;
        placed.verdict = refusedFor(isShort ? 'tooShort' : 'overlaps');
      } else if (placed.plan.stackBytes > 256 && !placed.fn.opensStack) {
        placed.verdict = refusedFor('stackArgumentsTooLarge');
      } else if (address === null) {
        placed.verdict = { kind: 'pending', waitsFor: placed.fn.unit };
      } else {
        const { size, room: next } = placed.fn;
        rows.push({ address, size, next, number: placed.number, plan: placed.plan });
        armed.push(placed);
      }
    }
    if (rows.length === 0) return;
    await this.#searchCallers(armed);
    await this.#steps.send();
    const table = encodeArmTable(rows, this.#numbers.stringBytes);
    const { codes } = await this.#link.call<{ codes: number[] }>('arm', [rows.length], table);
    for (const [index, placed] of armed.entries()) {
      const code = verdictCodes[codes[index] ?? -1];
      if (code === undefined)
        throw new Error(`The engine answered an unknown verdict ${String(codes[index])}.`);
      placed.verdict = code === 'hooked' ? { kind: 'hooked' } : refusedFor(code);
    }
    this.#noteEntries(armed);
  }

  #noteEntries(armed: readonly Placed[]): void {
    const open = armed.filter(({ fn, verdict }) => fn.opensStack && verdict?.kind === 'hooked');
    const [first] = open;
    if (!first || this.#hasNoted) return;
    this.#hasNoted = true;
    this.#onNote(entriesOnly(first.fn.name, open.length));
  }

  async #searchCallers(armed: readonly Placed[]): Promise<void> {
    const units = [...new Set(armed.map(({ fn }) => fn.unit))].filter(
      (unit) => !this.#searched.has(unit),
    );
    if (units.length === 0) return;
    await this.#link.call<null>('callers', [units]);
    for (const unit of units) this.#searched.add(unit);
  }
}
