import type { CallView, Value } from '../../../model/questions/query.ts';
import { partsOf } from '../../../model/values/valueParts.ts';
import { valueText } from '../../report/text/valueText.ts';
import { isBraced, isDynamic, isSelf, lastName, namedAround } from './callName.ts';
import type { CallRecord, Clue } from './callRecord.ts';
import { numberClues, numberOf } from './numberClues.ts';
import { scriptClues } from './scriptClues.ts';

/** What a failure expected, and what there was instead, as it wrote them. */
export interface Difference {
  readonly actual: string;
  readonly expected: string;
}

/** Everything in the calls of a test that is often part of a bug. */
export function cluesIn(record: CallRecord, difference: Difference | null): Clue[] {
  return [
    ...caught(record),
    ...atOnce(record),
    ...notWaitedFor(record),
    ...outliving(record),
    ...residues(record),
    ...carriedOver(record),
    ...readOnce(record),
    ...alikeResults(record),
    ...numberClues(record, difference?.actual ?? null),
    ...scriptClues(record),
    ...(difference ? unexpected(record, difference) : []),
    ...(difference ? dropped(record, difference) : []),
  ];
}

/** An exception ended in it. */
function caught(record: CallRecord): Clue[] {
  return record.calls.flatMap((call) => {
    const parent = record.parentOf(call);
    if (call.end !== 'unwound' || parent?.end !== 'returned' || isControl(call)) return [];
    return [
      { call: parent, why: `it caught an exception of ${lastName(call)}`, weight: 4 },
      { call, why: 'an exception began in it and was caught', weight: 2 },
    ];
  });
}

/** The exceptions by which iterators and coroutines end. */
function isControl({ exception }: CallView): boolean {
  return (
    exception?.kind === 'variant' &&
    /^(?:Stop(?:Async)?Iteration|GeneratorExit|CancelledError)$/.test(exception.name)
  );
}

/** Several threads or tasks ran it for the same object at the same time: the innermost such calls with steps in between. */
function atOnce(record: CallRecord): Clue[] {
  const overlapping = new Map<CallView, number>();
  for (const calls of byFunction(record.calls).values()) {
    const looked = calls.slice(0, mostAtOnce);
    for (const call of looked) {
      const [self] = call.arguments;
      if (!self || typeOf(self.value) === null) continue;
      const others = new Set(
        looked.filter((other) => isDuring(other, call) && isSame(call, other)).map(runnerOf),
      );
      if (others.size > 0) overlapping.set(call, others.size + 1);
    }
  }
  const isStepwise = (call: CallView): boolean => record.childrenOf(call).length > 1;
  const isRacing = (call: CallView | undefined): boolean =>
    call !== undefined && overlapping.has(call) && isStepwise(call);
  return [...overlapping].flatMap(([call, times]) => {
    // The innermost that does several things, else the innermost.
    if (record.childrenOf(call).some(isRacing) || isRacing(record.parentOf(call))) return [];
    const kind = call.strand ? 'tasks' : 'threads';
    const done = sameStep(record, [...overlapping.keys()], call);
    return [
      {
        call,
        why: `${times} ${kind} were in it at once${done === null ? '' : `, ${done}`}`,
        weight: isStepwise(call) ? 5 : 3,
      },
    ];
  });
}

