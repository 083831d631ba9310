import type { CallView, Value } from '../../../model/questions/query.ts';
import { sourceText } from '../../../testing/testSource.ts';
import { lastName } from './callName.ts';
import { script, type CallRecord, type Clue } from './callRecord.ts';
import { numberOf } from './numberClues.ts';

/** What JavaScript lets pass: numbers as text, parts that are too many, defaults that are changed. */
export function scriptClues(record: CallRecord): Clue[] {
  const calls = record.calls.filter(({ file }) => file !== null && script.test(file));
  if (calls.length === 0) return [];
  return [...numbersAsText(calls), ...oneTooMany(calls), ...changedDefaults(record, calls)];
}

/** A text that could be a number. */
function isNumeric(value: Value): boolean {
  return value.kind === 'string' && /^-?\d+(?:\.\d+)?$/.test(value.text);
}

/** It cut a number out of a text and left it text, or put one beside numbers. */
function numbersAsText(calls: readonly CallView[]): Clue[] {
  return calls.flatMap((call) => {
    const { returns } = call;
    if (isNumeric(returns) && !call.arguments.some(({ value }) => isNumeric(value)))
      return [{ call, why: 'its result is a number as text', weight: 3 }];
    if (returns.kind !== 'object') return [];
    const { fields } = returns.object;
    const left = fields.find(({ value }) => isNumeric(value));
    if (!left || !fields.some(({ value }) => numberOf(value) !== null)) return [];
    return [{ call, why: `${left.name} of its result is a number as text`, weight: 3 }];
  });
}

/** What a parameter is called that says how many. */
const howMany =
  /^(?:n|count|limit|size|most|max|length|amount|number|num|take)$|(?:Count|Limit|Size|Length)$/;

/** It was asked for so many and gave one more. */
function oneTooMany(calls: readonly CallView[]): Clue[] {
  return calls.flatMap((call) => {
    const { returns } = call;
    if (returns.kind !== 'list') return [];
    const wanted = call.arguments.flatMap(({ name, value }) =>
      howMany.test(name) ? (numberOf(value) ?? []) : [],
    );
    return wanted.includes(returns.total - 1)
      ? [
          {
            call,
            why: `it was asked for ${returns.total - 1} and gave ${returns.total}`,
            weight: 4,
          },
        ]
      : [];
  });
}

/** The default of a parameter was not the same as for an earlier call. */
function changedDefaults(record: CallRecord, calls: readonly CallView[]): Clue[] {
  const first = new Map<string, string>();
  return calls.flatMap((call) =>
    call.arguments.flatMap(({ name, value }) => {
      if (value.kind !== 'object' && value.kind !== 'list' && value.kind !== 'map') return [];
      const key = `${call.function} ${name}`;
      const text = record.text(value);
      const before = first.get(key);
      if (before === undefined) first.set(key, text);
      if (before === undefined || before === text || !hasSharedDefault(call, name)) return [];
      return [{ call, why: `an earlier call changed the default of ${name}`, weight: 5 }];
    }),
  );
}

/** `fields = basics`: no text, number or literal, which would be made for each call. */
function hasSharedDefault({ file, line, ...call }: CallView, name: string): boolean {
  const lines = file === null || line === null ? null : (sourceText(file)?.split('\n') ?? null);
  const head = lines?.slice((line ?? 1) - 1, (line ?? 1) + mostHeadLines).join(' ') ?? '';
  const parameters = head.slice(head.indexOf(lastName({ file, ...call })));
  return new RegExp(`[(,]\\s*${name}\\s*(?::[^=,)]+)?=\\s*[A-Za-z_$][\\w$.]*\\s*[,)]`).test(
    parameters,
  );
}

const mostHeadLines = 6;
