import { functionKey } from '../../collector/native/functionNumbers.ts';
import { usualPolicy, type CallPolicy } from '../../collector/native/callPolicy.ts';
import { compileCondition } from '../../collector/native/compileCondition.ts';
import { StrobeError } from '../../model/errors.ts';
import { parseExpression } from '../../model/watches/expression.ts';
import type { FoundFunction, PatternMatch } from '../../model/functions/foundFunction.ts';
import { parsePattern } from '../../model/names/pattern.ts';
import type { Problem } from '../../model/problem.ts';
import type {
  PatternReport,
  RefusedFunction,
  TraceReport,
} from '../../model/functions/hookReport.ts';
import type { Verdict } from '../../model/functions/verdict.ts';
import type { HooksSummary } from '../../model/session.ts';

const MAX_EXAMPLES = 50;

/** A pattern as it was asked for. `module` names the library it is limited to. */
export interface PatternRequest {
  readonly pattern: string;
  readonly module?: string;
  /** 1: with the fields of the objects that parameters point to. */
  readonly depth?: number;
  /** The share of calls to record; `auto` (default): all, unless they come too fast. */
  readonly sampling?: 'auto' | 'off' | number;
  /** A condition (model/expression) that calls must meet to be recorded. */
  readonly when?: string;
  /** Only the first so many calls of each function are recorded. */
  readonly firstN?: number;
  /** Only calls that take so long are recorded, ns. */
  readonly minDurationNs?: number;
  /** Only so many levels of nested calls are recorded. */
  readonly maxDepth?: number;
  /** A call of it (that meets `when`) starts the recording of its process, or stops it. */
  readonly trigger?: 'start' | 'stop';
}

/** Finds functions by pattern in the target's modules. */
export type FindFunctions = (
  request: PatternRequest,
) => Promise<{ match: PatternMatch; problem: Problem | null }>;

interface ActivePattern {
  readonly request: PatternRequest;
  match: PatternMatch;
  problem: Problem | null;
}

const NO_MATCH: PatternMatch = {
  functions: [],
  inlined: [],
  moreInlined: 0,
  leftOut: [],
  nearest: [],
  notes: [],
};

/** A pattern parameter, given alone or with its module. `depth`: where it has none of its own. */
export function patternRequest(wanted: string | PatternRequest, depth?: number): PatternRequest {
  const request = typeof wanted === 'string' ? { pattern: wanted } : wanted;
  return depth === undefined || request.depth !== undefined ? request : { ...request, depth };
}

/** Throws BAD_PATTERN or BAD_EXPRESSION. */
export function checkPattern(request: PatternRequest): void {
  parsePattern(patternText(request));
  if (request.when !== undefined) parseExpression(request.when);
  if (request.trigger === undefined) return;
  const { sampling, firstN, minDurationNs, maxDepth } = request;
  const others = Object.entries({ sampling, firstN, minDurationNs, maxDepth });
  const [other] = others.find(([, value]) => value !== undefined) ?? [];
  if (other === undefined) return;
  throw new StrobeError(
    'BAD_PATTERN',
    `"${request.pattern}" has trigger and ${other}: which calls of it are recorded is no part of a trigger.`,
    `Leave ${other} out, or add the function a second time without trigger.`,
  );
}

/** What a pattern names. */
export function patternText(request: PatternRequest): string {
  return request.module === undefined ? request.pattern : `${request.module}!${request.pattern}`;
}

/** The text under which a pattern is listed and removed. */
export function listedText(request: PatternRequest): string {
  const text = patternText(request);
  return request.trigger === undefined ? text : `${request.trigger} ${text}`;
}

/** What triggers mean for what is recorded; null without any. */
export function triggerNote(requests: readonly PatternRequest[]): string | null {
  const of = (which: 'start' | 'stop'): string =>
    requests
      .filter(({ trigger }) => trigger === which)
      .map(({ pattern, when }) => (when === undefined ? pattern : `${pattern} (${when})`))
      .join(', ');
  const [start, stop] = [of('start'), of('stop')];
  if (start === '' && stop === '') return null;
  const begins = start === '' ? 'are recorded' : `are recorded from a call of ${start} on`;
  const ends = stop === '' ? '' : ` until a call of ${stop}`;
  return `Calls ${begins}${ends}, in each process by itself; others are neither recorded nor counted.`;
}

