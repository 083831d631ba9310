import type { CallView, Value } from '../../../model/questions/query.ts';
import type { SessionNs } from '../../../model/ids.ts';
import { elementsLeft, partsOf } from '../../../model/values/valueParts.ts';
import { strandText } from '../../../model/values/valueWords.ts';
import { withExpressions } from '../../../model/probes/logText.ts';
import { escaped } from '../../../base/visible.ts';
import { counted } from './groupedNumber.ts';
import { legends } from './legends.ts';
import { isLogged, type SharedArguments } from './sharedArguments.ts';
import { place } from './placeText.ts';
import { duration } from './timeText.ts';
import { valueJson, valueText, type ValueLimits, type ValueStyle } from './valueText.ts';

/** How calls are written in one answer. */
export interface CallStyle extends ValueStyle {
  readonly shortName: (name: string) => string;
  readonly projectRoot: string;
  /** When the program ended, or null while it may run: an open call never returns after it. */
  readonly endedAt: SessionNs | null;
  /** The end of what is known: open calls have lasted until then. */
  readonly now: SessionNs;
  /** The call that was asked for by its id: its values are written as far as they are known. */
  readonly asked?: string;
  /** Values that are written more briefly than others. */
  readonly brief?: ReadonlyMap<Value, ValueLimits>;
  /** Legends that the reader knows from earlier answers. */
  readonly legendsRead?: ReadonlySet<string>;
}

/**
 * `Account::withdraw(this=0x55d0, cents=500) = false  12 µs`, without place and id.
 * `varying` (`TreeNode.varying`) takes the place of those arguments and of the result.
 */
export function callText(
  call: CallView,
  style: CallStyle,
  varying: readonly string[] = [],
): string {
  return `${signatureText(call, style, varying)}${endText(call, style, varying)}${lastedText(call, style)}`;
}

/** `Account::withdraw(this=0x55d0, cents=500)`. */
export function signatureText(
  call: CallView,
  style: CallStyle,
  varying: readonly string[] = [],
): string {
  if (call.probe) return hitText(call, style, varying);
  return `${escaped(style.shortName(call.function))}(${argumentsText(call, style, varying)})`;
}

/** `● shop.c:19  sum=250`: of one that writes a text that, as long as it is one hit. */
function hitText(call: CallView, style: CallStyle, varying: readonly string[]): string {
  const { log = null, invariant, returnOf, line } = call.probe ?? {};
  const isSaid = log !== null && varying.length === 0 && isLogged(call);
  // Values are written in one of both: they get their numbers there.
  const shown = isSaid ? loggedText(call, log, style) : argumentsText(call, style, varying);
  if (line !== undefined)
    return `:${call.line ?? '?'} ${escaped(line.text ?? '')}${shown === '' ? '' : `  │ ${shown}`}`;
  if (invariant !== undefined) {
    const where = returnOf === undefined ? call.function : `after ${style.shortName(returnOf)}`;
    const holds = call.undecided ? 'cannot be worked out' : 'does not hold';
    return `✗ ${escaped(where)}: ${escaped(invariant)} ${holds}${shown === '' ? '' : `  ${shown}`}`;
  }
  const undecided = call.undecided ? '  (its condition cannot be worked out: counts as met)' : '';
  return `● ${escaped(call.function)}${shown === '' ? '' : `  ${shown}`}${undecided}`;
}

/** What the log of a breakpoint says of a hit. */
export function loggedText(
  call: Pick<CallView, 'arguments'>,
  log: string,
  style: Pick<CallStyle, 'brief'> & ValueStyle,
): string {
  const values = new Map(call.arguments.map(({ name, value }) => [name, value]));
  return withExpressions(escaped(log), (name) => {
    const value = values.get(name);
    return value === undefined ? null : shownText(value, style);
  });
}

function argumentsText(call: CallView, style: CallStyle, varying: readonly string[]): string {
  const isLong = longArguments(call, style, varying);
  let out = '';
  let length = 0;
  // Each is written once, and not ahead of its turn: a value may get its number here.
  for (const [at, argument] of call.arguments.entries()) {
    if (length > argumentsShown && !style.verbose) {
      return `${out}, …(+${counted(call.arguments.length - at, 'argument')})`;
    }
    const own = isLong[at] === true ? { ...style, limits: briefly } : style;
    const text = argumentText(argument, own, varying);
    out += out === '' ? text : `, ${text}`;
    length += countedLength(argument, text);
  }
  return out;
}

