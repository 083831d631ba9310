import type { CallView } from '../../../model/questions/query.ts';
import type { NewLines } from '../ranLines.ts';
import type { CallRecord } from './callRecord.ts';
import { numberOf } from './numberClues.ts';
import type { PassingBehaviour } from './passingBehaviour.ts';

/** What the calls of a function are told apart by. */
export interface TellingGrounds {
  readonly record: CallRecord;
  readonly passing: PassingBehaviour;
  /** Lines that ran in it and in no passing test, by function. */
  readonly newLines: ReadonlyMap<string, NewLines>;
  /** Returned the wrong value, ended the test, or is what the failed assertion is about. */
  readonly start: CallView | undefined;
  readonly ended: readonly CallView[];
}

/** The call of a function that says most of what is wrong with it: one that differs from those of tests that pass. */
export function tellingCall(grounds: TellingGrounds, usual: CallView): CallView {
  const calls = grounds.record.calls.filter((call) => call.function === usual.function);
  const lines = grounds.newLines.get(usual.function);
  const weights = new Map(
    calls.map((call, at) => [call, weightOf(grounds, call) + (lines?.calls.has(at) ? 3 : 0)]),
  );
  const most = Math.max(...weights.values());
  if ((weights.get(usual) ?? 0) >= most) return usual;
  return calls.findLast((call) => weights.get(call) === most) ?? usual;
}

function weightOf({ record, passing, start, ended }: TellingGrounds, call: CallView): number {
  const isNew = passing.testsOf(call.function) > 0 && !passing.isKnown(record, call);
  return (
    (ended.includes(call) ? 8 : 0) +
    (call.id === start?.id ? 4 : 0) +
    (passing.isNewResult(call) ? 2 : 0) +
    (passing.isNewOrder(record, call) ? 1 : 0) +
    (isNew ? 1 : 0) +
    (isRefusal(call) ? 0.5 : 0)
  );
}

/** `false`, less than zero. */
function isRefusal({ returns }: CallView): boolean {
  if (returns.kind === 'bool') return !returns.value;
  return (numberOf(returns) ?? 0) < 0;
}
