import type { FoundStatement } from '../../../model/functions/foundStatement.ts';
import type { ThreadFilter } from '../../../model/probes/probe.ts';
import type { Verdict } from '../../../model/functions/traceable.ts';
import { refusals, verdictCodes, type RefusalCode } from '../../../protocol/refusals.ts';
import type { FunctionNumbers } from '../functionNumbers.ts';
import type { HooksLink } from '../hooksLink.ts';
import type { SentWalks } from '../sentWalks.ts';
import type { WatchProgram } from '../watches/compileWatch.ts';
import { encodeWatch, placedWords, type WatchSurroundings } from '../watches/watchTable.ts';
import { encodeProbeTable, encodeStatement, type ProbeRow } from './probeTable.ts';

/** A breakpoint at one statement, the same in every process. */
export interface PlacedProbe {
  readonly number: number;
  /** Null: it is asked where the calls of a function return, which a watch says (returnChecks.ts). */
  readonly statement: FoundStatement | null;
  readonly condition: Pick<WatchProgram, 'words' | 'fixups'> | null;
  readonly values: readonly WatchProgram[];
  readonly hasVectors: boolean;
  readonly gathered: ProbeRow['gathered'];
  readonly after: number;
  readonly every: number;
  readonly most: number;
  /** Of an invariant: the number of what all its places share. */
  readonly check: number | null;
  readonly thread: ThreadFilter;
}

/** A statement without place for a jump: a thread that comes to its address runs the island, which leads back behind it. */
export interface Trap {
  readonly address: bigint;
  readonly island: bigint;
}

export interface ProbedNow {
  /** By number; of one that a trap leads to: that its island stands. */
  readonly verdicts: ReadonlyMap<number, Verdict>;
  readonly traps: readonly Trap[];
  /** By number: the address of the trap that leads to it. */
  readonly trapped: ReadonlyMap<number, bigint>;
}

interface Known {
  readonly probe: PlacedProbe;
  verdict: Verdict | null;
}

/** Refusals that are of the jump's five bytes: one byte may be replaced, also where a stop has done so. */
const ofJumps: ReadonlySet<string> = new Set<RefusalCode>([
  'branchIntoPrologue',
  'tooShort',
  'unsupportedInstruction',
  'overlaps',
  'noPlace',
  'breakpoint',
]);

/** Keeps the patched statements of one process equal to a wanted set. */
export class ProcessProbes {
  readonly #link: HooksLink;
  readonly #numbers: FunctionNumbers;
  readonly #image: string;
  readonly #baseOf: (path: string) => string | null;
  readonly #known = new Map<number, Known>();
  readonly #steps: SentWalks;
  #turn: Promise<unknown> = Promise.resolve();
  #hasTraps = false;
  readonly #mayTrap: boolean;
  readonly #refuse: (statement: FoundStatement) => RefusalCode | null;

  constructor(options: {
    readonly link: HooksLink;
    readonly numbers: FunctionNumbers;
    readonly steps: SentWalks;
    /** The ELF file the process runs. */
    readonly image: string;
    /** The address of a file in memory, hexadecimal; null: it is not loaded. */
    readonly baseOf: (path: string) => string | null;
    /** Islands without a jump are of use. */
    readonly mayTrap: boolean;
    /** Why a statement must not be patched in this process; absent: all may be. */
    readonly refuse?: (statement: FoundStatement) => RefusalCode | null;
  }) {
    this.#link = options.link;
    this.#numbers = options.numbers;
    this.#steps = options.steps;
    this.#image = options.image;
    this.#baseOf = options.baseOf;
    this.#mayTrap = options.mayTrap;
    this.#refuse = options.refuse ?? (() => null);
  }

