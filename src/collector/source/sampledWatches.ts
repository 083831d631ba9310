import { readFileSync } from 'node:fs';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import { eachPart, type Expression } from '../../model/watches/expression.ts';
import { readsSecret } from '../../model/watches/readsSecret.ts';
import {
  watchLabel,
  watchReport,
  type SampledAt,
  type WatchReport,
} from '../../model/watches/watch.ts';
import type { DefinedLanguage } from '../../model/functions/definition.ts';
import type { TracedNow, TracedSession, TracerSink, WantedWatch, WatchTracer } from '../tracer.ts';

/** Why a watch cannot be; a whole sentence. */
class Refused extends Error {}

/** What a watch means in a function, or why it means nothing there, as a clause. */
export type CompiledWatch<C> = { readonly code: C } | { readonly why: string };

/** A watch in one function. */
export interface SampledWatch<C> {
  readonly number: number;
  readonly at: SampledAt;
  readonly code: C;
}

/** By id of the function. */
export type WatchPlan<C> = ReadonlyMap<string, readonly SampledWatch<C>[]>;

/** A language whose values have no fixed addresses, and its programs in a session. `C`: what an expression becomes. */
export interface WatchedLanguage<C> {
  readonly name: string;
  readonly type: DefinedLanguage;
  /** Names that are no variables. */
  readonly constants: readonly string[];
  compile(expression: Expression, fn: SourceFunction, atReturn: boolean): CompiledWatch<C>;
  /** Whether a program of it runs. */
  any(): boolean;
  /** Has these sampled and no others, in one process or in all. */
  sample(plan: WatchPlan<C>, only?: number): Promise<void>;
}

/** Files in which a name is looked for. */
const MOST_FILES = 200;

/** The watches of one session in programs of one language. */
export class SampledWatches<C> implements WatchTracer<SourceFunction> {
  readonly #session: TracedSession;
  readonly #sink: TracerSink;
  readonly #language: WatchedLanguage<C>;
  readonly #numbers = new Map<string, number>();
  #isSampled = false;

  constructor(session: TracedSession, sink: TracerSink, language: WatchedLanguage<C>) {
    this.#session = session;
    this.#sink = sink;
    this.#language = language;
  }

  async apply(
    watches: readonly WantedWatch[],
    traced: TracedNow<SourceFunction>,
    only?: number,
  ): Promise<readonly WatchReport[]> {
    if (watches.length === 0 && !this.#isSampled) return [];
    const plan = new Map<string, SampledWatch<C>[]>();
    const reports: WatchReport[] = [];
    for (const watch of watches) {
      try {
        reports.push(await this.#sample(watch, traced, plan));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const nothing = { type: null, functions: 0, notes: [error.message] };
        reports.push(watchReport(watch.request, 'refused', nothing));
      }
    }
    this.#isSampled = plan.size > 0;
    await this.#language.sample(plan, only);
    return reports;
  }

  async #sample(
    watch: WantedWatch,
    traced: TracedNow<SourceFunction>,
    plan: Map<string, SampledWatch<C>[]>,
  ): Promise<WatchReport> {
    const { request, expression, on } = watch;
    const { expr = '', at = 'both' } = request;
    // Another runtime's report says more then.
    const { name } = this.#language;
    if (!this.#language.any()) throw new Refused(`No ${name} program runs.`);
    if (expression === null || at === 'write')
      throw new Refused(
        `Values of ${name} have no fixed address: watch an expression where calls begin and return ("at": "both").`,
      );
    this.#refuseSecret(expression);
    const functions = await traced.functions(on, 0);
    const meant = meantBy(expression, functions);
    const places: [SourceFunction, C][] = [];
    let why = '';
    for (const fn of meant) {
      const compiled = this.#language.compile(expression, fn, at !== 'enter');
      if ('code' in compiled) places.push([fn, compiled.code]);
      else why ||= `${expr} means nothing in ${fn.name}: ${compiled.why}.`;
    }
    if (places.length === 0 && why !== '') throw new Refused(why);
    refuseUnknown(expression, meant, this.#language.constants);
    const number = await this.#number(watch, isOfCall(expression, meant));
    for (const [{ id }, code] of places) {
      const known = plan.get(id) ?? [];
      plan.set(id, [...known, { number, at: sampledAt(expression, at), code }]);
    }
    const hooked = places.filter(([{ id }]) => traced.hooked.has(id)).length;
    const notes =
      hooked === 0
        ? ['It is sampled at traced calls, and none of its functions is hooked yet: add a pattern.']
        : [];
    const state = hooked > 0 ? 'active' : 'pending';
    return watchReport(request, state, { type: null, functions: hooked, notes });
  }

  #refuseSecret(expression: Expression): void {
    const isWhole = expression.kind === 'name' || expression.kind === 'member';
    const why = readsSecret(expression, this.#session.limits.secretNames, isWhole);
    if (why !== null) throw new Refused(`${why}.`);
  }

  async #number({ request }: WantedWatch, ofCall: boolean): Promise<number> {
    const label = watchLabel(request);
    const key = `${label}\0${request.expr ?? ''}\0${ofCall}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#sink.watchNumber();
    this.#numbers.set(key, number);
    const type = { kind: 'dynamic', language: this.#language.type } as const;
    await this.#sink.defineWatches([
      { number, label, expr: request.expr ?? '', type, isOfCall: ofCall },
    ]);
    return number;
  }
}

/** What is returned is known at the end alone. */
function sampledAt(expression: Expression, at: SampledAt): SampledAt {
  return namesOf(expression).has('return') ? 'return' : at;
}

/** A name that is a parameter of some functions means it in those. */
function meantBy(
  expression: Expression,
  functions: readonly SourceFunction[],
): readonly SourceFunction[] {
  const parameters = [...namesOf(expression)].filter((name) =>
    functions.some((fn) => fn.parameters.includes(name)),
  );
  return functions.filter((fn) => parameters.every((name) => fn.parameters.includes(name)));
}

/** Arguments and results are a call's own; what they have as attributes or elements is not. */
function isOfCall(expression: Expression, functions: readonly SourceFunction[]): boolean {
  const names = namesOf(expression);
  if (names.has('return')) return true;
  let hasParts = false;
  eachPart(expression, ({ kind }) => (hasParts ||= kind === 'member' || kind === 'index'));
  const isOne = (name: string): boolean =>
    name === 'args' || functions.some((fn) => fn.parameters.includes(name));
  return !hasParts && [...names].every(isOne);
}

/** A variable stands in the source of a function that sees it, or is a module's that is imported there. */
function refuseUnknown(
  expression: Expression,
  functions: readonly SourceFunction[],
  constants: readonly string[],
): void {
  const files = [...new Set(functions.map(({ file }) => file))];
  if (files.length === 0 || files.length > MOST_FILES) return;
  const isParameter = (name: string): boolean =>
    functions.some((fn) => fn.parameters.includes(name));
  const known = new Set(['return', 'args', ...constants]);
  for (const name of namesOf(expression)) {
    const first = name.split('::')[0] ?? name;
    if (known.has(first) || isParameter(first)) continue;
    const word = new RegExp(`(?<![\\w])${first}(?![\\w])`);
    if (files.some((file) => word.test(textOf(file)))) continue;
    throw new Refused(
      `No traced function sees a variable ${first}: it is no parameter of theirs, and does not stand in their files.`,
    );
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namesOf(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  eachPart(expression, (one) => {
    if (one.kind === 'name') names.add(one.name);
  });
  return names;
}
