import type { LiveFunction } from '../../../../protocol/nodeTracer.ts';
import type { LiveDebugger, Location, Script } from './liveDebugger.ts';

/** A text with its lines. */
export interface LiveText {
  readonly text: string;
  readonly starts: readonly number[];
}

export function liveText(text: string): LiveText {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return { text, starts };
}

/** Where a function is entered, and where it ends with which value. */
export interface Places {
  readonly entry: Location;
  readonly exits: readonly { readonly place: Location; readonly value: string | null }[];
}

/** Null: it has no place that is reached once in each call. */
export function placesOf(
  tracer: LiveDebugger,
  script: Script,
  { text, starts }: LiveText,
  { body, end }: LiveFunction,
): Places | null {
  const offsetOf = ({ lineNumber, columnNumber }: Location): number =>
    (starts[lineNumber] ?? 0) + columnNumber;
  const begin = text[body] === '{' ? body + 1 : body;
  const all = tracer
    .places(placeOf(script.id, starts, begin))
    .filter((place) => offsetOf(place) >= begin && offsetOf(place) < end + 1);
  const [entry] = all;
  if (!entry || isRepeated(text.slice(begin, offsetOf(entry)))) return null;
  const exits = all
    .filter(({ type }) => type === 'return')
    .map((place) => ({ place, value: valueAt(text, offsetOf(place), end) }));
  return { entry, exits };
}

export function placeOf(scriptId: string, starts: readonly number[], offset: number): Location {
  let low = 0;
  for (let high = starts.length; high - low > 1;) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { scriptId, lineNumber: low, columnNumber: offset - (starts[low] ?? 0) };
}

/** Whether what comes before the first place of a function is the head of a loop: the place is in each round of it. */
function isRepeated(before: string): boolean {
  const code = before.replace(/\/\*[^]*?\*\/|\/\/.*|(['"])use \w+\1/g, '');
  return (
    /\b(?:while|do|for)\b/.test(code) &&
    !/\bfor\s*\(\s*(?:let|var|const)?\s*[\w$]+\s*=\s*$/.test(code)
  );
}

const lookBack = 200;

/** An expression of what is returned there, if it can be read without running code; null: it cannot. */
function valueAt(text: string, offset: number, end: number): string | null {
  const before = text.slice(Math.max(0, offset - lookBack), offset);
  // Few processes need it, and V8 takes long to make it.
  const plainReturn = /\breturn\s+([\p{ID_Start}$_][\p{ID_Continue}$]*|-?\d+(?:\.\d+)?)\s*;?$/u;
  const [, name] = plainReturn.exec(before) ?? [];
  if (name !== undefined) return name;
  if (/\breturn\s*;$/.test(before)) return 'void 0';
  // The end of its body, which nothing returns at.
  const isEnd = offset === end - 1 && text[offset] === '}' && /[\s{]$/.test(before);
  return isEnd ? 'void 0' : null;
}
