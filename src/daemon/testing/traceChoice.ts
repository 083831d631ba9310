import { isAbsolute, relative } from 'node:path';
import { isBelow } from '../../base/paths.ts';
import { isSystemPath } from '../../base/systemPaths.ts';
import { parsePattern } from '../../model/names/pattern.ts';
import type { TestFailure, TestResult } from '../../model/tests/testReport.ts';
import type { SymbolResolver } from '../../symbols/resolver.ts';
import type { ChosenTest, TestAdapter } from '../../testing/adapter.ts';
import { ownFrames } from '../../testing/suspects.ts';
import { bodyOf, callsIn, sourceText } from '../../testing/testSource.ts';
import { counted } from '../report/text/groupedNumber.ts';
import { isDynamicLanguage } from './suspects/callName.ts';
import { patternRequest, type PatternRequest } from '../tracing/patternRequest.ts';

/** A program with so many functions of its own is traced whole. */
const mostForAll = 1500;
/** Files, or functions, that a choice names at most. */
const mostNamed = 12;
const mostFiles = 8;

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
  const isElsewhere = count === 0 && grounds.programs.length > 0;
  // Where nothing is known of the programs, the trace finds out.
  if (count <= mostForAll && !isElsewhere)
    return {
      patterns: deep(['@usercode', ...functions], adapter),
      reason:
        count > 0 ? `all ${counted(count, 'function')} of the project` : 'the project’s functions',
    };
  const { failure } = result;
  const called = calledBy(adapter, test, filesOf(result));
  const named = [...new Set([...called, ...adapter.suspects(failure, result)])];
  // Only the project's, or what was built elsewhere: a name such as `get` is in every library.
  const found = await ownNamed(grounds, named.slice(0, mostNamed), isElsewhere);
  if (isElsewhere)
    return {
      patterns: deep(['@usercode', ...functions, ...found.map(({ name }) => name)], adapter),
      reason: 'what the failure and the test name: the program was built from sources elsewhere',
    };
  const frames = ownFrames(failure.frames, root).map(({ file }) => file);
  const around = [...found.map(({ file }) => file), ...frames, ...changed];
  const files = [...new Set(around)].slice(0, mostFiles);
  if (files.length === 0)
    return {
      patterns: deep(['@usercode', ...functions], adapter),
      reason: 'the project’s functions',
    };
  return {
    patterns: deep([...functions, ...files.map((file) => `@file:${below(file, root)}`)], adapter),
    reason: 'the files of what the test calls, of the failure and of what changed',
  };
}

/** Functions of the project with one of these names, and their files. */
async function ownNamed(
  { programs, symbols, root }: Grounds,
  names: readonly string[],
  isElsewhere: boolean,
): Promise<{ readonly name: string; readonly file: string }[]> {
  const isOwn = (file: string): boolean =>
    isElsewhere ? !isSystemPath(file) && !file.startsWith('/rustc/') : isBelow(file, root);
  const found: { name: string; file: string }[] = [];
  for (const name of names) {
    const patterns = name.startsWith('*') || name.startsWith('@') ? [name] : [name, `**::${name}`];
    for (const text of patterns) {
      const match = await symbols
        .find(programs, parsePattern(text), { projectRoot: root })
        .catch(() => null); // No pattern, or a program without symbols.
      for (const { name: whole, file } of match?.value.functions ?? [])
        if (file !== null && isOwn(file)) found.push({ name: whole, file });
    }
  }
  return found;
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
    patterns: [...first.patterns, ...deep(patterns, grounds.adapter)],
    reason: `${first.reason}, then ${files.length > 0 ? 'all of the files that were reached' : 'all of the project'}`,
  };
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

/** Fields of objects tell the state that a method works on; of Python and JavaScript, whose values are read in place, more of them. */
export function deep(
  patterns: readonly string[],
  { language }: Pick<TestAdapter, 'language'>,
): PatternRequest[] {
  const depth = isDynamicLanguage(language) ? 4 : 1;
  return [...new Set(patterns)].map((pattern) => patternRequest(pattern, depth));
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