/** Which are written more briefly, where one argument would push out those behind it; none: all have room. */
function longArguments(
  call: CallView,
  { repeated: _repeated, ...style }: CallStyle,
  varying: readonly string[],
): readonly boolean[] {
  if (style.verbose || call.id === style.asked || call.arguments.length < 2) return [];
  const lengths = call.arguments.map((one) =>
    countedLength(one, argumentText(one, style, varying)),
  );
  const before = lengths.slice(0, -1).reduce((sum, length) => sum + length, 0);
  if (before <= argumentsShown) return [];
  const share = argumentsShown / call.arguments.length;
  return lengths.map((length) => length > share);
}

const briefly: ValueLimits = { levels: 1, fields: 3, elements: 3, characters: 24 };

function argumentText(
  { name, value }: CallView['arguments'][number],
  style: CallStyle,
  varying: readonly string[],
): string {
  const varied = variedText(name, varying);
  return `${name}=${varied === null ? shownText(value, style) : named(varied, value, style)}`;
}

/** Objects were asked for: they do not push out what comes after them. */
function countedLength({ value }: CallView['arguments'][number], text: string): number {
  return value.kind === 'pointer' && value.target ? 0 : text.length;
}

/** A value as a line of a call writes it. */
export function shownText(value: Value, style: Pick<CallStyle, 'brief'> & ValueStyle): string {
  return valueText(value, limited(value, style));
}

function shownJson(value: Value, style: CallStyle): unknown {
  return valueJson(value, limited(value, style));
}

function limited(value: Value, style: Pick<CallStyle, 'brief'> & ValueStyle): ValueStyle {
  const limits = style.brief?.get(value);
  return limits ? { ...style, limits } : style;
}

/** `the same in all calls: L=0x55d0{…}`; written before the calls are. `most`: characters after which they are counted. */
export function sharedLines(
  { values }: SharedArguments,
  style: CallStyle,
  most = Infinity,
): string[] {
  const all: string[] = [];
  let length = 0;
  for (const { name, value } of values) {
    if (length > most) break;
    const text = `${name}=${shownText(value, style)}`;
    all.push(text);
    length += text.length;
  }
  const left = values.length - all.length;
  if (left > 0) all.push(`…(+${left})`);
  return all.length > 0 ? [`the same in all calls: ${all.join(', ')}`] : [];
}

/** What a number for a value means, once one was written. */
export function repeatedLines({ repeated, legendsRead }: CallStyle): string[] {
  const { repeated: legend } = legends;
  return repeated?.isUsed && legendsRead?.has(legend) !== true ? [legend] : [];
}

/** Characters after which further arguments are only counted. */
const argumentsShown = 240;

/** Addresses of functions by their names, among the values of an argument that has some. */
function named(text: string, value: Value, { codeNames }: ValueStyle): string {
  if (!codeNames || codeNames.size === 0 || !holdsCode(value)) return text;
  return text.replaceAll(/0x[0-9a-f]+/g, (address) => codeNames.get(address) ?? address);
}

function holdsCode(value: Value): boolean {
  return (value.kind === 'pointer' && value.code === true) || partsOf(value).some(holdsCode);
}

/** What `varying` says of this argument, or null. */
export function variedText(name: string, varying: readonly string[]): string | null {
  const found = varying.find((text) => text.startsWith(`${name}=`));
  return found === undefined ? null : escaped(found.slice(name.length + 1));
}

/** When it ended without that an open call returned: its process, or the session; null: it may still return. */
export function livedUntil(call: CallView, style: CallStyle): SessionNs | null {
  return call.processEnded ?? style.endedAt;
}

/** ` = false`, ` ✗ unwound by an exception`, ` … still running`. */
export function endText(call: CallView, style: CallStyle, varying: readonly string[] = []): string {
  switch (call.end) {
    case 'returned': {
      const text = variedText('return', varying) ?? shownText(call.returns, style);
      return text === '' ? '' : ` = ${text}`;
    }
    case 'unwound':
      return call.exception ? ` ✗ unwound by ${shownText(call.exception, style)}` : ' ✗ unwound';
    case 'jumped':
      return ' ✗ left by longjmp';
    case 'tail':
      return ' → tail call';
    case 'open':
      if (livedUntil(call, style) !== null) return ' … never returned';
      return call.suspendedSince === undefined ? ' … still running' : ' … suspended';
    case 'lost':
      return ' ? its end was lost';
    case 'unseen':
      return call.probe ? '' : ' · its end is not seen';
  }
}

