import type { CallView, Value } from '../../../model/questions/query.ts';
import { variedText, type CallStyle } from '../text/callText.ts';
import { valueText, type ValueLimits } from '../text/valueText.ts';

/** Characters of the arguments and the result of one line that is to be read at a glance. */
export const glance = 180;

/** The deepest parts go first, a value's own address and size last. */
const steps: readonly ValueLimits[] = [
  { levels: 2, fields: 8, elements: 6, characters: 60 },
  { levels: 1, fields: 8, elements: 6, characters: 40 },
  { levels: 1, fields: 5, elements: 4, characters: 40 },
  { levels: 1, fields: 3, elements: 3, characters: 40 },
  { levels: 1, fields: 2, elements: 2, characters: 40 },
  { levels: 0, fields: 0, elements: 0, characters: 40 },
];

interface Written {
  readonly value: Value;
  /** How many of the steps were taken. */
  taken: number;
  length: number;
}

/**
 * Which values of a call are written more briefly than usual so that all of them can be read at a glance: the longest
 * first. What differs among the calls of a line (`varying`) stays as it is.
 */
export function briefly(
  call: CallView,
  { repeated: _repeated, ...style }: CallStyle,
  varying: readonly string[],
  most = glance,
): ReadonlyMap<Value, ValueLimits> {
  const limits = new Map<Value, ValueLimits>();
  const all: Written[] = [];
  let length = 0;
  const add = (name: string, value: Value): void => {
    const varied = variedText(name, varying);
    const one = (varied ?? valueText(value, style)).length;
    length += name.length + one;
    if (varied === null) all.push({ value, taken: 0, length: one });
  };
  for (const { name, value } of call.arguments) add(name, value);
  if (call.end === 'returned') add('return', call.returns);
  while (length > most) {
    const longest = longestOf(all);
    const step = longest && steps[longest.taken++];
    if (!step) break;
    const text = valueText(longest.value, { ...style, limits: step });
    if (text.length < longest.length) limits.set(longest.value, step);
    length -= longest.length - Math.min(text.length, longest.length);
    longest.length = Math.min(text.length, longest.length);
  }
  return limits;
}

/** Of those that can be written more briefly; null: none can. */
function longestOf(all: readonly Written[]): Written | null {
  return all.reduce<Written | null>(
    (longest, one) =>
      one.taken < steps.length && one.length > (longest?.length ?? 0) ? one : longest,
    null,
  );
}
