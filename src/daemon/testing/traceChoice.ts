import { isAbsolute, relative } from 'node:path';
import { parsePattern } from '../../model/names/pattern.ts';
import type { KnownTest, TestFailure, TestResult } from '../../model/tests/testReport.ts';
import type { SymbolResolver } from '../../symbols/resolver.ts';
import type { ChosenTest, TestAdapter } from '../../testing/adapter.ts';
import { ownFrames } from '../../testing/suspects.ts';
import { bodyOf, callsIn, sourceText } from '../../testing/testSource.ts';
import { counted } from '../report/text/groupedNumber.ts';
import { patternRequest, type PatternRequest } from '../tracing/patternRequest.ts';

/** A program with so many functions of its own is traced whole. */
const mostForAll = 1500;
/** Files, or functions, that a choice names at most. */
const mostNamed = 12;
const mostFiles = 8;
const mostSiblings = 60;

/** What to trace, and why that. */
export interface Choice {
  readonly patterns: readonly PatternRequest[];
  /** In words, as part of a sentence. */
  readonly reason: string;
}

/** What a choice is made from. */
export interface Grounds {
  readonly adapter: TestAdapter;
  readonly root: string;
  /** The programs the tests run in, as far as they are known. */
  readonly programs: readonly string[];
  readonly symbols: Pick<SymbolResolver, 'find'>;
  /** Files written since the tests passed last. */
  readonly changed: readonly string[];
}

/**
 * All of the project's functions where that is few enough; else those that the failure, the
 * test's own text and the changed files name.
 */
export async function firstChoice(
  grounds: Grounds,
  test: ChosenTest,
  result: TestResult & { readonly failure: TestFailure },
): Promise<Choice> {
  const { adapter, root, changed } = grounds;
  const functions = adapter.inCode?.functions(test) ?? [];
  const count = await ownFunctions(grounds);
  if (count > 0 && count <= mostForAll)
    return {
      patterns: deep(['@usercode', ...functions]),
      reason: `all ${counted(count, 'function')} of the project`,
    };
  const { failure } = result;
  const called = calledBy(adapter, test, filesOf(result));
  const frames = ownFrames(failure.frames, root).map(({ file }) => file);
  const named = [...new Set([...adapter.suspects(failure, result), ...called])];
  const files = [...new Set([...frames, ...changed])].slice(0, mostFiles);
  if (named.length + files.length === 0)
    return { patterns: deep(['@usercode', ...functions]), reason: 'the project’s functions' };
  return {
    patterns: deep([
      ...functions,
      ...named.slice(0, mostNamed).flatMap((name) => qualified(name)),
      ...files.map((file) => `@file:${below(file, root)}`),
    ]),
    reason: 'what the failure, the test and the changed files name',
  };
}

/** Everything in the files of the functions that were called: what surrounds the first trace. */
export function widerChoice(
  first: Choice,
  grounds: Grounds,
  called: readonly string[],
): Choice | null {
  if (first.patterns.some(({ pattern }) => pattern.selection.kind === 'usercode')) return null;
  const files = [...new Set(called)].slice(0, mostFiles).map((file) => below(file, grounds.root));
  const patterns = files.length > 0 ? files.map((file) => `@file:${file}`) : ['@usercode'];
  return {
    patterns: [...first.patterns, ...deep(patterns)],
    reason: `${first.reason}, then ${files.length > 0 ? 'all of the files that were reached' : 'all of the project'}`,
  };
}

/** The passing test that is most like the failed one: by file or suite, then by what both call. */
export function nearestPassing(
  adapter: TestAdapter,
  failed: TestResult,
  passing: readonly ChosenTest[],
): ChosenTest | null {
  const near = passing
    .filter((one) => one.id !== failed.id && isBeside(one, failed))
    .slice(0, mostSiblings);
  const files = filesOf(failed);
  const called = calledBy(adapter, failed, files);
  const likeness = (one: ChosenTest): number => {
    const names = calledBy(adapter, one, files);
    const left = [...called];
    const both = names.filter((name) => {
      const at = left.indexOf(name);
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    }).length;
    return both / Math.max(1, called.length + names.length - both);
  };
  const ranked = near
    .map((one) => ({ one, like: likeness(one), prefix: sharedPrefix(one.name, failed.name) }))
    .toSorted((a, b) => b.like - a.like || b.prefix - a.prefix);
  return ranked[0]?.one ?? null;
}

/** Tests as history knows them, those that passed. */
export function passed(known: readonly KnownTest[]): ChosenTest[] {
  return known.filter(({ lastOutcome }) => lastOutcome === 'passed');
}

async function ownFunctions({ programs, symbols, root }: Grounds): Promise<number> {
  let count = 0;
  for (const program of programs) {
    const found = await symbols
      .find([program], parsePattern('@usercode'), { projectRoot: root })
      .catch(() => null); // A program without symbols is met again when it is traced.
    count += found?.value.functions.length ?? 0;
    if (count > mostForAll) break;
  }
  return count;
}

/** Fields of objects tell the state that a method works on. */
function deep(patterns: readonly string[]): PatternRequest[] {
  return [...new Set(patterns)].map((pattern) => patternRequest({ pattern, depth: 1 }));
}

function qualified(name: string): string[] {
  return name.startsWith('@') || name.startsWith('*') ? [name] : [name, `**::${name}`];
}

function below(file: string, root: string): string {
  const path = isAbsolute(file) ? relative(root, file) : file;
  return path.startsWith('..') ? file : path;
}

function filesOf({ file, failure }: TestResult): string[] {
  const frames = (failure?.frames ?? []).toReversed().map((frame) => frame.file);
  return [...new Set([...(file === null ? [] : [file]), ...frames])];
}

/** What the test's own text calls; empty when it is not found. */
function calledBy(adapter: TestAdapter, test: ChosenTest, files: readonly string[]): string[] {
  const declaration = adapter.inCode?.declaration(test);
  if (!declaration) return [];
  for (const file of [...(test.file === null ? [] : [test.file]), ...files]) {
    const source = sourceText(file);
    const body = source === null ? null : bodyOf(source, declaration);
    if (body !== null) return callsIn(body);
  }
  return [];
}

/** Of the same file, or of the same suite or module where files are not told. */
function isBeside(one: ChosenTest, other: ChosenTest): boolean {
  if (one.file !== null && other.file !== null && one.file === other.file) return true;
  const group = (id: string): string => id.replace(/(::|\.|\/)?[^.:/]*$/, '');
  return group(one.id) === group(other.id);
}

function sharedPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