  moduleUnloaded(path: string): void {
    for (const known of this.#known.values())
      if (known.probe.statement?.module === path) known.verdict = null;
  }

  /** Statements of the module are patched now. */
  isIn(path: string): boolean {
    const all = [...this.#known.values()];
    return all.some(
      ({ probe, verdict }) => probe.statement?.module === path && verdict?.kind === 'hooked',
    );
  }

  /** One at a time. */
  async set(probes: readonly PlacedProbe[]): Promise<ProbedNow> {
    const turn = this.#turn.then(
      () => this.#apply(probes),
      () => this.#apply(probes),
    );
    this.#turn = turn;
    return turn;
  }

  async #apply(probes: readonly PlacedProbe[]): Promise<ProbedNow> {
    const wanted = new Set(probes.map(({ number }) => number));
    const gone = [...this.#known.keys()].filter((number) => !wanted.has(number));
    const hooked = gone.filter((number) => {
      const known = this.#known.get(number);
      return known?.probe.statement && known.verdict?.kind === 'hooked';
    });
    if (hooked.length > 0) await this.#link.call('disarm', [hooked]);
    for (const number of gone) this.#known.delete(number);
    // One among the instructions that a jump before it replaced rides on that.
    const fresh = probes
      .filter(({ number }) => this.#known.get(number)?.verdict?.kind !== 'hooked')
      .toSorted((a, b) => (a.statement?.offset ?? 0) - (b.statement?.offset ?? 0));
    await this.#arm(fresh);
    const all = [...this.#known.values()];
    if (this.#mayTrap) await this.#armTraps(all.filter(isWithoutPlace));
    const traps = this.#hasTraps ? await this.#traps() : [];
    const addresses = new Set(traps.map(({ address }) => address));
    return {
      verdicts: new Map(
        all.flatMap(({ probe, verdict }) => (verdict ? [[probe.number, verdict]] : [])),
      ),
      traps,
      trapped: new Map(
        all.flatMap(({ probe }) => {
          const address = this.#addressOf(probe);
          return address !== null && addresses.has(address) ? [[probe.number, address]] : [];
        }),
      ),
    };
  }

  #addressOf({ statement }: PlacedProbe): bigint | null {
    const base = statement && this.#baseOf(statement.module);
    return base === null ? null : BigInt(base) + BigInt(statement?.offset ?? 0);
  }

  /** Those that cannot be had stay refused for what the jump lacked. */
  async #armTraps(all: readonly Known[]): Promise<void> {
    const rows = all.flatMap((known) => {
      const { statement, number } = known.probe;
      const base = statement && this.#baseOf(statement.module);
      const row = base && encodeStatement(statement, number, BigInt(base), true);
      return row ? [{ known, row }] : [];
    });
    if (rows.length === 0) return;
    const codes = await this.#armRows(rows.map(({ row }) => row));
    for (const [i, { known }] of rows.entries()) {
      if (codes[i] !== 0) continue;
      known.verdict = { kind: 'hooked' };
      this.#hasTraps = true;
    }
  }

  async #traps(): Promise<Trap[]> {
    const { traps } = await this.#link.call<{ traps: { address: string; island: string }[] }>(
      'traps',
      [],
    );
    return traps.map(({ address, island }) => ({
      address: BigInt(`0x${address}`),
      island: BigInt(`0x${island}`),
    }));
  }

  async #armRows(rows: readonly Buffer[]): Promise<readonly number[]> {
    const table = Buffer.concat(rows);
    return (await this.#link.call<{ codes: number[] }>('arm', [rows.length], table)).codes;
  }

  async #arm(probes: readonly PlacedProbe[]): Promise<void> {
    const rows: ProbeRow[] = [];
    const statements: Buffer[] = [];
    const armed: Known[] = [];
    for (const probe of probes) {
      const known: Known = { probe, verdict: null };
      this.#known.set(probe.number, known);
      const { statement, number } = probe;
      const base = statement === null ? '0' : this.#baseOf(statement.module);
      if (statement !== null && base === null) {
        known.verdict = { kind: 'pending', waitsFor: statement.module };
        continue;
      }
      const code = statement && this.#refuse(statement);
      if (code) {
        known.verdict = { kind: 'refused', code, text: refusals[code] };
        continue;
      }
      const row = this.#rowOf(probe);
      const encoded = statement && encodeStatement(statement, number, BigInt(base ?? 0), false);
      if (row !== null && statement === null) {
        rows.push(row);
        known.verdict = { kind: 'hooked' };
        continue;
      }
      if (row === null || encoded === null) {
        const text =
          row === null
            ? 'a variable it names is not loaded'
            : 'its function is split into too many parts';
        known.verdict = { kind: 'refused', code: 'unsupportedInstruction', text };
        continue;
      }
      rows.push(row);
      statements.push(encoded);
      armed.push(known);
    }
    if (rows.length === 0) return;
    await this.#steps.send();
    await this.#link.call<null>('probes', [rows.length], encodeProbeTable(rows));
    if (statements.length === 0) return;
    const codes = await this.#armRows(statements);
    for (const [index, known] of armed.entries()) {
      const code = verdictCodes[codes[index] ?? -1] ?? 'unsupportedInstruction';
      known.verdict =
        code === 'hooked' ? { kind: 'hooked' } : { kind: 'refused', code, text: refusals[code] };
    }
  }

  /** Null: a variable that it names is in no file of this process. */
  #rowOf({
    number,
    condition,
    values,
    hasVectors,
    gathered,
    after,
    every,
    most,
    check,
    thread,
  }: PlacedProbe): ProbeRow | null {
    const around: WatchSurroundings = {
      image: this.#image,
      walkOf: (type) => this.#numbers.walkOf(type),
      addressIn: (module, offset) => {
        const base = this.#baseOf(module);
        return base === null ? null : BigInt(base) + BigInt(offset);
      },
    };
    const words = condition === null ? [] : placedWords(condition, around);
    const rows = values.map((program) => encodeWatch({ number: 0, program }, around));
    const known = rows.filter((row) => row !== null);
    if (words === null || known.length < rows.length) return null;
    return {
      number,
      condition: words,
      values: known,
      hasVectors,
      gathered,
      after,
      every,
      most,
      check,
      thread,
    };
  }
}

function isWithoutPlace({ verdict }: Known): boolean {
  return verdict?.kind === 'refused' && ofJumps.has(verdict.code);
}
