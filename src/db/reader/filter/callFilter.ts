import { StrobeError } from '../../../model/errors.ts';
import { parseCallId, type CallId } from '../../../model/ids.ts';
import type { ArgumentFilter, CallFilter } from '../../../model/questions/query.ts';
import type { TracedThread, TracedFunction } from '../../../model/eventColumns.ts';
import type { ValueType } from '../../../model/values/valueType.ts';
import { checkArgument } from './knownArguments.ts';
import { fileTest, functionTest, nameTest } from './textFilter.ts';
import type { SessionTables } from '../sessionTables.ts';
import { callsBelow, type CallSet } from './subtree.ts';
import { dotted, hasPath } from './valuePath.ts';
import { watchedCalls } from './watchedFilter.ts';
import { mayMeet, planWhere, whereMeansNothing, type WherePlan } from './whereFilter.ts';
import { wordsOf } from './words.ts';

/** A filter made ready for one session. What is null or empty does not restrict. */
export interface CallPlan {
  /** 1 for the functions that may appear. */
  functions: Uint8Array | null;
  threads: Set<number> | null;
  timeFrom: number;
  timeTo: number;
  minDurationNs: number;
  /** A call has to be in all of them. */
  sets: CallSet[];
  arguments: readonly ArgumentFilter[];
  returnValue: NonNullable<CallFilter['returnValue']> | null;
  text: TextPlan | null;
  where: WherePlan | null;
  /** By thread. */
  strands: ((thread: number) => ReadonlySet<number>) | null;
  pid: number | null;
  /** False when a filter was given that only calls can pass. */
  takesOutput: boolean;
}

export interface TextPlan {
  readonly words: readonly string[];
  /** 1 for the functions whose name fits. */
  readonly names: Uint8Array;
  /** 1 for the functions that return text. */
  readonly returning: Uint8Array;
  /** Strings that fit; null: too many to list. */
  readonly strings: ReadonlySet<number> | null;
}

interface Surroundings {
  readonly tables: SessionTables;
  readonly until: number;
}

type Filters = Required<CallFilter>;
type Clauses = {
  readonly [K in keyof Filters]: (wanted: Filters[K], plan: CallPlan, around: Surroundings) => void;
};

/** How each filter restricts calls. A filter without an entry does not compile. */
const clauses: Clauses = {
  function: (wanted, plan, { tables }) => {
    restrictFunctions(plan, tables.functionsThat(functionTest(wanted)));
  },
  sourceFile: (wanted, plan, { tables }) => {
    restrictFunctions(plan, tables.functionsThat(fileTest(wanted)));
  },
  returnValue: (wanted, plan, { tables }) => {
    restrictFunctions(
      plan,
      tables.functionsThat((fn) => fn.returns.kind !== 'void'),
    );
    plan.returnValue = wanted;
  },
  argument: (wanted, plan, { tables }) => {
    if (wanted.length === 0) return;
    for (const filter of wanted) checkArgument(filter, tables);
    const has = (fn: TracedFunction): boolean =>
      wanted.every((filter) => fn.captured.some((_parameter, i) => isMeant(filter, fn, i)));
    restrictFunctions(plan, tables.functionsThat(has));
    plan.arguments = wanted;
  },
  where: (wanted, plan, { tables }) => {
    const where = planWhere(wanted, tables);
    const passes = tables.functionsThat((fn) => mayMeet(where, fn));
    if (tables.functions.length > 0 && !passes.includes(1)) throw whereMeansNothing(wanted);
    restrictFunctions(plan, passes);
    plan.where = where;
  },
  watched: (wanted, plan, { tables, until }) => {
    plan.sets.push(watchedCalls(tables, wanted, until));
    plan.takesOutput = false;
  },
  threadId: (wanted, plan, { tables }) => {
    restrictThreads(plan, tables, (thread) => thread.tid === wanted);
    plan.takesOutput = false;
  },
  threadName: (wanted, plan, { tables }) => {
    const test = nameTest('threadName', wanted);
    restrictThreads(plan, tables, (thread) => test(thread.name));
    plan.takesOutput = false;
  },
  strand: (wanted, plan, { tables }) => {
    const known = new Map<number, ReadonlySet<number>>();
    plan.strands = (thread) => {
      const numbers = known.get(thread) ?? tables.strandsNamed(thread, wanted);
      known.set(thread, numbers);
      return numbers;
    };
    plan.takesOutput = false;
  },
  pid: (wanted, plan, { tables }) => {
    restrictThreads(plan, tables, (thread) => thread.pid === wanted);
    plan.pid = wanted;
  },
  minDurationNs: (wanted, plan) => {
    plan.minDurationNs = wanted;
    plan.takesOutput = false;
  },
  text: (wanted, plan, { tables }) => {
    const words = wordsOf(wanted);
    if (words.length === 0) {
      throw new StrobeError('BAD_PARAMETER', `text "${wanted}" holds no letter or digit.`);
    }
    const names = tables.functionsThat((fn) => nameFits(fn, wanted, words));
    const returning = tables.functionsThat((fn) => holdsText(fn.returns));
    plan.text = { words, names, returning, strings: tables.stringsWith(words) };
    const mayFit = tables.functionsThat((fn) => names[fn.number] === 1 || hasStrings(fn));
    plan.functions = both(plan.functions, mayFit);
  },
  within: (wanted, plan, around) => restrictToCalls(wanted, plan, around, false),
  parent: (wanted, plan, around) => restrictToCalls(wanted, plan, around, true),
  timeFrom: (wanted, plan) => {
    plan.timeFrom = wanted;
  },
  timeTo: (wanted, plan) => {
    plan.timeTo = wanted;
  },
  lines: () => {}, // Without it they are left out: see planFilter.
};

