import { functionKey } from '../../collector/native/functionNumbers.ts';
import type { CallPolicy } from '../../collector/native/callPolicy.ts';
import { compileCondition } from '../../collector/native/compileCondition.ts';
import { StrobeError } from '../../model/errors.ts';
import { parseExpression } from '../../model/expression.ts';
import type { FoundFunction, PatternMatch } from '../../model/foundFunction.ts';
import { parsePattern } from '../../model/pattern.ts';
import type { Problem } from '../../model/problem.ts';
import type { PatternReport, RefusedFunction, TraceReport } from '../../model/trace.ts';
import type { Verdict } from '../../model/verdict.ts';
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

const NO_MATCH: PatternMatch = { functions: [], inlined: [], nearest: [] };

/** A pattern parameter, given alone or with its module. */
export function patternRequest(wanted: string | PatternRequest): PatternRequest {
  return typeof wanted === 'string' ? { pattern: wanted } : wanted;
}

/** Throws BAD_PATTERN or BAD_EXPRESSION. */
export function checkPattern(request: PatternRequest): void {
  parsePattern(patternText(request));
  if (request.when !== undefined) parseExpression(request.when);
}

/** The text under which a pattern is listed and removed. */
export function patternText(request: PatternRequest): string {
  return request.module === undefined ? request.pattern : `${request.module}!${request.pattern}`;
}

/** The set of patterns a session wants, what they resolve to, and what became of each function. */
export class TraceState {
  readonly #patterns = new Map<string, ActivePattern>();
  #verdicts: ReadonlyMap<string, Verdict> = new Map();

  get texts(): string[] {
    return [...this.#patterns.keys()];
  }

  get requests(): PatternRequest[] {
    return [...this.#patterns.values()].map(({ request }) => request);
  }

  /** Adds patterns (a known one is resolved anew); unresolvable ones are kept with their problem. */
  async add(requests: readonly PatternRequest[], find: FindFunctions): Promise<void> {
    for (const request of requests) {
      const { match, problem } = await resolve(request, find);
      this.#patterns.set(patternText(request), { request, match, problem });
    }
  }

  /** Resolves all patterns again, after modules came or went. */
  async refresh(find: FindFunctions): Promise<void> {
    for (const active of this.#patterns.values()) {
      const { match, problem } = await resolve(active.request, find);
      active.match = match;
      active.problem = problem;
    }
  }

  /** Returns the functions the removed pattern had hooked alone; null when it was not active. */
  remove(text: string): number | null {
    const active = this.#patterns.get(text);
    if (!active) return null;
    this.#patterns.delete(text);
    const others = new Set(this.wanted().map(functionKey));
    return active.match.functions.filter(
      (fn) =>
        this.#verdicts.get(functionKey(fn))?.kind === 'hooked' && !others.has(functionKey(fn)),
    ).length;
  }

  /** Every distinct function some pattern wants. */
  wanted(): FoundFunction[] {
    const found = new Map<string, FoundFunction>();
    for (const { match } of this.#patterns.values()) {
      for (const fn of match.functions) found.set(functionKey(fn), fn);
    }
    return [...found.values()];
  }

  /** By `functionKey`: which calls are recorded where a pattern says so; the last one wins. */
  policies(): ReadonlyMap<string, CallPolicy> {
    const found = new Map<string, CallPolicy>();
    for (const { match, request } of this.#patterns.values()) {
      const policyFor = policiesOf(request);
      for (const fn of match.functions) found.set(functionKey(fn), policyFor(fn).policy);
    }
    return found;
  }

  setVerdicts(verdicts: ReadonlyMap<string, Verdict>): void {
    this.#verdicts = verdicts;
  }

  summary(): HooksSummary {
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
    for (const { match } of this.#patterns.values())
      for (const fn of match.inlined) inlined.add(fn.name);
    return {
      patterns: this.texts,
      matched: wanted.length,
      hooked,
      inlined: inlined.size,
      refused,
      waiting,
    };
  }

  /** `added`: texts of this request; the other active patterns are reported as they are. */
  report(
    added: ReadonlySet<string>,
    rest: Pick<TraceReport, 'sessionId' | 'removed' | 'eventLimit' | 'tookMs' | 'warnings'>,
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
      matched: active.match.functions.length,
      hooked: hooked.length,
      shared,
      examples: hooked
        .slice(0, MAX_EXAMPLES)
        .map((fn) => ({ function: fn.name, file: fn.file, line: fn.line })),
      waiting: [...waiting].map(([module, functions]) => ({ module, functions })),
      inlined: active.match.inlined,
      refused,
      nearest: active.match.nearest,
      notes: unmet(active.match.functions, active.request),
      problem: active.problem,
    };
  }
}

/** No call meets it. */
const never = [1n, 0n];

/** What a pattern asks of the calls of a function; `why`: its condition means nothing there. */
function policiesOf({ sampling = 'auto', firstN = 0, when }: PatternRequest): (
  fn: FoundFunction,
) => {
  readonly policy: CallPolicy;
  readonly why: string | null;
} {
  const share = sampling === 'auto' ? 0 : sampling === 'off' ? 1 : Math.round(1 / sampling);
  const expression = when === undefined ? null : parseExpression(when);
  return (fn) => {
    const compiled = expression ? compileCondition(expression, fn) : { words: [] };
    const condition = 'words' in compiled ? compiled.words : never;
    const policy = { every: share, first: firstN, condition };
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
  warnings: readonly string[],
): TraceReport {
  return {
    mode: 'pending',
    sessionId: null,
    patterns: requests.map((request) => ({
      pattern: patternText(request),
      state: 'staged',
      matched: 0,
      hooked: 0,
      shared: 0,
      examples: [],
      waiting: [],
      inlined: [],
      refused: [],
      nearest: [],
      notes: [],
      problem: null,
    })),
    removed,
    hookedFunctions: 0,
    matchedFunctions: 0,
    eventLimit: null,
    tookMs: null,
    warnings,
  };
}
