import { estimateTokens } from '../../../base/tokenEstimate.ts';
import { escaped } from '../../../base/visible.ts';
import type { CallView, Value } from '../../../model/questions/query.ts';
import { lastName } from '../../testing/suspects/callName.ts';
import type { Suspect } from '../../testing/suspects/suspectWeights.ts';
import { briefly } from '../answers/brevity.ts';
import { callPlace, endText, signatureText, type CallStyle } from '../text/callText.ts';
import { valueText } from '../text/valueText.ts';

/** Functions that may be at fault, and the calls they are compared with. */
export interface SuspectFacts {
  readonly suspects: readonly Suspect[];
  /** All calls of the failed test. */
  readonly events: readonly CallView[];
  /** The calls of tests that passed. */
  readonly passing: readonly (readonly CallView[])[];
}

/** Characters of the values of a suspect. */
const suspectShown = 240;
/** Other calls of a suspect's function, calls of it in passing tests, calls it made itself; and characters of each. */
const mostOthers = 5;
const mostPassing = 3;
const mostMade = 6;
const otherShown = 90;
/** Characters of one part of an argument that differs, and how deep such parts are looked for. */
const partShown = 28;
const partDepth = 3;
/** Parts of one argument. */
const mostParts = 24;

/** What was given and returned by each, then, as far as the tokens reach, by other calls of it. */
export function suspectLines(facts: SuspectFacts, style: CallStyle, tokens: number): string[] {
  if (facts.suspects.length === 0) return [];
  const heading = 'suspects, the likeliest first:';
  const heads = facts.suspects.map(({ call, why }, at) => {
    const own = { ...style, brief: suspectLimits(call, style) };
    const where = callPlace(call, style);
    return `  ${at + 1}. ${signatureText(call, own)}${endText(call, own)}  ${where}  (${why})  [${call.id}]`;
  });
  const below = heads.map((): string[] => []);
  let left = tokens - estimateTokens([heading, ...heads].join('\n'));
  for (const more of [otherCalls, passingCalls, madeCalls])
    for (const [at, { call }] of facts.suspects.entries()) {
      const line = lineWithin(more(call, facts, style), left);
      if (line === null) continue;
      left -= estimateTokens(line) + 1;
      below[at]?.push(line);
    }
  return [heading, ...heads.flatMap((head, at) => [head, ...(below[at] ?? [])])];
}

/** Calls beside the one that is shown. */
interface Beside {
  readonly intro: string;
  readonly texts: readonly string[];
  readonly hasMore: boolean;
  /** Which of them are kept where not all have room. */
  readonly kept: 'first' | 'last';
}

/** As many of them as the tokens reach; null: not one. */
function lineWithin({ intro, texts, hasMore, kept }: Beside, tokens: number): string | null {
  for (let count = texts.length; count > 0; count--) {
    const more = hasMore || count < texts.length ? ', …' : '';
    const some = kept === 'first' ? texts.slice(0, count) : texts.slice(-count);
    const line = `     ${intro} ${some.join(', ')}${more}`;
    if (estimateTokens(line) + 1 <= tokens) return line;
  }
  return null;
}

/** Two thirds are for the result, which is often the wrong value; the arguments get what it leaves. */
function suspectLimits(call: CallView, style: CallStyle): ReturnType<typeof briefly> {
  const most = (suspectShown * 2) / 3;
  const result = Math.min(
    most,
    call.end === 'returned' ? valueText(call.returns, style).length : 0,
  );
  return new Map([
    ...briefly({ ...call, end: 'open' }, style, [], suspectShown - result),
    ...briefly({ ...call, arguments: [] }, style, [], most),
  ]);
}