/** The set of patterns a session wants, what they resolve to, and what became of each function. */
export class TraceState {
  readonly #patterns = new Map<string, ActivePattern>();
  #expected: readonly PatternRequest[] = [];
  #verdicts: ReadonlyMap<string, Verdict> = new Map();
  /** What was last worked out of the two above, until they change. */
  #wanted: readonly FoundFunction[] | null = null;
  #summary: HooksSummary | null = null;

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
    return {
      [Symbol.dispose]: () => {
        this.#expected = this.#expected.filter((each) => !requests.includes(each));
      },
    };
  }

  /** Adds patterns (a known one is resolved anew); unresolvable ones are kept with their problem. */
  async add(requests: readonly PatternRequest[], find: FindFunctions): Promise<void> {
    for (const request of requests) {
      const { match, problem } = await resolve(request, find);
      this.#patterns.set(listedText(request), { request, match, problem });
      this.#changed();
    }
  }

  /** Resolves all patterns again, after modules came or went. */
  async refresh(find: FindFunctions): Promise<void> {
    for (const active of this.#patterns.values()) {
      const { match, problem } = await resolve(active.request, find);
      active.match = match;
      active.problem = problem;
      this.#changed();
    }
  }

  /** Returns the functions the removed pattern had hooked alone; null when it was not active. */
  remove(text: string): number | null {
    const active = this.#patterns.get(text);
    if (!active) return null;
    this.#patterns.delete(text);
    this.#changed();
    const others = new Set(this.wanted().map(functionKey));
    return active.match.functions.filter(
      (fn) =>
        this.#verdicts.get(functionKey(fn))?.kind === 'hooked' && !others.has(functionKey(fn)),
    ).length;
  }

  /** Every distinct function some pattern wants. */
  wanted(): readonly FoundFunction[] {
    this.#wanted ??= this.#findWanted();
    return this.#wanted;
  }

  #findWanted(): FoundFunction[] {
    const found = new Map<string, FoundFunction>();
    for (const { match } of this.#patterns.values()) {
      for (const fn of match.functions) found.set(functionKey(fn), fn);
    }
    return [...found.values()];
  }

  /** By `functionKey`: which calls are recorded where a pattern says so; the last one wins. */
  policies(): ReadonlyMap<string, CallPolicy> {
    const found = new Map<string, CallPolicy>();
    const all = [...this.#patterns.values()];
    for (const { match, request } of all.filter((one) => one.request.trigger === undefined)) {
      const policyFor = policiesOf(request);
      for (const fn of match.functions) found.set(functionKey(fn), policyFor(fn).policy);
    }
    for (const { match, request } of all.filter((one) => one.request.trigger !== undefined)) {
      const policyFor = policiesOf(request);
      for (const fn of match.functions) {
        const key = functionKey(fn);
        const { trigger = 'start' } = request;
        const { condition } = policyFor(fn).policy;
        found.set(key, { ...(found.get(key) ?? usualPolicy), [trigger]: condition });
      }
    }
    return found;
  }

  /** By `functionKey`. */
  hooked(): ReadonlySet<string> {
    const keys = this.wanted().map(functionKey);
    return new Set(keys.filter((key) => this.#verdicts.get(key)?.kind === 'hooked'));
  }

  setVerdicts(verdicts: ReadonlyMap<string, Verdict>): void {
    this.#verdicts = verdicts;
    this.#summary = null;
  }

  summary(): HooksSummary {
    this.#summary ??= this.#sum();
    return this.#summary;
  }

  #changed(): void {
    this.#wanted = null;
    this.#summary = null;
  }

  #sum(): HooksSummary {
    let hooked = 0;
    let refused = 0;
    let waiting = 0;
    const wanted = this.wanted();
    for (const fn of wanted) {
      const verdict = this.#verdicts.get(functionKey(fn));
      if (verdict?.kind === 'hooked') hooked++;
      else if (verdict?.kind === 'refused') refused++;
      else waiting++;
    }
    const inlined = new Set<string>();
    const leftOut = new Set<string>();
    let moreInlined = 0;
    for (const { match } of this.#patterns.values()) {
      for (const fn of match.leftOut) leftOut.add(functionKey(fn));
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
    };
  }

  /** `added`: texts of this request; the other active patterns are reported as they are. */
  report(
    added: ReadonlySet<string>,
    rest: Pick<
      TraceReport,
      'sessionId' | 'removed' | 'watches' | 'eventLimit' | 'tookMs' | 'warnings'
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
    const hooked: FoundFunction[] = [];
    const refused: RefusedFunction[] = [];
    const waiting = new Map<string, number>();
    let shared = 0;
    for (const fn of active.match.functions) {
      const key = functionKey(fn);
      const verdict = this.#verdicts.get(key);
      if (verdict?.kind === 'hooked') {
        hooked.push(fn);
        if (seen.has(key)) shared++;
        seen.add(key);
      } else if (verdict?.kind === 'refused') {
        refused.push({
          function: fn.name,
          file: fn.file,
          line: fn.line,
          reason: verdict.reason,
          instead: [],
        });
      } else waiting.set(fn.module, (waiting.get(fn.module) ?? 0) + 1);
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
      notes: [...active.match.notes, ...unmet(active.match.functions, active.request)],
      problem: active.problem,
    };
  }
}

