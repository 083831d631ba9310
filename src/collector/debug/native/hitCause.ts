import type { Evaluated, EvaluateRequest } from '../../../model/debug/evaluated.ts';
import type { StopCause } from '../../../model/debug/stop.ts';
import { parseExpression } from '../../../model/watches/expression.ts';
import { messageOf, typeNames } from '../../exceptions/nativeExceptions.ts';
import { messageKind } from '../../exceptions/readExceptionFile.ts';
import type { ProcessOwner } from './processOwner.ts';
import type { StopperEvent } from './stopper.ts';

type Stopped = Extract<StopperEvent, { kind: 'stopped' }>;
type Evaluate = (request: EvaluateRequest) => Promise<Evaluated>;

/** Why a thread stands that came to places of breakpoints. */
export async function hitCause(
  { numbers, thrown, touched: places, isUndecided }: Stopped,
  owner: ProcessOwner,
  evaluate: Evaluate,
): Promise<StopCause> {
  const ids = owner.idsOf(numbers);
  const touched = places.flatMap((one) => owner.touchedOf(one) ?? []);
  if (touched.length > 0) return { kind: 'breakpoint', ids, touched };
  if (thrown !== null) {
    const [type = null] = await typeNames(owner.parts.code, [thrown.type]);
    const message = messageOf({ ...thrown, messageIs: messageKind(thrown.how) });
    return { kind: 'breakpoint', ids, raised: { type, message } };
  }
  const why = isUndecided ? { undecided: await whyUndecided(numbers, owner, evaluate) } : {};
  return { kind: 'breakpoint', ids, ...why };
}

/** A clause. */
async function whyUndecided(
  [number = 0]: readonly number[],
  owner: ProcessOwner,
  evaluate: Evaluate,
): Promise<string> {
  const condition = owner.conditionOf(number);
  const found =
    condition === null
      ? null
      : await evaluate({ frame: 0, expression: parseExpression(condition), elements: 1 });
  return found?.why ?? 'a value on its way is not known';
}
