import { eventKind, watchFlags, watchNumberBits } from '../../../model/eventColumns.ts';
import { nodeAction, nodeFlag } from '../../../protocol/nodeTracer.ts';
import { watchAt } from '../../../protocol/record.ts';
import { engine, engineWithTime, entered, returned } from './addon.ts';
import { getter, holder, isMet, unknown, valueOf, type Moment } from './expressionValue.ts';
import { identityOf } from './values/identities.ts';
import type { Plan, RewrittenModule } from './moduleHooks.ts';
import { giveNumber, look } from './plans.ts';
import { tellFields } from './values/privateFields.ts';
import { tellTest } from './tests.ts';
import {
  beginValues,
  putGetter,
  putPlainWord,
  putShared,
  putUnset,
  putValue,
  used,
} from './values/values.ts';

/** What the code of one module calls. */
export interface Hooks {
  readonly flags: Uint8Array;
  enter(index: number, ...values: readonly unknown[]): number;
  exit(call: number, result: unknown): void;
  raise(call: number, value: unknown): unknown;
  handled(call: number, value: unknown): void;
  awaits(call: number, value?: unknown): unknown;
  yields(call: number, value?: unknown): unknown;
  resumes(call: number, sent?: unknown): unknown;
  /** A class has private fields. */
  readonly fields: typeof tellFields;
}

/**
 * Open calls of this thread. A call is known by its place, from 1 on, which it gives back at its end; 0 is a call that
 * is not recorded.
 */
const MOST_OPEN = 1 << 20;
let next = new Int32Array(256);
let plans: (Plan | null)[] = [null];
/** Of each call what is so: bits of `callState`. */
let states = new Uint8Array(256);
const callState = {
  /** Its enter was recorded, or is waiting for its end. */
  taken: 1,
  /** It is suspended. */
  waits: 2,
} as const;
/** Arguments, where its end asks for them. */
let kept: (readonly unknown[] | null)[] = [null];
let free = 0;
let lastPlace = 0;

function takePlace(): number {
  if (free !== 0) {
    const found = free;
    free = next[found] ?? 0;
    return found;
  }
  if (lastPlace >= MOST_OPEN) return 0;
  if (++lastPlace >= next.length) grow();
  return lastPlace;
}

function grow(): void {
  const [wider, longer] = [new Int32Array(next.length * 2), new Uint8Array(next.length * 2)];
  wider.set(next);
  longer.set(states);
  [next, states] = [wider, longer];
}

function giveBack(call: number): void {
  plans[call] = null;
  next[call] = free;
  free = call;
}

/** What was thrown last, as long as nothing else has happened since. */
let raised: unknown;
let isRaised = false;

function begin(plan: Plan): number {
  const call = takePlace();
  if (call === 0) return 0;
  tellTest();
  plans[call] = plan;
  isRaised = false;
  return call;
}

function isTaken(call: number): boolean {
  return ((states[call] ?? 0) & callState.taken) !== 0;
}

function isWaiting(call: number): boolean {
  return ((states[call] ?? 0) & callState.waits) !== 0;
}

function setWaiting(call: number, isSo: boolean): void {
  states[call] = (isTaken(call) ? callState.taken : 0) | (isSo ? callState.waits : 0);
}

/** Of a call of which nothing is asked and whose values were written. */
function enterPlain(plan: Plan, call: number): void {
  const taken = entered(plan.number, call, used);
  states[call] = taken;
  if (taken === 0) plan.isSampled = true;
}

/** Whether no more of a call is recorded than that it is counted, which is asked before its values are written. */
function isLeftOut(plan: Plan, call: number): boolean {
  if (engine(nodeAction.begins, eventKind.enter, plan.number, call, 0) !== 0) return false;
  states[call] = 0;
  return true;
}

function enterSampled(plan: Plan, call: number): void {
  states[call] = callState.taken;
  engine(nodeAction.records, eventKind.enter, plan.number, call, used);
}

/* ── functions of whose calls something is asked ── */

const MOST_NESTED = 64;
/** Open recorded calls of functions whose depth is limited, the outermost first. */
const nested: number[] = [];

