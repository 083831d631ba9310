import { StrobeError } from '../../model/errors.ts';
import {
  usualPolicy,
  type CallPolicy,
  type NameRule,
  type PatternMatch,
  type RuntimeName,
  type Traceable,
  type Verdict,
} from '../../model/functions/traceable.ts';
import type { Expression } from '../../model/watches/expression.ts';
import type { Problem } from '../../model/problem.ts';
import type {
  PatternReport,
  RefusedFunction,
  TraceReport,
} from '../../model/functions/hookReport.ts';
import type { HooksSummary } from '../../model/session.ts';
import { conditionText, limitsText, listedText, type PatternRequest } from './patternRequest.ts';

const MAX_EXAMPLES = 50;

/** What the tracers know of a function before a process is asked. */
export interface KnownOfFunctions {
  /** Why a condition cannot be decided in it, as a clause; null: it can. */
  whyUndecided(when: Expression, fn: Traceable, atReturn: boolean): string | null;
  /** Why it cannot be hooked; null: it may be. */
  refusalOf(fn: Traceable): Verdict | null;
}

/** Finds functions by pattern in the target's modules. */
export type FindFunctions = (request: PatternRequest) => Promise<FoundFunctions>;

/** What a pattern means in a session's units. */
export interface FoundFunctions {
  readonly match: PatternMatch;
  readonly problem: Problem | null;
}

interface ActivePattern {
  readonly request: PatternRequest;
  match: PatternMatch;
  problem: Problem | null;
  /** By `id`: why its condition cannot be decided in a function; null: not worked out since it was resolved. */
  undecided: ReadonlyMap<string, string> | null;
}

/** The patterns of a session at some time, to go back to. */
export type KeptPatterns = ReadonlyMap<string, ActivePattern>;

/** A condition that means nothing in any function of its pattern. */
export interface UndecidedPattern {
  /** As it is listed. */
  readonly text: string;
  /** A whole sentence. */
  readonly why: string;
}

const NO_MATCH: PatternMatch = {
  functions: [],
  inlined: [],
  moreInlined: 0,
  leftOut: [],
  nearest: [],
  notes: [],
};

/** The set of patterns a session wants, what they resolve to, and what became of each function. */
export class TraceState {
  readonly #patterns = new Map<string, ActivePattern>();
  readonly #known: KnownOfFunctions;
  #expected: readonly PatternRequest[] = [];
  #verdicts: ReadonlyMap<string, Verdict> = new Map();
  /** What was last worked out of the two above, until they change. */
  #wanted: readonly Traceable[] | null = null;
  readonly #wantedOf = new Map<RuntimeName, readonly Traceable[]>();
  #wantedIds: ReadonlySet<string> | null = null;
  #hooked: ReadonlySet<string> | null = null;
  #policies: ReadonlyMap<string, CallPolicy> | null = null;
  #rules: readonly NameRule[] | null = null;
  #closed: string | null = null;
  #summary: HooksSummary | null = null;

  constructor(known: KnownOfFunctions) {
    this.#known = known;
  }