/** What a function gave for other arguments: often not the call that is shown is the wrong one. */
function otherCalls(call: CallView, { events }: SuspectFacts, style: CallStyle): Beside {
  const calls = events.filter((one) => one.function === call.function && one.end === 'returned');
  const textOf = differencesOf(calls, style);
  const known = textOf(call);
  const others = [...new Set(calls.map(textOf))].filter((text) => text !== known);
  const short = others.filter((text) => text.length <= otherShown);
  // The last are nearer to what failed.
  const texts =
    short.length <= mostOthers ? short : [...short.slice(0, 2), ...short.slice(2 - mostOthers)];
  return { intro: 'also', texts, hasMore: others.length > texts.length, kept: 'last' };
}

/** What it was given and returned in tests that passed, by what differs from the call that is shown. */
function passingCalls(call: CallView, { passing }: SuspectFacts, style: CallStyle): Beside {
  const calls = passing.flat().filter((one) => one.function === call.function);
  const textOf = differencesOf([call, ...calls], style);
  const known = textOf(call);
  const byResult = new Map(calls.toReversed().map((one) => [resultText(one, style), textOf(one)]));
  const texts = [...new Set([...byResult.values(), ...calls.map(textOf)])].filter(
    (text) => text !== known && text.length <= otherShown,
  );
  return {
    intro: 'in tests that pass:',
    texts: texts.slice(0, mostPassing),
    hasMore: false,
    kept: 'first',
  };
}

/** What it called itself. */
function madeCalls(call: CallView, { events }: SuspectFacts, style: CallStyle): Beside {
  const made = events.filter(({ parent }) => parent === call.id);
  const texts = [...new Set(made.map((one) => plainText(one, style)))];
  const short = texts.filter((text) => text.length <= otherShown);
  return {
    intro: 'it called',
    texts: short.slice(0, mostMade),
    hasMore: short.length > mostMade,
    kept: 'first',
  };
}

/** `parse(text="a") = 3`, with what is short. */
function plainText(call: CallView, style: CallStyle): string {
  const given = call.arguments.flatMap(({ name, value }) => {
    const text = valueText(value, style);
    return isShort(text) ? [`${name}=${text}`] : [];
  });
  return `${escaped(lastName(call))}(${given.join(', ')})${resultText(call, style)}`;
}

function resultText(call: CallView, style: CallStyle): string {
  return endText(call, style);
}

/** A call by the parts of its arguments that are not the same in all of some calls, as far as they are short. */
function differencesOf(calls: readonly CallView[], style: CallStyle): (call: CallView) => string {
  const parts = new Map(calls.map((call) => [call, partsIn(call, style)]));
  const texts = new Map<string, Set<string>>();
  for (const known of parts.values())
    for (const [path, text] of known) texts.set(path, (texts.get(path) ?? new Set()).add(text));
  const differing = new Set(
    [...texts].filter(([, all]) => all.size > 1 && [...all].every(isShort)).map(([path]) => path),
  );
  return (call) => {
    const own = [...(parts.get(call) ?? [])].filter(([path]) => differing.has(path));
    const result = resultText(call, style);
    const named = (given: string): string => `${escaped(lastName(call))}(${given})${result}`;
    const text = named(own.map(([path, value]) => `${path}=${value}`).join(', '));
    return text.length <= otherShown ? text : named('…');
  };
}

/** Addresses tell nothing of what differs. */
function isShort(text: string): boolean {
  return text.length <= partShown && !text.startsWith('0x');
}

/** `shift.from` → `840`: the members of objects one by one. */
function partsIn(call: CallView, style: CallStyle): Map<string, string> {
  const found = new Map<string, string>();
  const add = (path: string, value: Value, depth: number): void => {
    if (value.kind === 'pointer' && value.target) return add(path, value.target, depth);
    if (value.kind !== 'object' || depth >= partDepth) {
      if (found.size < mostParts * (call.arguments.length || 1))
        found.set(path, valueText(value, style));
      return;
    }
    for (const field of value.object.fields) add(`${path}.${field.name}`, field.value, depth + 1);
  };
  for (const { name, value } of call.arguments) add(escaped(name), value, 0);
  return found;
}