function momentOf(plan: Plan, values: readonly unknown[], result: unknown): Moment {
  const { parameters, module } = plan;
  return { parameters, values, result, variable: (name) => variableOf(module, name) };
}

function variableOf({ variables, read }: RewrittenModule, name: string): unknown {
  const index = variables.indexOf(name);
  if (index < 0 || read === null) return unknown;
  try {
    return read(index);
  } catch {
    return unknown; // It has no value yet.
  }
}

function hasTriggered({ policy, fn }: Plan, moment: Moment): boolean {
  const isOn = engine(nodeAction.isRecording, 0, 0, 0, 0) !== 0;
  const trigger = isOn ? policy.stop : policy.start;
  if (trigger === undefined || !isMet(trigger, moment, fn)) return false;
  engine(nodeAction.switches, isOn ? 0 : 1, 0, 0, 0);
  return true;
}

function isDecidedLate({ policy }: Plan): boolean {
  return policy.leastNs !== undefined || policy.whenReturn !== undefined;
}

type Choice = 'recorded' | 'counted' | 'ignored';

function choose(plan: Plan, moment: Moment): Choice {
  const { policy } = plan;
  const hasTriggers = policy.start !== undefined || policy.stop !== undefined;
  if (hasTriggers && hasTriggered(plan, moment)) return 'recorded';
  if (engine(nodeAction.isRecording, 0, 0, 0, 0) === 0) return 'ignored';
  if (policy.when && !isMet(policy.when, moment, plan.fn)) return 'counted';
  const { depth } = policy;
  if (depth !== undefined && nested.length >= Math.min(depth, MOST_NESTED)) return 'counted';
  if (policy.first === undefined) return 'recorded';
  if (plan.left === 0) return 'counted';
  // Then it is one of the first only when that is decided.
  if (!isDecidedLate(plan)) plan.left--;
  return 'recorded';
}

function enterAsked(plan: Plan, values: readonly unknown[]): number {
  const moment = momentOf(plan, values, unknown);
  const choice = choose(plan, moment);
  const call = begin(plan);
  if (call === 0) return 0;
  const { number, policy } = plan;
  states[call] = 0;
  if (choice === 'ignored' && engine(nodeAction.ignores, 0, 0, call, 0) !== 0) return call;
  if (choice === 'counted' && engine(nodeAction.counts, 0, number, call, 0) !== 0) return call;
  const { checks, watches } = plan;
  if (policy.whenReturn !== undefined || watches.length > 0 || checks.length > 0)
    kept[call] = values;
  if (engine(nodeAction.takes, eventKind.enter, number, call, 0) === 0) return call;
  states[call] = callState.taken;
  beginValues(plan.levels);
  for (let i = 0; i < plan.count; i++) putShared(values[i], plan.count - i);
  if (policy.depth !== undefined && nested.length < MOST_NESTED) nested.push(call);
  if (isKeptBack(plan, call)) return call;
  engine(nodeAction.records, eventKind.enter, number, call, used);
  sample(plan, call, watchAt.enter, moment);
  return call;
}

/** That it will be recorded once it has taken long enough can be said only where nothing else is asked of it. */
function isKeptBack(plan: Plan, call: number): boolean {
  if (!isDecidedLate(plan)) return false;
  const { first, whenReturn, leastNs = 0 } = plan.policy;
  const promised = first !== undefined || whenReturn !== undefined ? 0 : leastNs;
  return engineWithTime(nodeAction.waits, 0, plan.number, call, used, promised) !== 0;
}

/** Whether the end of a call is to be recorded, where that is decided late. */
function isKept(plan: Plan, call: number, moment: Moment | null): boolean {
  const { first, whenReturn, leastNs = 0 } = plan.policy;
  let meets = moment === null || whenReturn === undefined || isMet(whenReturn, moment, plan.fn);
  if (first !== undefined && plan.left === 0) meets = false;
  if (engineWithTime(nodeAction.ends, meets ? 1 : 0, plan.number, call, 0, leastNs) === 0)
    return false;
  if (first !== undefined && plan.left > 0) plan.left--;
  return true;
}