/** No call meets it. */
const never = [1n, 0n];

/** What a pattern asks of the calls of a function; `why`: its condition means nothing there. */
function policiesOf({
  sampling = 'auto',
  firstN = 0,
  minDurationNs = 0,
  maxDepth = 0,
  when,
}: PatternRequest): (fn: FoundFunction) => {
  readonly policy: CallPolicy;
  readonly why: string | null;
} {
  const share = sampling === 'auto' ? 0 : sampling === 'off' ? 1 : Math.round(1 / sampling);
  const expression = when === undefined ? null : parseExpression(when);
  return (fn) => {
    const compiled = expression ? compileCondition(expression, fn) : { words: [] };
    const condition = 'words' in compiled ? compiled.words : never;
    const limits = { leastNs: minDurationNs, depth: maxDepth };
    const policy = { ...usualPolicy, every: share, first: firstN, ...limits, condition };
    return { policy, why: 'why' in compiled ? compiled.why : null };
  };
}

/** Functions in which the pattern's condition means nothing. */
function unmet(functions: readonly FoundFunction[], request: PatternRequest): string[] {
  if (request.when === undefined) return [];
  const policyFor = policiesOf(request);
  const reasons: string[] = [];
  for (const fn of functions) {
    const { why } = policyFor(fn);
    if (why !== null) reasons.push(`${fn.name}: ${why}`);
  }
  if (reasons.length === 0) return [];
  const all = reasons.length === functions.length ? 'all' : `${reasons.length} of`;
  return [
    `when "${request.when}" means nothing in ${all} ${functions.length} functions, whose calls are only counted; ${reasons[0]}`,
  ];
}

async function resolve(
  request: PatternRequest,
  find: FindFunctions,
): Promise<{ match: PatternMatch; problem: Problem | null }> {
  try {
    return await find(request);
  } catch (error) {
    if (!(error instanceof StrobeError)) throw error;
    const problem: Problem = {
      code: error.code,
      subject: patternText(request),
      detail: error.message,
    };
    return { match: NO_MATCH, problem };
  }
}

/** The answer for patterns that only wait for the next launch. */
export function stagedReport(
  requests: readonly PatternRequest[],
  removed: TraceReport['removed'],
  watches: TraceReport['watches'],
  warnings: readonly string[],
): TraceReport {
  return {
    mode: 'pending',
    sessionId: null,
    patterns: requests.map((request) => ({
      pattern: listedText(request),
      state: 'staged',
      matched: 0,
      hooked: 0,
      shared: 0,
      examples: [],
      waiting: [],
      inlined: [],
      moreInlined: 0,
      refused: [],
      leftOut: 0,
      nearest: [],
      notes: [],
      problem: null,
    })),
    removed,
    watches,
    hookedFunctions: 0,
    matchedFunctions: 0,
    eventLimit: null,
    tookMs: null,
    warnings,
  };
}