function lastedText(call: CallView, style: CallStyle): string {
  if (call.durationNs !== null)
    return `  ${duration(call.durationNs)}${suspendedText(call.suspendedNs)}`;
  if (call.end !== 'open') return '';
  return `  ${duration((livedUntil(call, style) ?? style.now) - call.time)} so far`;
}

/** ` (11 ms suspended)`: of how long it took. */
export function suspendedText(ns: number | undefined): string {
  return ns === undefined ? '' : ` (${duration(ns)} suspended)`;
}

/** The function's file and line, or an empty text. */
export function callPlace(call: CallView, style: CallStyle): string {
  if (call.probe?.line) return '';
  return place(call.file, call.line, style.projectRoot);
}

/** The structured form of a call event; members that say nothing are left out unless `verbose`. */
export function callTwin(
  call: CallView,
  style: CallStyle,
  threadLabel: string,
): Record<string, unknown> {
  // A message stands for itself: no value of it is written elsewhere.
  const { repeated: _repeated, ...whole } = style;
  const twin: Record<string, unknown> = {
    functionName: call.function,
    functionNameRaw: style.verbose ? call.linkageName : undefined,
    arguments: argumentsTwin(call, style),
    returnValue: call.end === 'returned' ? shownJson(call.returns, style) : undefined,
    exception: call.exception && valueJson(call.exception, style),
    breakpoint: call.probe?.id,
    invariant: call.probe?.invariant,
    conditionUnknown: call.undecided,
    message: call.probe?.log == null ? undefined : loggedText(call, call.probe.log, whole),
    end: call.probe ? undefined : call.end,
    durationNs: call.durationNs ?? undefined,
    suspendedNs: call.suspendedNs,
    suspendedSinceNs: call.suspendedSince,
    // A test is reported as one.
    strand: call.strand && call.strand.kind !== 'test' ? strandText(call.strand) : undefined,
    threadId: call.tid,
    threadName: call.threadName,
    parentEventId: call.parent,
    depth: call.depth,
    pid: call.pid,
    sourceFile: call.file,
    lineNumber: call.line,
  };
  if (!style.verbose) {
    for (const name of ['depth', 'pid', 'sourceFile', 'lineNumber']) delete twin[name];
    if (call.arguments.length === 0) delete twin['arguments'];
    if (call.end === 'returned') delete twin['end'];
    // The answer lists its threads; a label with a number stands for a name that repeats.
    if (threadLabel === '') delete twin['threadName'];
    if (!threadLabel.includes('/')) delete twin['threadId'];
    if (call.parent === null) delete twin['parentEventId'];
  }
  return Object.fromEntries(Object.entries(twin).filter(([, value]) => value !== undefined));
}

function argumentsTwin(call: CallView, style: CallStyle): Record<string, unknown> {
  return Object.fromEntries(
    call.arguments.map(({ name, value }) => [name, shownJson(value, style)]),
  );
}

/** Said once in an answer that shows values to which it applies. */
export interface ValueNote {
  readonly text: string;
  applies(call: CallView): boolean;
}

export const valueNotes: readonly ValueNote[] = [
  {
    text: '{type} = not captured; verbose: true in view "events" says why.',
    applies: (call) =>
      valuesOf(call).some((value) => value.kind === 'notCaptured' && (value.type ?? '?') !== '?'),
  },
  {
    text: 'Data behind a second pointer is cut; a greater "depth" of the pattern captures more.',
    applies: (call) => valuesOf(call).some((value) => hadNoRoom(value, false)),
  },
];

function valuesOf(call: CallView): Value[] {
  const values = call.arguments.map(({ value }) => value);
  return call.end === 'returned' ? [...values, call.returns] : values;
}

/** Whether something of it is missing that lies deeper than what is captured whole. */
function hadNoRoom(value: Value, isBehind: boolean): boolean {
  if (value.kind === 'notCaptured') return isBehind;
  if (value.kind === 'string') return isBehind && value.truncated;
  const isFar = 'isFar' in value && value.isFar;
  if (isFar && elementsLeft(value) > 0) return true;
  return partsOf(value).some((part) => hadNoRoom(part, isBehind || isFar));
}