  get texts(): string[] {
    return [...this.#patterns.keys()];
  }

  /** As they were asked for, those that are not looked for yet, too. */
  get requests(): PatternRequest[] {
    const known = [...this.#patterns.values()].map(({ request }) => request);
    const unknown = this.#expected
      .map((each) => [listedText(each), each] as const)
      .filter(([text]) => !this.#patterns.has(text));
    return [...known, ...new Map(unknown).values()];
  }

  /** Patterns that will be added, until what is returned is disposed of. */
  expect(requests: readonly PatternRequest[]): Disposable {
    this.#expected = [...this.#expected, ...requests];
    this.#rules = null;
    return {
      [Symbol.dispose]: () => {
        this.#rules = null;
        this.#expected = this.#expected.filter((each) => !requests.includes(each));
      },
    };
  }

  /** Adds patterns (a known one is resolved anew); unresolvable ones are kept with their problem. */
  async add(requests: readonly PatternRequest[], find: FindFunctions): Promise<void> {
    for (const request of requests) {
      const { match, problem } = await resolve(request, find);
      this.#patterns.set(listedText(request), { request, match, problem, undecided: null });
      this.#changed();
    }
  }

  /** Of these patterns, those whose condition means nothing in any of their functions; whole sentences. */
  undecidedOf(requests: readonly PatternRequest[]): string[] {
    const texts = new Set(requests.map(listedText));
    return this.undecided()
      .filter(({ text }) => texts.has(text))
      .map(({ why }) => why);
  }

  /** Resolves all patterns again, after modules came or went. */
  async refresh(find: FindFunctions): Promise<void> {
    for (const active of this.#patterns.values()) {
      const { match, problem } = await resolve(active.request, find);
      active.match = match;
      active.problem = problem;
      active.undecided = null;
      this.#changed();
    }
  }

  /** Returns the functions the removed pattern had hooked alone; null when it was not active. */
  remove(text: string): number | null {
    const active = this.#patterns.get(text);
    if (!active) return null;
    this.#patterns.delete(text);
    this.#changed();
    const others = new Set(this.wanted().map((fn) => fn.id));
    return active.match.functions.filter(
      (fn) => this.#verdicts.get(fn.id)?.kind === 'hooked' && !others.has(fn.id),
    ).length;
  }

  kept(): KeptPatterns {
    return new Map([...this.#patterns].map(([text, active]) => [text, { ...active }]));
  }

  /** Of these patterns, back to what `kept` gave. */
  restore(kept: KeptPatterns, texts: Iterable<string>): void {
    for (const text of texts) {
      const active = kept.get(text);
      if (active) this.#patterns.set(text, active);
      else this.#patterns.delete(text);
    }
    this.#changed();
  }

  /** Conditions that mean nothing in any function of their pattern: those calls are recorded without one. */
  undecided(): UndecidedPattern[] {
    return [...this.#patterns].flatMap(([text, active]) => {
      if (!this.#isUndecided(active)) return [];
      const { match, request } = active;
      const [first = ''] = this.#whyUndecidedIn(active).values();
      const count = match.functions.length;
      const name = match.functions[0]?.name ?? text;
      const where = count === 1 ? `in ${name}` : `in any of the ${count} functions of ${text}`;
      const why =
        count === 1 && first.startsWith(`${name}: `) ? first.slice(name.length + 2) : first;
      const { asked } = request;
      const what = asked.trigger === undefined ? '' : `the ${asked.trigger} trigger's `;
      return [{ text, why: `${what}${conditionText(asked)} cannot be decided ${where}: ${why}.` }];
    });
  }

  /** Every distinct function some pattern wants. */
  wanted(): readonly Traceable[] {
    this.#wanted ??= this.#findWanted();
    return this.#wanted;
  }

  /** Those of a runtime: the same list as long as the same are wanted. */
  wantedOf(name: RuntimeName): readonly Traceable[] {
    const known = this.#wantedOf.get(name);
    if (known) return known;
    const list = this.wanted().filter(({ runtime }) => runtime === name);
    this.#wantedOf.set(name, list);
    return list;
  }

  #findWanted(): Traceable[] {
    const found = new Map<string, Traceable>();
    for (const { match } of this.#inOrder()) {
      for (const fn of match.functions) found.set(fn.id, fn);
    }
    return [...found.values()];
  }

  /** Triggers first: what other patterns say of a function counts for it. */
  #inOrder(): ActivePattern[] {
    const isTrigger = ({ request }: ActivePattern): boolean => request.asked.trigger !== undefined;
    const all = [...this.#patterns.values()];
    return [...all.filter(isTrigger), ...all.filter((one) => !isTrigger(one))];
  }

  /** By `id`: which calls are recorded where a pattern says so; the last one wins. */
  policies(): ReadonlyMap<string, CallPolicy> {
    this.#policies ??= this.#findPolicies();
    return this.#policies;
  }

  #findPolicies(): Map<string, CallPolicy> {
    const found = new Map<string, CallPolicy>();
    const all = [...this.#patterns.values()];
    for (const active of all.filter(({ request: { asked } }) => !asked.trigger)) {
      const { match, request } = active;
      const policy = policyOf(request);
      for (const fn of match.functions) {
        const when = this.#conditionIn(fn, active);
        const { whenReturn } = this.#isUndecided(active) ? { whenReturn: null } : request;
        // One object for all functions of a pattern without a condition: they may be many thousands.
        found.set(
          fn.id,
          when === null && whenReturn === null
            ? policy
            : { ...policy, when, ...(whenReturn === null ? {} : { whenReturn }) },
        );
      }
    }
    for (const active of all) {
      const { match, request } = active;
      const { trigger } = request.asked;
      if (trigger === undefined || this.#isUndecided(active)) continue;
      for (const fn of match.functions) {
        const when = this.#conditionIn(fn, active) ?? true;
        found.set(fn.id, { ...(found.get(fn.id) ?? usualPolicy), [trigger]: when });
      }
    }
    return found;
  }

  /** Of patterns that ask nothing of a call's values, which only known functions can be asked for. */
  rules(): readonly NameRule[] {
    this.#rules ??= this.#findRules();
    return this.#rules;
  }

  #findRules(): NameRule[] {
    return this.requests.flatMap((request) => {
      const { asked, pattern, when, whenReturn, invariant } = request;
      const asks = [when, whenReturn, invariant, asked.trigger ?? null];
      const { module, selection } = pattern;
      if (module !== null || selection.kind !== 'name' || asks.some((one) => one !== null))
        return [];
      const { tokens, parameters, lastWord } = selection.dotted;
      // A wildcard alone means what somebody wrote, not what a library makes of texts.
      if (parameters !== null || lastWord === '') return [];
      return [{ tokens, policy: policyOf(request) }];
    });
  }

  /** What cannot be decided in a function, no call of it meets; what cannot in any, is left out. */
  #conditionIn(fn: Traceable, active: ActivePattern): Expression | null {
    const { when } = active.request;
    if (!this.#whyUndecidedIn(active).has(fn.id)) return when;
    return this.#isUndecided(active) ? null : { kind: 'integer', value: 0n };
  }

  #whyUndecidedIn(active: ActivePattern): ReadonlyMap<string, string> {
    const { when, whenReturn } = active.request;
    if (when === null && whenReturn === null) return noReasons;
    active.undecided ??= new Map(
      active.match.functions.flatMap((fn) => {
        const why =
          (when && this.#known.whyUndecided(when, fn, false)) ??
          (whenReturn && this.#known.whyUndecided(whenReturn, fn, true));
        return why === null ? [] : [[fn.id, `${fn.name}: ${why}`] as const];
      }),
    );
    return active.undecided;
  }

  #isUndecided(active: ActivePattern): boolean {
    const { functions } = active.match;
    return functions.length > 0 && this.#whyUndecidedIn(active).size === functions.length;
  }

  /** By `id`. */
  hooked(): ReadonlySet<string> {
    this.#hooked ??= this.#findHooked();
    return this.#hooked;
  }

  /** By the verdicts: of thousands that are wanted few may have come. */
  #findHooked(): ReadonlySet<string> {
    this.#wantedIds ??= new Set(this.wanted().map(({ id }) => id));
    const hooked = new Set<string>();
    for (const [id, { kind }] of this.#verdicts)
      if (kind === 'hooked' && this.#wantedIds.has(id)) hooked.add(id);
    return hooked;
  }

  /** Why a function cannot be hooked, as the end of a sentence; null: it is, or it waits. */
  whyRefused(id: string): string | null {
    const verdict = this.#verdicts.get(id);
    return verdict?.kind === 'refused' ? verdict.text : null;
  }

  setVerdicts(verdicts: ReadonlyMap<string, Verdict>): void {
    this.#verdicts = verdicts;
    this.#summary = null;
    this.#hooked = null;
  }

  summary(): HooksSummary {
    this.#summary ??= this.#sum();
    return this.#summary;
  }

  #changed(): void {
    this.#wanted = null;
    this.#wantedIds = null;
    this.#policies = null;
    this.#rules = null;
    this.#summary = null;
    this.#hooked = null;
    this.#wantedOf.clear();
  }

  #sum(): HooksSummary {
    let hooked = 0;
    let refused = 0;
    let waiting = 0;
    const wanted = this.wanted();
    for (const fn of wanted) {
      const verdict = this.#verdicts.get(fn.id) ?? this.#known.refusalOf(fn);
      if (verdict?.kind === 'hooked') hooked++;
      else if (verdict?.kind === 'refused') refused++;
      else if (fn.unit !== this.#closed) waiting++;
    }
    const inlined = new Set<string>();
    const leftOut = new Set<string>();
    let moreInlined = 0;
    for (const { match } of this.#patterns.values()) {
      for (const id of match.leftOut) leftOut.add(id);
      for (const fn of match.inlined) inlined.add(fn.name);
      moreInlined += match.moreInlined;
    }
    return {
      patterns: this.texts,
      matched: wanted.length + leftOut.size,
      hooked,
      inlined: inlined.size + moreInlined,
      refused,
      leftOut: leftOut.size,
      waiting,
      ...this.#limits(),
    };
  }

  #limits(): Pick<HooksSummary, 'limits'> {
    const limits = [...this.#patterns.values()].flatMap((active) => {
      const asks = this.#isUndecided(active) ? '' : limitsText(active.request);
      return asks === '' ? [] : [{ pattern: active.request.pattern.text, asks }];
    });
    return limits.length > 0 ? { limits } : {};
  }

  /** The functions of this file are waited for no more: what runs it cannot be entered. */
  close(unit: string): void {
    this.#closed = unit;
    this.#summary = null;
  }

  /** `added`: texts of this request; the other active patterns are reported as they are. */
  report(
    added: ReadonlySet<string>,
    rest: Pick<
      TraceReport,
      | 'sessionId'
      | 'removed'
      | 'watches'
      | 'eventLimit'
      | 'tookMs'
      | 'warnings'
      | 'inside'
      | 'notDone'
    >,
  ): TraceReport {
    const seen = new Set<string>();
    const patterns: PatternReport[] = [];
    for (const [text, active] of this.#patterns) {
      patterns.push(this.#reportOne(text, active, added.has(text) ? 'added' : 'active', seen));
    }
    const { hooked, matched } = this.summary();
    return {
      mode: 'runtime',
      patterns,
      hookedFunctions: hooked,
      matchedFunctions: matched,
      ...rest,
    };
  }

  #reportOne(
    text: string,
    active: ActivePattern,
    state: 'added' | 'active',
    seen: Set<string>,
  ): PatternReport {
    const hooked: Traceable[] = [];
    const refused: RefusedFunction[] = [];
    const waiting = new Map<string, number>();
    let shared = 0;
    for (const fn of active.match.functions) {
      const key = fn.id;
      const verdict = this.#verdicts.get(key) ?? this.#known.refusalOf(fn);
      if (verdict?.kind === 'hooked') {
        hooked.push(fn);
        if (seen.has(key)) shared++;
        seen.add(key);
      } else if (verdict?.kind === 'refused') {
        refused.push({
          function: fn.name,
          file: fn.file,
          line: fn.line,
          code: verdict.code,
          reason: verdict.text,
          instead: [],
        });
      } else if (fn.unit !== this.#closed) waiting.set(fn.unit, (waiting.get(fn.unit) ?? 0) + 1);
    }
    return {
      pattern: text,
      state,
      matched: active.match.functions.length + active.match.leftOut.length,
      hooked: hooked.length,
      shared,
      examples: hooked
        .slice(0, MAX_EXAMPLES)
        .map((fn) => ({ function: fn.name, file: fn.file, line: fn.line })),
      waiting: [...waiting].map(([module, functions]) => ({ module, functions })),
      inlined: active.match.inlined,
      moreInlined: active.match.moreInlined,
      refused,
      leftOut: active.match.leftOut.length,
      nearest: active.match.nearest,
      notes: [...active.match.notes, ...this.#undecided(active)],
      problem: active.problem,
    };
  }

  /** Functions in which the pattern's condition means nothing. */
  #undecided(active: ActivePattern): string[] {
    const reasons = [...this.#whyUndecidedIn(active).values()];
    const { length } = active.match.functions;
    if (reasons.length === 0 || reasons.length === length) return [];
    return [
      `${conditionText(active.request.asked)} means nothing in ${reasons.length} of ${length} functions, whose calls are only counted; ${reasons[0]}`,
    ];
  }
}

const noReasons: ReadonlyMap<string, string> = new Map();

/** What a pattern asks of the calls of its functions, but for its condition. */
function policyOf({ asked }: PatternRequest): CallPolicy {
  const { sampling = 'auto', firstN = 0, minDurationNs = 0, maxDepth = 0 } = asked;
  const every = sampling === 'auto' ? 0 : sampling === 'off' ? 1 : Math.round(1 / sampling);
  return { ...usualPolicy, every, first: firstN, leastNs: minDurationNs, depth: maxDepth };
}

async function resolve(request: PatternRequest, find: FindFunctions): Promise<FoundFunctions> {
  try {
    return await find(request);
  } catch (error) {
    if (!(error instanceof StrobeError)) throw error;
    const problem: Problem = {
      code: error.code,
      subject: request.pattern.text,
      detail: error.message,
    };
    return { match: NO_MATCH, problem };
  }
}