/** Throws StrobeError (BAD_PARAMETER, BAD_REGEX, BAD_PATTERN) for what cannot be answered. */
export function planFilter(filter: CallFilter, tables: SessionTables, until: number): CallPlan {
  const plan: CallPlan = {
    functions: null,
    threads: null,
    timeFrom: 0,
    timeTo: Number.POSITIVE_INFINITY,
    minDurationNs: 0,
    sets: [],
    arguments: [],
    returnValue: null,
    text: null,
    where: null,
    strands: null,
    pid: null,
    takesOutput: true,
  };
  for (const key of Object.keys(filter)) {
    if (!isFilter(key)) throw new StrobeError('BAD_PARAMETER', `"${key}" is not a filter.`);
    applyClause(key, filter, plan, { tables, until });
  }
  if (filter.lines === undefined) {
    const others = tables.functionsThat(({ probe }) => probe?.line === undefined);
    // Numbers that are not known yet are none of lines.
    if (tables.functions.length > others.reduce((sum, one) => sum + one, 0))
      plan.functions = both(plan.functions, others);
  }
  plan.timeTo = Math.min(plan.timeTo, until);
  return plan;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- ties the clause to its filter.
function applyClause<K extends keyof Filters>(
  key: K,
  filter: Partial<Filters>,
  plan: CallPlan,
  around: Surroundings,
): void {
  const wanted: Partial<Filters>[K] = filter[key];
  if (wanted !== undefined) clauses[key](wanted, plan, around);
}

function isFilter(key: string): key is keyof CallFilter {
  return Object.hasOwn(clauses, key);
}

/** Whether the filter's answer for a call can change when the call ends. */
export function dependsOnEnd(filter: CallFilter): boolean {
  return (
    filter.minDurationNs !== undefined ||
    filter.returnValue !== undefined ||
    filter.where !== undefined ||
    filter.watched !== undefined ||
    filter.text !== undefined
  );
}

/** Whether an argument filter is about the i-th captured parameter. */
export function isMeant(filter: ArgumentFilter, fn: TracedFunction, i: number): boolean {
  const parameter = fn.captured[i];
  if (!parameter) return false;
  if (filter.index !== undefined && filter.index !== i) return false;
  if (filter.name === undefined || parameter.name === filter.name) return true;
  const path = pathIn(filter, fn, i);
  return path.length > 0 && hasPath(parameter.type, path);
}

/** What of the parameter's value a filter's name means: `order.price` → [price]; all of it → []. */
export function pathIn({ name }: ArgumentFilter, fn: TracedFunction, i: number): readonly string[] {
  const prefix = `${fn.captured[i]?.name}.`;
  const path = name === undefined ? '' : dotted(name);
  return path.startsWith(prefix) ? path.slice(prefix.length).split('.') : [];
}

function restrictFunctions(plan: CallPlan, passes: Uint8Array): void {
  plan.takesOutput = false;
  plan.functions = both(plan.functions, passes);
}

function both(known: Uint8Array | null, passes: Uint8Array): Uint8Array {
  return known ? passes.map((pass, i) => pass & (known[i] ?? 0)) : passes;
}

/** Whether calls of the function may hold captured strings. */
export function hasStrings(fn: TracedFunction): boolean {
  return holdsText(fn.returns) || fn.captured.some(({ type }) => holdsText(type));
}

/** Whether values of the type may hold text. */
export function holdsText({ kind }: ValueType): boolean {
  return kind === 'cstring' || kind === 'tree' || kind === 'dynamic';
}

function restrictThreads(
  plan: CallPlan,
  tables: SessionTables,
  test: (thread: TracedThread) => boolean,
): void {
  const passing = new Set<number>();
  for (const thread of tables.threads) {
    if ((plan.threads?.has(thread.key) ?? true) && test(thread)) passing.add(thread.key);
  }
  plan.threads = passing;
}

function restrictToCalls(
  wanted: CallId,
  plan: CallPlan,
  { tables, until }: Surroundings,
  directly: boolean,
): void {
  plan.takesOutput = false;
  const root = parseCallId(wanted);
  if (!root) {
    throw new StrobeError('BAD_PARAMETER', `"${wanted}" is not a call id.`, 'Ids look like c1.42.');
  }
  if (!tables.blocks.find(root.thread, root.ordinal)) throw unknownCall(wanted);
  plan.sets.push(callsBelow(tables.blocks, root, { directly, until }));
}

/** A call that an answer is to be about. */
export function unknownCall(id: string): StrobeError {
  return new StrobeError(
    'BAD_PARAMETER',
    `There is no call ${id}.`,
    'Ids come from the answers; a call may have gone since, with the oldest, by the limit of the session (events.maxPerSession).',
  );
}

function nameFits(fn: TracedFunction, text: string, words: readonly string[]): boolean {
  const whole = fn.signature.toLowerCase();
  if (whole.includes(text.toLowerCase())) return true;
  const present = wordsOf(whole);
  return words.every((start) => present.some((word) => word.startsWith(start)));
}
