import type {
  PatternReport,
  RefusedFunction,
  TraceReport,
} from '../../../model/functions/hookReport.ts';
import { escaped } from '../../../base/visible.ts';
import { inlinedCount, inlinedLines } from './inlinedLines.ts';
import { shortType } from '../text/nameText.ts';
import { counted, grouped, listed } from '../text/groupedNumber.ts';
import { fileName, place } from '../text/placeText.ts';

/** How much a hooks block tells; `level` 0 is the least. */
export interface HooksDetail {
  readonly level: number;
  readonly projectRoot: string;
}

/** Per pattern what matched, what is hooked, and for everything else why not; as text lines. */
export function hooksLines(trace: TraceReport, detail: HooksDetail): string[] {
  const patterns = shownPatterns(trace, detail);
  const lines = patterns.flatMap((pattern) => patternLines(pattern, detail));
  const rest = trace.patterns.length - patterns.length;
  if (rest > 0) lines.push(`… ${counted(rest, 'more pattern')}`);
  for (const { pattern, unhooked, found } of trace.removed) {
    lines.push(
      found
        ? `removed ${pattern}: ${counted(unhooked, 'function')} unhooked`
        : `not removed: no pattern "${escaped(pattern)}" is active`,
    );
  }
  return lines;
}

/** After the end: of each pattern by which nothing was hooked one line that says why. */
export function hooklessLines(trace: TraceReport, detail: HooksDetail): string[] {
  const hookless = trace.patterns.filter(({ hooked }) => hooked === 0);
  const lines = hookless.slice(0, mostHookless).map((pattern) => {
    const why = [
      ...refusalLines(pattern.refused, detail).map((line) => line.trim()),
      ...tooLate(pattern.waiting),
      ...patternNotes({ ...pattern, waiting: [] }, detail),
    ].join('; ');
    return `${escaped(pattern.pattern)} hooked nothing: ${why.replace(/\.$/, '')}.`;
  });
  const rest = hookless.length - lines.length;
  if (rest > 0) lines.push(`${counted(rest, 'more pattern')} hooked nothing.`);
  return lines;
}

const mostHookless = 8;
const mostFiles = 3;

function tooLate(waiting: PatternReport['waiting']): string[] {
  const functions = waiting.reduce((sum, one) => sum + one.functions, 0);
  if (functions === 0) return [];
  const names = waiting.slice(0, mostFiles).map(({ module }) => fileName(module));
  const rest = waiting.length - names.length;
  const files = rest > 0 ? `${names.join(', ')}, … ${counted(rest, 'more file')}` : listed(names);
  return [
    `${counted(functions, 'function')} of ${files} ${functions === 1 ? 'was' : 'were'} loaded too late or not at all`,
  ];
}

/** The same as the tools' output schemas have it. */
export function hooksTwin(trace: TraceReport, detail: HooksDetail): object {
  const patterns = shownPatterns(trace, detail);
  const all = trace.patterns.flatMap((pattern) => pattern.refused);
  const told = patterns.flatMap((pattern) => pattern.refused.slice(0, mostRefusals(detail)));
  return {
    activePatterns: patterns.map((pattern) => ({
      pattern: pattern.pattern,
      matched: pattern.matched,
      hooked: pattern.hooked,
      inlined: inlinedCount(pattern),
      refused: pattern.refused.length,
      ...(pattern.state === 'added' && pattern.examples.length > 0
        ? { functions: exampleTexts(pattern, detail).texts }
        : {}),
      notes: patternNotes(pattern, detail),
    })),
    matchedFunctions: trace.matchedFunctions,
    hookedFunctions: trace.hookedFunctions,
    refusals: told.map((fn) => ({
      function: fn.function,
      reason: fn.reason,
      instead: fn.instead.length > 0 ? listed(fn.instead) : null,
    })),
    ...(all.length > told.length ? { omittedRefusals: all.length - told.length } : {}),
  };
}

/** Those of this request and those with a problem come first. */
function shownPatterns(trace: TraceReport, { level }: HooksDetail): PatternReport[] {
  const weight = (pattern: PatternReport): number =>
    (pattern.state === 'active' ? 0 : 2) + (pattern.hooked === 0 ? 1 : 0);
  return trace.patterns.toSorted((a, b) => weight(b) - weight(a)).slice(0, 3 + level * 5);
}