const NOWHERE = -1;

function sample(plan: Plan, call: number, at: number, moment: Moment): void {
  for (const watch of plan.watches) {
    if ((watch.at & at) === 0) continue;
    beginValues(plan.levels);
    const value = valueOf(watch.expression, moment);
    const place = holder === null ? 0 : identityOf(holder) * 16;
    let flags = at === watchAt.return ? watchFlags.atReturn : 0;
    if (value === unknown) {
      putPlainWord(NOWHERE, NOWHERE);
      flags |= watchFlags.unreadable;
    } else {
      putPlainWord(place >>> 0, Math.floor(place / 2 ** 32));
      putValue(value);
      flags |= watchFlags.tree | (place === 0 ? 0 : watchFlags.address);
    }
    const tag = watch.number | (flags << watchNumberBits);
    engine(nodeAction.records, eventKind.watch, tag, call, used);
  }
}

/* ── the hooks ── */

function putFurther(count: number, values: readonly unknown[]): void {
  for (let i = 3; i < count; i++) putShared(values[i - 3], count - i);
}

/** Records the return of a call of which nothing is asked, and answers whether it was one. */
function leave(call: number, result: unknown): boolean {
  const plan = plans[call];
  if (!plan || plan.isAsked || states[call] !== callState.taken) return false;
  beginValues(plan.levels);
  putValue(result);
  returned(plan.number, call, used);
  isRaised = false;
  giveBack(call);
  return true;
}

const unknownResult = Symbol('unknown');

/** A hit of a breakpoint: a call that has no end. */
export function tellHit(number: number, levels: number, values: readonly unknown[]): void {
  const call = takePlace();
  if (call === 0) return;
  tellTest();
  if (isRecorded(number, call)) {
    beginValues(levels);
    for (const [i, value] of values.entries())
      if (value === unknown) putUnset();
      else if (value === getter) putGetter();
      else putShared(value, values.length - i);
    engine(nodeAction.records, eventKind.enter, number, call, used);
  }
  giveBack(call);
}

/** If the engine takes a share of them, it counts the others. */
function isRecorded(number: number, call: number): boolean {
  if (engine(nodeAction.isRecording, 0, 0, 0, 0) === 0) return false;
  return engine(nodeAction.takes, eventKind.enter, number, call, 0) !== 0;
}

/** A hit that is only counted: one that did not meet what was asked as a call that has an end. */
export function countHit(number: number, meets: boolean): void {
  const call = takePlace();
  if (call === 0) return;
  const isCounted = engine(nodeAction.counts, 0, number, call, 0) !== 0;
  if (isCounted && !meets) engine(nodeAction.takes, eventKind.return, number, call, 0);
  giveBack(call);
}

let checkReturn: (plan: Plan, moment: Moment) => void = () => undefined;

/** Who looks at invariants where calls return. */
export function listenToReturns(listener: typeof checkReturn): void {
  checkReturn = listener;
}

/** A call returned, and what is not known. */
export function returnedUnknown(call: number): void {
  end(call, eventKind.return, unknownResult);
}

function end(call: number, kind: number, result: unknown): void {
  const plan = plans[call];
  if (!plan) return;
  if (isWaiting(call)) throwsIn(plan, call);
  const isReturn = kind === eventKind.return;
  const { isAsked } = plan;
  if (isReturn && plan.checks.length > 0)
    checkReturn(
      plan,
      momentOf(plan, kept[call] ?? [], result === unknownResult ? unknown : result),
    );
  if (!isTaken(call)) engine(nodeAction.takes, kind, plan.number, call, 0);
  else if (!isAsked || endsAsked(plan, call, isReturn, result)) {
    beginValues(plan.levels);
    if (isReturn && result !== unknownResult) putValue(result);
    else if (isReturn) putUnset();
    else if (isRaised) putValue(raised);
    else putUnset();
    engine(nodeAction.takesAndRecords, kind, plan.number, call, used);
  }
  if (isReturn) isRaised = false;
  if (isAsked) kept[call] = null;
  giveBack(call);
}

