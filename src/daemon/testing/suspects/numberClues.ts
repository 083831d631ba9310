import type { CallView, Value } from '../../../model/questions/query.ts';
import { partsOf } from '../../../model/values/valueParts.ts';
import { isDynamic } from './callName.ts';
import type { CallRecord, Clue } from './callRecord.ts';

/** What the numbers that calls were given and returned tell. */
export function numberClues(record: CallRecord, actual: string | null): Clue[] {
  if (record.calls.some((call) => isDynamic(call))) return [];
  return [...turnedSigns(record), ...addends(record, actual), ...pairs(record, actual)];
}

export function numberOf(value: Value): number | null {
  if (value.kind === 'int') return Number(value.text);
  return value.kind === 'float' ? value.value : null;
}

/** It returned a negative number although neither it nor what it called was given or returned one: -1 is a word for "none". */
function turnedSigns(record: CallRecord): Clue[] {
  return record.calls.flatMap((call) => {
    const number = numberOf(call.returns);
    if (number === null || number >= -1 || call.arguments.some(({ value }) => isBelowZero(value)))
      return [];
    const isPassedOn = record.childrenOf(call).some(({ returns }) => isBelowZero(returns));
    return isPassedOn
      ? []
      : [{ call, why: 'its result is negative, all it was given is not', weight: 2.5 }];
  });
}

function isBelowZero(value: Value): boolean {
  const number = numberOf(value);
  return (number !== null && number < 0) || partsOf(value).some(isBelowZero);
}

/** Together the results of one caller's calls of it are the number that is complained of. */
function addends(record: CallRecord, actual: string | null): Clue[] {
  const wanted = actual === null ? Number.NaN : Number(actual);
  if (!Number.isFinite(wanted) || wanted === 0) return [];
  const groups = new Map<string, CallView[]>();
  for (const call of record.calls) {
    const key = `${call.parent ?? ''} ${call.function}`;
    const known = groups.get(key);
    if (known) known.push(call);
    else groups.set(key, [call]);
  }
  return [...groups.values()].flatMap((calls) => {
    const numbers = calls.map(({ returns }) => numberOf(returns) ?? Number.NaN);
    const sum = numbers.reduce((all, one) => all + one, 0);
    const isSum = Math.abs(sum - wanted) <= Math.abs(wanted) * 1e-9;
    if (calls.length < 2 || !isSum) return [];
    return calls.map((call) => ({ call, why: `its results add up to ${actual ?? ''}`, weight: 2 }));
  });
}

/** Two results of what one function called are together the number that is complained of: the larger. */
function pairs(record: CallRecord, actual: string | null): Clue[] {
  const wanted = actual === null ? Number.NaN : Number(actual);
  if (!Number.isInteger(wanted) || Math.abs(wanted) < leastSum) return [];
  return record.calls.flatMap((parent) => {
    const calls = record
      .childrenOf(parent)
      .filter(({ returns }) => (numberOf(returns) ?? 0) !== 0)
      .slice(0, mostAddends);
    return calls.flatMap((call, at) =>
      calls
        .slice(at + 1)
        .filter((other) => valueOf(call) + valueOf(other) === wanted)
        .map((other) => ({
          call: Math.abs(valueOf(call)) > Math.abs(valueOf(other)) ? call : other,
          why: `its result is most of ${actual ?? ''}`,
          weight: 2,
        })),
    );
  });
}

/** Smaller numbers are sums by chance. */
const leastSum = 20;
const mostAddends = 16;

function valueOf({ returns }: CallView): number {
  return numberOf(returns) ?? Number.NaN;
}