function mostRefusals({ level }: HooksDetail): number {
  return 1 + level * 2;
}

function patternLines(pattern: PatternReport, detail: HooksDetail): string[] {
  if (pattern.state === 'staged') return [`${escaped(pattern.pattern)}: waits for the next launch`];
  const figures = [`matched ${grouped(pattern.matched)}`, `hooked ${grouped(pattern.hooked)}`];
  if (pattern.inlined.length > 0) figures.push(`inlined ${grouped(inlinedCount(pattern))}`);
  if (pattern.refused.length > 0) figures.push(`refused ${grouped(pattern.refused.length)}`);
  if (pattern.leftOut > 0) figures.push(`left out ${grouped(pattern.leftOut)}`);
  const lines = [
    `${escaped(pattern.pattern)}: ${pattern.problem ? problemText(pattern) : figures.join(' · ')}`,
  ];
  const named = exampleTexts(pattern, detail);
  if (named.texts.length > 0 && pattern.state === 'added') {
    const rest = pattern.hooked - named.functions;
    lines.push(`  hooked: ${named.texts.join(', ')}${rest > 0 ? `, … ${grouped(rest)} more` : ''}`);
  }
  lines.push(...refusalLines(pattern.refused, detail));
  const notes = patternNotes(
    pattern.problem ? { ...pattern, problem: null, matched: 1 } : pattern,
    detail,
  );
  lines.push(...notes.map((note) => `  ${note}`));
  return lines;
}

/** `settle::Ledger::book src/ledger.cpp:31`; ` ×2` where two have the same name and place. */
function exampleTexts(
  pattern: PatternReport,
  { level, projectRoot }: HooksDetail,
): { readonly texts: string[]; readonly functions: number } {
  const times = new Map<string, number>();
  for (const fn of pattern.examples) {
    const where = place(fn.file, fn.line, projectRoot);
    const text = `${shortType(fn.function)}${where === '' ? '' : ` ${where}`}`;
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  const shown = [...times].slice(0, Math.min(examplesAtMost, level * 2));
  return {
    texts: shown.map(([text, count]) => (count > 1 ? `${text} ×${grouped(count)}` : text)),
    functions: shown.reduce((sum, [, count]) => sum + count, 0),
  };
}

const examplesAtMost = 10;

function problemText(pattern: PatternReport): string {
  return pattern.problem ? `${pattern.problem.code}: ${escaped(pattern.problem.detail)}` : '';
}

/** One line per reason. */
function refusalLines(refused: readonly RefusedFunction[], detail: HooksDetail): string[] {
  const byReason = new Map<string, RefusedFunction[]>();
  for (const fn of refused) byReason.set(fn.reason, [...(byReason.get(fn.reason) ?? []), fn]);
  return [...byReason].map(([reason, functions]) => {
    const named = functions
      .slice(0, mostRefusals(detail))
      .map(
        (fn) =>
          `${shortType(fn.function)}${fn.instead.length > 0 ? ` (hook ${listed(fn.instead.slice(0, 3))} instead)` : ''}`,
      );
    const rest = functions.length - named.length;
    return `  refused: ${named.join(', ')}${rest > 0 ? `, … ${grouped(rest)} more` : ''}: ${reason}`;
  });
}

/** Inlined functions, libraries that are waited for, nearest names: what both forms say in words. */
function patternNotes(pattern: PatternReport, detail: HooksDetail): string[] {
  const notes = inlinedLines(pattern, detail.level);
  for (const { module, functions } of pattern.waiting.slice(0, 1 + detail.level)) {
    notes.push(
      `${counted(functions, 'function')} will be hooked when ${fileName(module)} is loaded`,
    );
  }
  if (pattern.shared > 0)
    notes.push(`${grouped(pattern.shared)} of them hooked by another pattern already`);
  if (pattern.problem) notes.push(`${pattern.problem.code}: ${pattern.problem.detail}`);
  else if (matchesNothing(pattern)) notes.push('matches no function');
  if (pattern.nearest.length > 0)
    notes.push(`nearest names: ${pattern.nearest.slice(0, 2 + detail.level).join(', ')}`);
  return [...notes, ...pattern.notes].map((note) => escaped(note));
}

function matchesNothing({ matched, inlined, state }: PatternReport): boolean {
  return matched === 0 && inlined.length === 0 && state !== 'staged';
}