/** What most of the overlapping calls of a function did alike, the last first: `3 of them did put(value=8)`. */
function sameStep(
  record: CallRecord,
  overlapping: readonly CallView[],
  { function: name }: CallView,
): string | null {
  const counts = new Map<string, number>();
  for (const call of overlapping) {
    if (call.function !== name) continue;
    const step = record.childrenOf(call).at(-1);
    const given = step?.arguments.filter((one) => !isSelf(one.name)) ?? [];
    if (!step || given.length === 0) continue;
    const values = given.map((one) => `${one.name}=${valueText(one.value, { verbose: false })}`);
    const text = `${lastName(step)}(${values.join(', ')})`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return most && most[1] > 1 ? `${most[1]} of them did ${most[0]}` : null;
}

/** Calls of one function that are compared with each other. */
const mostAtOnce = 300;

function runnerOf({ tid, strand }: CallView): string {
  return `${tid} ${strand?.number ?? ''}`;
}

/** Another runner was in it when this one began. */
function isDuring(other: CallView, { time, ...call }: CallView): boolean {
  return (
    other.time < time && time < endOf(other) && runnerOf(other) !== runnerOf({ time, ...call })
  );
}

/** Their first arguments are objects of one class. */
function isSame(one: CallView, other: CallView): boolean {
  const [a, b] = [one.arguments[0]?.value, other.arguments[0]?.value];
  return a !== undefined && b !== undefined && typeOf(a) === typeOf(b);
}

function typeOf(value: Value): string | null {
  return value.kind === 'object' ? (value.object.type ?? null) : null;
}

/** It ended while something went on that it had begun. Generators of Python are left when nobody asks for more. */
function notWaitedFor(record: CallRecord): Clue[] {
  return record.calls.flatMap((call) => {
    if (!isDynamic(call) || !isBraced(call) || !isSuspended(call)) return [];
    let parent = record.parentOf(call);
    // The receiver of the promise waits for it.
    while (parent && isPromise(parent.returns)) parent = record.parentOf(parent);
    if (parent?.end !== 'returned' || endOf(parent) >= endOf(call)) return [];
    const why = `it ended before ${lastName(call)}, which it had called`;
    return [{ call: parent, why, weight: 5 }];
  });
}

/** It ran when the call that made it had ended: what it shares with others of that call may have changed. */
function outliving(record: CallRecord): Clue[] {
  const last = new Map<string, CallView>();
  return record.calls.flatMap((call) => {
    last.set(call.function, call);
    const around = namedAround(call.function);
    const maker = around === call.function ? undefined : last.get(around);
    if (!maker || endOf(maker) > call.time) return [];
    return [{ call, why: `it ran after ${lastName(maker)}, which made it, had ended`, weight: 2 }];
  });
}

function isSuspended({ suspendedNs = 0, suspendedSince }: CallView): boolean {
  return suspendedNs > 0 || suspendedSince !== undefined;
}

function isPromise(value: Value): boolean {
  return (
    typeOf(value) === 'Promise' || (value.kind === 'word' && value.text.startsWith('<Promise'))
  );
}

function endOf({ time, durationNs }: CallView): number {
  return durationNs === null ? Infinity : time + durationNs;
}

const residue = /\.\d*?(?:0{6,}[1-9]\d*|9{7,}\d+)\b|\d\.\d{20,}/;

/** What binary fractions leave of decimal ones: `0.30000000000000004`. */
function residues(record: CallRecord): Clue[] {
  const hasResidue = (value: Value): boolean => residue.test(record.text(value));
  return record.calls.flatMap((call) =>
    hasResidue(call.returns) &&
    !call.arguments.some(({ value }) => hasResidue(value)) &&
    !record.childrenOf(call).some(({ returns }) => hasResidue(returns))
      ? [{ call, why: 'its result is not exact: a binary fraction', weight: 4 }]
      : [],
  );
}

/** What a call left in a container came back in the argument of a later one. */
function carriedOver(record: CallRecord): Clue[] {
  const clues: Clue[] = [];
  // Parameters of other languages have no defaults that live on.
  const own = record.calls.filter((call) => isDynamic(call));
  for (const calls of byFunction(own).values()) {
    for (const [at, call] of calls.entries()) {
      const before = calls[at - 1];
      if (!before || isInside(record, call, before)) continue;
      const isLeft = call.arguments.some(({ name, value }, position) => {
        if (position === 0 && (isSelf(name) || name === 'cls')) return false;
        const text = record.text(value);
        const earlier = before.arguments.find((one) => one.name === name)?.value;
        if (!isFilled(value) || !earlier || !isContainer(earlier)) return false;
        if (text === record.text(before.returns)) return text !== record.text(earlier);
        return isGrown(record.text(earlier), text) && !isPassedOn(record, call, value);
      });
      if (isLeft)
        clues.push({ call, why: 'it was given what an earlier call of it left', weight: 5 });
    }
  }
  return clues;
}

/** Its caller had the container too. */
function isPassedOn(record: CallRecord, call: CallView, value: Value): boolean {
  const parent = record.parentOf(call);
  const text = record.text(value);
  return parent?.arguments.some((one) => record.text(one.value) === text) ?? false;
}

function isInside(record: CallRecord, call: CallView, outer: CallView): boolean {
  for (let one = record.parentOf(call); one; one = record.parentOf(one))
    if (one.id === outer.id) return true;
  return false;
}

function isContainer({ kind }: Value): boolean {
  return kind === 'list' || kind === 'map';
}

function isFilled(value: Value): boolean {
  return (value.kind === 'list' || value.kind === 'map') && value.total > 0;
}

/** `[a,b]` of `[a]`. */
function isGrown(before: string, after: string): boolean {
  return after.length > before.length && after.startsWith(before.slice(0, -1));
}

/** What can be iterated once. */
const iterator = /^<(?:async_)?(?:generator|map|filter|zip|enumerate|reversed|\w*iterator)>$/;

/** A part of its result is nothing, and it was given what can be read once. */
function readOnce(record: CallRecord): Clue[] {
  return record.calls.flatMap((call) => {
    const isIterator = call.arguments.some(
      ({ value }) => value.kind === 'word' && iterator.test(value.text),
    );
    if (!isIterator || call.end !== 'returned' || !holdsNothing(call.returns)) return [];
    return [{ call, why: 'it was given an iterator, which is empty once it was read', weight: 5 }];
  });
}

function holdsNothing(value: Value): boolean {
  switch (value.kind) {
    case 'int':
      return value.text === '0';
    case 'float':
      return value.value === 0;
    case 'string':
      return value.text === '';
    case 'list':
    case 'map':
      return value.total === 0 || partsOf(value).some(holdsNothing);
    default:
      return partsOf(value).some(holdsNothing);
  }
}

/** Different arguments have the same result; or it alone among its calls has none. */
function alikeResults(record: CallRecord): Clue[] {
  const clues: Clue[] = [];
  for (const calls of byFunction(record.calls).values()) {
    const given = new Map<string, string>();
    for (const call of calls) {
      const result = record.text(call.returns);
      const before = given.get(result);
      given.set(result, record.given(call));
      if (before === undefined || before === record.given(call) || !isTelling(call.returns))
        continue;
      // Small numbers are alike by chance; of Python they are rarely words for success and failure.
      const number = Math.abs(numberOf(call.returns) ?? Infinity);
      if (number < (isDynamic(call) ? 2 : 100)) continue;
      const weight = call.returns.kind === 'string' ? 2 : 1;
      clues.push({ call, why: 'other arguments had the same result', weight });
    }
    for (const call of oddOnes(record, calls)) clues.push({ call, why: '', weight: 0.1 });
    const empty = calls.filter(
      (call) =>
        call.end === 'returned' &&
        isNothing(call.returns) &&
        // 0 is a number like others where nothing has a word of its own.
        (isDynamic(call) || numberOf(call.returns) === null),
    );
    if (empty.length === 0 || empty.length * 2 > calls.length) continue;
    const isOdd = calls.every((call) => empty.includes(call) || isTelling(call.returns));
    for (const call of isOdd ? empty : [])
      clues.push({ call, why: 'its other calls returned more', weight: 2 });
  }
  return clues;
}

/** Those whose result few others had: of several calls they are worth showing. */
function oddOnes(record: CallRecord, calls: readonly CallView[]): CallView[] {
  const counts = new Map<string, number>();
  for (const { returns } of calls)
    counts.set(record.text(returns), (counts.get(record.text(returns)) ?? 0) + 1);
  if (counts.size < 2 || counts.size === calls.length) return [];
  const fewest = Math.min(...counts.values());
  if (fewest * 2 > calls.length) return [];
  return calls.filter(({ returns }) => counts.get(record.text(returns)) === fewest);
}

function isNothing(value: Value): boolean {
  if (value.kind === 'list' || value.kind === 'map') return value.total === 0;
  if (value.kind === 'word') return value.isNull === true;
  if (value.kind === 'pointer') return value.isNull;
  if (value.kind === 'variant') return value.name === 'None';
  return (value.kind === 'int' || value.kind === 'float') && holdsNothing(value);
}

function isTelling(value: Value): boolean {
  switch (value.kind) {
    case 'int':
    case 'float':
    case 'string':
      return !holdsNothing(value);
    case 'pointer':
      return !value.isNull;
    case 'variant':
      return value.name === 'Some';
    default:
      return isFilled(value);
  }
}

/** Its result holds what is not expected, and what it was not given: the innermost such calls. */
function unexpected(record: CallRecord, { actual, expected }: Difference): Clue[] {
  const words = wordsOnlyIn(record, actual, expected);
  const holds = (value: Value, word: string): boolean => record.words(value).has(word);
  const isTold = ({ returns, file }: CallView, word: string): boolean =>
    holds(returns, word) && (isRich(returns) || (isNumber(word) && isBraced({ file })));
  return words.flatMap((word) =>
    record.calls
      .filter(
        (call) =>
          isTold(call, word) &&
          !call.arguments.some(({ value }) => holds(value, word)) &&
          !record.childrenOf(call).some(({ returns }) => holds(returns, word)),
      )
      .map((call) => ({
        call,
        why: `${word} is not expected, and it was not given to it`,
        weight: 3,
      })),
  );
}

/** It was given what is missed, and its result, a part of what there is, does not hold it. */
function dropped(record: CallRecord, { actual, expected }: Difference): Clue[] {
  const words = wordsOnlyIn(record, expected, actual);
  const found = record.wordsOf(actual);
  const holds = (value: Value, word: string): boolean => record.words(value).has(word);
  const isDropping = (call: CallView, word: string): boolean =>
    isRich(call.returns) &&
    call.arguments.some(({ value }) => holds(value, word)) &&
    !holds(call.returns, word) &&
    [...record.words(call.returns)].some((one) => found.has(one));
  return words.flatMap((word) =>
    record.calls
      .filter((call) => isDropping(call, word))
      .filter((call) => !record.childrenOf(call).some((child) => isDropping(child, word)))
      .flatMap((call) => [
        { call, why: `${word} was given to it and is missing in its result`, weight: 3 },
        ...record.childrenOf(call).map((child) => ({
          call: child,
          why: `called by ${lastName(call)}, whose result lacks ${word}`,
          weight: 2.5,
        })),
      ]),
  );
}

/** Of numbers only those with several digits: others are in too much by chance. */
function isNumber(word: string): boolean {
  return /^\d{2,}(?:\.\d+)?$/.test(word);
}

function isRich({ kind }: Value): boolean {
  return kind === 'string' || kind === 'list' || kind === 'map' || kind === 'object';
}

/** Words that one text has and the other has not, the longest first. */
function wordsOnlyIn(record: CallRecord, one: string, other: string): string[] {
  const others = record.wordsOf(other);
  return [...record.wordsOf(one)]
    .filter((word) => !others.has(word))
    .toSorted((a, b) => b.length - a.length)
    .slice(0, mostWords);
}

const mostWords = 3;

function byFunction(calls: readonly CallView[]): Map<string, CallView[]> {
  const found = new Map<string, CallView[]>();
  for (const call of calls) {
    const known = found.get(call.function);
    if (known) known.push(call);
    else found.set(call.function, [call]);
  }
  return found;
}

/** How far a call is from another, and what of it: the end of a sentence. */
export interface Nearness {
  readonly steps: number;
  readonly why: string;
}

/** How far calls are from one, and from those that came `after` it: what it called, and what made or changed what it was given. */
export function nearness(
  record: CallRecord,
  from: CallView,
  after: readonly CallView[],
): Map<string, Nearness> {
  const found = new Map<string, Nearness>([[from.id, { steps: 0, why: '' }]]);
  const queue = [from];
  // What ended early may have been called wrongly.
  const isWhole = from.end === 'returned' || isDynamic(from);
  let caller = isWhole ? undefined : record.parentOf(from);
  for (let steps = 1; caller; caller = record.parentOf(caller)) {
    found.set(caller.id, { steps, why: `called ${lastName(from)}` });
    steps += 1;
  }
  for (const call of after) {
    found.set(call.id, { steps: 0, why: 'called for the failed assertion' });
    queue.push(call);
  }
  for (let call = queue.shift(); call && found.size < mostReached; call = queue.shift()) {
    const steps = found.get(call.id)?.steps ?? 0;
    const reach = (calls: readonly CallView[], more: number, why: string): void => {
      for (const next of calls) {
        if (found.has(next.id)) continue;
        found.set(next.id, { steps: steps + more, why });
        queue.push(next);
      }
    };
    reach(record.childrenOf(call), 1, `called by ${lastName(call)}`);
    const inTime = makersOf(record, call);
    const makers = isDynamic(call) ? inTime : inTime.toReversed();
    const why = `it made or had what ${lastName(call)} was given`;
    // Of several the last left it as it was.
    reach(makers.slice(0, 1), 2, why);
    reach(makers.slice(1), isDynamic(call) ? 2 : 2.5, why);
  }
  return found;
}

const mostReached = 400;

/** Earlier calls that returned what a call was given, or were methods of it. */
function makersOf(record: CallRecord, call: CallView): CallView[] {
  const parts = call.arguments.flatMap(({ value }) => [value, ...partsOf(value)]);
  const texts = new Set(parts.filter(isRich).map((value) => record.text(value)));
  const types = new Set(parts.map(typeOf).filter((type) => type !== null));
  // Smaller ones are in too much by chance.
  const known = isDynamic(call) ? [] : parts.flatMap(numbersIn);
  const numbers = new Set(known.filter((one) => Math.abs(one) >= 10));
  const places = new Set(call.arguments.flatMap(({ value }) => placeOf(value)));
  return record.calls.filter((other) => {
    if (other.time >= call.time || isInside(record, call, other)) return false;
    if (other.arguments.some(({ value }) => placeOf(value).some((place) => places.has(place))))
      return true;
    if (isRich(other.returns) && texts.has(record.text(other.returns))) return true;
    const number = numberOf(other.returns);
    if (number !== null && numbers.has(number)) return true;
    const self = other.arguments[0];
    const type = self && isSelf(self.name) ? typeOf(self.value) : null;
    return type !== null && types.has(type);
  });
}

/** Where it leads to. */
function placeOf(value: Value): string[] {
  return value.kind === 'pointer' && !value.isNull ? [value.address] : [];
}

function numbersIn(value: Value): number[] {
  return [numberOf(value) ?? [], ...partsOf(value).map(numbersIn)].flat();
}