function endsAsked(plan: Plan, call: number, isReturn: boolean, result: unknown): boolean {
  const at = nested.lastIndexOf(call);
  if (at >= 0) nested.length = at;
  const moment = isReturn ? momentOf(plan, kept[call] ?? [], result) : null;
  if (isDecidedLate(plan) && !isKept(plan, call, moment)) return false;
  if (moment) sample(plan, call, watchAt.return, moment);
  return true;
}

/** A suspended generator was closed by `return()`. */
function closed(call: number): void {
  resumes(call);
  end(call, eventKind.return, undefined);
}

/** What it waited for was an exception. */
function throwsIn(plan: Plan, call: number, ...values: readonly unknown[]): void {
  setWaiting(call, false);
  if (!isTaken(call)) return;
  beginValues(plan.levels);
  if (values.length > 0) putValue(values[0]);
  else putUnset();
  engine(nodeAction.takesAndRecords, eventKind.throwIn, plan.number, call, used);
}

function exception(call: number, kind: number, value: unknown): void {
  const plan = plans[call];
  if (!plan || !isTaken(call)) return;
  if (isWaiting(call)) throwsIn(plan, call, value);
  beginValues(plan.levels);
  putValue(value);
  putPlainWord(0, 0);
  engine(nodeAction.takesAndRecords, kind, plan.number, call, used);
}

function raise(call: number, value: unknown): unknown {
  exception(call, eventKind.raise, value);
  raised = value;
  isRaised = true;
  return value;
}

function handled(call: number, value: unknown): void {
  exception(call, eventKind.handled, value);
  isRaised = false;
  raised = undefined;
}

function suspend(call: number, value?: unknown): unknown {
  const plan = plans[call];
  if (!plan || isWaiting(call)) return value;
  setWaiting(call, true);
  isRaised = false;
  if (!isTaken(call)) return value;
  beginValues(plan.levels);
  putValue(value);
  engine(nodeAction.takesAndRecords, eventKind.suspend, plan.number, call, used);
  return value;
}

function resumes(call: number, sent?: unknown): unknown {
  const plan = plans[call];
  if (!plan || !isWaiting(call)) return sent;
  setWaiting(call, false);
  isRaised = false;
  if (!isTaken(call)) return sent;
  beginValues(plan.levels);
  if (sent === undefined) putUnset();
  else putValue(sent);
  engine(nodeAction.takesAndRecords, eventKind.resume, plan.number, call, used);
  return sent;
}

export function hooksOf(module: RewrittenModule): Hooks {
  const { flags, plans: planOf } = module;

  /** The values are named one by one: a list of them would be made at each call. */
  function enter(
    index: number,
    a?: unknown,
    b?: unknown,
    c?: unknown,
    d?: unknown,
    e?: unknown,
    f?: unknown,
    g?: unknown,
    h?: unknown,
    i?: unknown,
  ): number {
    if (flags[index] === nodeFlag.look) look(module);
    const plan = planOf[index];
    if (!plan) return 0;
    if (plan.number === 0 && !giveNumber(plan)) {
      flags[index] = nodeFlag.off;
      return 0;
    }
    const { count } = plan;
    if (flags[index] === nodeFlag.asked)
      return enterAsked(plan, [a, b, c, d, e, f, g, h, i].slice(0, count));
    const call = begin(plan);
    if (call === 0 || (plan.isSampled && isLeftOut(plan, call))) return call;
    beginValues(plan.levels);
    if (count > 0) putShared(a, count);
    if (count > 1) putShared(b, count - 1);
    if (count > 2) putShared(c, count - 2);
    if (count > 3) putFurther(count, [d, e, f, g, h, i]);
    if (plan.isSampled) enterSampled(plan, call);
    else enterPlain(plan, call);
    return call;
  }

  return {
    flags,
    enter,
    exit(call, result) {
      if (result === flags) end(call, eventKind.unwound, result);
      else if (result === enter) closed(call);
      else if (!leave(call, result)) end(call, eventKind.return, result);
    },
    raise,
    handled,
    awaits: suspend,
    yields: suspend,
    resumes,
    fields: tellFields,
  };
}
