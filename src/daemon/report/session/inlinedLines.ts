import type { InlinedFunction } from '../../../model/functions/traceable.ts';
import type { PatternReport } from '../../../model/functions/hookReport.ts';
import { shortType } from '../text/nameText.ts';
import { counted, grouped } from '../text/groupedNumber.ts';

const linesAtMost = 6;
const namesAtMost = 4;

/**
 * Functions that have no code of their own, with where to hook instead. Those with the same
 * callers share a line: `inlined: a, b, … 2 more into main: hook that`. The ones the pattern names
 * come first; constructors, destructors and the standard library last.
 */
export function inlinedLines(pattern: PatternReport, level: number): string[] {
  const groups = new Map<string, { names: string[]; callers: string[]; weight: number }>();
  for (const fn of pattern.inlined) {
    const callers = callersOf(fn);
    const key = callers.join('\n');
    const group = groups.get(key) ?? { names: [], callers, weight: Number.POSITIVE_INFINITY };
    group.weight = Math.min(group.weight, weightOf(fn.name, pattern.pattern));
    group.names.push(fn.name);
    groups.set(key, group);
  }
  const sorted = [...groups.values()].toSorted((a, b) => a.weight - b.weight);
  const shown = sorted.slice(0, Math.min(linesAtMost, 1 + level));
  const lines = shown.map(({ names, callers }) => {
    const first = names
      .toSorted((a, b) => weightOf(a, pattern.pattern) - weightOf(b, pattern.pattern))
      .map(shortType);
    return `inlined: ${someOf(first, Math.min(namesAtMost, 1 + level))} ${intoText(callers, 2 + level)}`;
  });
  const untold = inlinedCount(pattern) - shown.reduce((sum, { names }) => sum + names.length, 0);
  if (untold > 0) lines.push(`inlined: ${counted(untold, 'more function')}`);
  return lines;
}

export function inlinedCount({ inlined, moreInlined }: PatternReport): number {
  return inlined.length + moreInlined;
}

function someOf(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return rest <= 0
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')}, … ${grouped(rest)} more`;
}

/** In short form, each once; those of the standard library, which nobody wants to hook, last. */
function callersOf({ callers }: InlinedFunction): string[] {
  return [...new Set(callers.map(shortType))].toSorted(
    (a, b) => Number(isLibrary(a)) - Number(isLibrary(b)),
  );
}

function weightOf(name: string, pattern: string): number {
  if (name === pattern || name.endsWith(`::${pattern}`)) return 0;
  if (isLibrary(name)) return 4;
  if (isMadeOrEnded(name)) return 3;
  return name.includes('operator') ? 2 : 1;
}

function isLibrary(name: string): boolean {
  return /^(?:std|__gnu_cxx|core|alloc)::/.test(name);
}

/** A constructor or destructor. */
function isMadeOrEnded(name: string): boolean {
  const parts = name.split('::');
  const last = parts.at(-1) ?? '';
  return last.startsWith('~') || last === (parts.at(-2) ?? '').replace(/<.*/, '');
}

/** `into a, b and 3 more: hook those`. */
function intoText(callers: readonly string[], most: number): string {
  if (callers.length === 0) return 'everywhere';
  const named = callers.slice(0, most);
  const rest = callers.length - named.length;
  const more = rest > 0 ? ` and ${grouped(rest)} more` : '';
  return `into ${named.join(', ')}${more}: hook ${callers.length === 1 ? 'that' : 'those'}`;
}
