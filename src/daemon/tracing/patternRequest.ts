import { StrobeError } from '../../model/errors.ts';
import { parsePattern, type Pattern } from '../../model/names/pattern.ts';
import { parseExpression, type Expression } from '../../model/watches/expression.ts';

/** A pattern as it was asked for. `module` names the library it is limited to. */
export interface AskedPattern {
  readonly pattern: string;
  readonly module?: string;
  /** 1: with the fields of the objects that parameters point to. */
  readonly depth?: number;
  /** The share of calls to record; `auto` (default): all, unless they come too fast. */
  readonly sampling?: 'auto' | 'off' | number;
  /** A condition (model/expression) that calls must meet to be recorded. */
  readonly when?: string;
  /** The same, decided where a call returns: also of its result. */
  readonly whenReturn?: string;
  /** A condition that must hold whenever a call returns; each change to where it does not is an event. */
  readonly invariant?: string;
  /** Which lines of each call run is recorded, with the locals that are small. */
  readonly lines?: boolean;
  /** The number of first calls of each function that are recorded. */
  readonly firstN?: number;
  /** Only calls that take so long are recorded, ns. */
  readonly minDurationNs?: number;
  /** The number of levels of nested calls that are recorded. */
  readonly maxDepth?: number;
  /** A call of it (that meets `when`) starts the recording of its process, or stops it. */
  readonly trigger?: 'start' | 'stop';
}

/** A pattern that was read, once, where its request entered. */
export interface PatternRequest {
  readonly asked: AskedPattern;
  readonly pattern: Pattern;
  /** Null: none was asked for. */
  readonly when: Expression | null;
  readonly whenReturn: Expression | null;
  readonly invariant: Expression | null;
}

/**
 * Reads a pattern parameter, given alone or with its module. `depth`: where it has none of its own.
 * Throws BAD_PATTERN or BAD_EXPRESSION.
 */
export function patternRequest(wanted: string | AskedPattern, depth?: number): PatternRequest {
  const given = typeof wanted === 'string' ? { pattern: wanted } : wanted;
  const asked = depth === undefined || given.depth !== undefined ? given : { ...given, depth };
  const pattern = parsePattern(patternText(asked));
  const when = asked.when === undefined ? null : parseExpression(asked.when);
  const whenReturn = asked.whenReturn === undefined ? null : parseExpression(asked.whenReturn);
  const invariant = asked.invariant === undefined ? null : parseExpression(asked.invariant);
  refuseOptionsOfTrigger(asked);
  if (invariant === null && asked.lines !== true)
    return { asked, pattern, when, whenReturn, invariant };
  refuseOptionsBeside(invariant === null ? 'lines' : 'invariant', asked);
  return { asked: { ...asked, sampling: 'off' }, pattern, when, whenReturn, invariant };
}

/** The same request, to another depth where it has none of its own. */
export function withDepth(request: PatternRequest, depth: number | undefined): PatternRequest {
  if (depth === undefined || request.asked.depth !== undefined) return request;
  return { ...request, asked: { ...request.asked, depth } };
}

function refuseOptionsOfTrigger(asked: AskedPattern): void {
  if (asked.trigger === undefined) return;
  const { sampling, whenReturn, firstN, minDurationNs, maxDepth } = asked;
  const others = Object.entries({ sampling, whenReturn, firstN, minDurationNs, maxDepth });
  const [other] = others.find(([, value]) => value !== undefined) ?? [];
  if (other === undefined) return;
  throw new StrobeError(
    'BAD_PATTERN',
    `"${asked.pattern}" has trigger and ${other}: which calls of it are recorded is no part of a trigger.`,
    `Leave ${other} out, or add the function a second time without trigger.`,
  );
}

/** What is asked inside calls, or where they return, needs all of them. */
function refuseOptionsBeside(what: 'invariant' | 'lines', asked: AskedPattern): void {
  const { sampling, when, whenReturn, firstN, minDurationNs, maxDepth, trigger } = asked;
  const limits = { when, whenReturn, firstN, minDurationNs, maxDepth, trigger };
  const share = sampling === 'off' || sampling === 'auto' ? {} : { sampling };
  const others = Object.entries({ ...limits, ...share });
  const [other] = others.find(([, value]) => value !== undefined) ?? [];
  if (other === undefined) return;
  throw new StrobeError(
    'BAD_PATTERN',
    `"${asked.pattern}" has ${what} and ${other}: ${what} needs every call to be recorded.`,
    what === 'invariant'
      ? `Leave ${other} out, and write the case into the invariant: "size == 0 || used <= size".`
      : `Leave ${other} out, or use debug_breakpoint with a condition at the line that matters.`,
  );
}

/** What a pattern names. */
function patternText({ module, pattern }: AskedPattern): string {
  return module === undefined ? pattern : `${module}!${pattern}`;
}

/** The text under which a pattern is listed and removed. */
export function listedText({ asked }: PatternRequest): string {
  const text = patternText(asked);
  return asked.trigger === undefined ? text : `${asked.trigger} ${text}`;
}

/** Its conditions, as they were written. */
export function conditionText({ when, whenReturn }: AskedPattern): string {
  return Object.entries({ when, whenReturn })
    .flatMap(([name, text]) => (text === undefined ? [] : [`${name} "${text}"`]))
    .join(' and ');
}

/** What a pattern asks of calls that are recorded, as it was written; empty: nothing. */
export function limitsText({ asked }: PatternRequest): string {
  const { when, whenReturn, invariant, lines, firstN, minDurationNs, maxDepth, trigger } = asked;
  const of = trigger === undefined ? {} : { trigger };
  const limits = { ...of, when, whenReturn, invariant, lines, firstN, minDurationNs, maxDepth };
  return Object.entries(limits)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${JSON.stringify(value)}`]))
    .join(', ');
}

/** What triggers mean for what is recorded; null without any. */
export function triggerNote(requests: readonly PatternRequest[]): string | null {
  const of = (which: 'start' | 'stop'): string =>
    requests
      .filter(({ asked }) => asked.trigger === which)
      .map(({ asked: { pattern, when } }) =>
        when === undefined ? pattern : `${pattern} (${when})`,
      )
      .join(', ');
  const [start, stop] = [of('start'), of('stop')];
  if (start === '' && stop === '') return null;
  const begins = start === '' ? 'are recorded' : `are recorded from a call of ${start} on`;
  const ends = stop === '' ? '' : ` until a call of ${stop}`;
  return `Calls ${begins}${ends}, in each process by itself; others are neither recorded nor counted.`;
}
