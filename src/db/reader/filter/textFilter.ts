import picomatch from 'picomatch';
import { RE2JS } from 're2js';
import { StrobeError } from '../../../model/errors.ts';
import {
  fileMatcher,
  isKnownFunction,
  matchesDottedName,
  matchesModule,
  matchesName,
  parsePattern,
  type Pattern,
} from '../../../model/names/pattern.ts';
import { nameStyleOf } from '../../../model/functions/definedFunction.ts';
import type { TracedFunction } from '../../../model/eventColumns.ts';
import type { TextFilter } from '../../../model/questions/query.ts';

export type TextTest = (text: string) => boolean;

/** A search for a regular expression (RE2 syntax); throws BAD_REGEX. */
export function regexTest(pattern: string): TextTest {
  const compiled = compile(pattern);
  return (text) => compiled.matcher(text).find();
}

/** Where the expression first matches; -1: nowhere. Throws BAD_REGEX. */
export function regexPlace(pattern: string): (text: string) => number {
  const compiled = compile(pattern);
  return (text) => {
    const matcher = compiled.matcher(text);
    return matcher.find() ? matcher.start() : -1;
  };
}

/** What the first group of the expression matches, or all of it without one; null: nothing. Throws BAD_REGEX. */
export function regexGroup(pattern: string, text: string): string | null {
  const matcher = compile(pattern).matcher(text);
  if (!matcher.find()) return null;
  return matcher.groupCount() > 0 ? matcher.group(1) : matcher.group();
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StrobeError('BAD_REGEX', `/${pattern}/ cannot be read: ${why}`);
  }
}

/** Whether `text` contains `wanted`, whatever the case. */
export function containsTest(wanted: string): TextTest {
  const lower = wanted.toLowerCase();
  return (text) => text.toLowerCase().includes(lower);
}

/** The operators that mean the same for every text. */
const commonOperators = {
  equals:
    (wanted: string): TextTest =>
    (text) =>
      text === wanted,
  contains: containsTest,
  matches: regexTest,
} as const;

function commonTests(filter: TextFilter): TextTest[] {
  const tests: TextTest[] = [];
  if (filter.equals !== undefined) tests.push(commonOperators.equals(filter.equals));
  if (filter.contains !== undefined) tests.push(commonOperators.contains(filter.contains));
  if (filter.matches !== undefined) tests.push(commonOperators.matches(filter.matches));
  return tests;
}

function refuse(subject: string, operator: string, instead: string): never {
  throw new StrobeError(
    'BAD_PARAMETER',
    `${subject}.${operator} cannot be answered.`,
    `Use ${subject}.${instead}.`,
  );
}

/** Each operator has to hold for the name, the signature or the linkage name. */
export function functionTest(filter: TextFilter): (fn: TracedFunction) => boolean {
  if (filter.glob !== undefined) refuse('function', 'glob', 'pattern');
  const tests = commonTests(filter).map(
    (test) => (fn: TracedFunction) => test(fn.name) || test(fn.signature) || test(fn.linkageName),
  );
  if (filter.pattern !== undefined) tests.push(patternTest(filter.pattern));
  return (fn) => tests.every((test) => test(fn));
}

function patternTest(text: string): (fn: TracedFunction) => boolean {
  const pattern = parsePattern(text);
  const { selection, module } = pattern;
  const inModule = (fn: TracedFunction): boolean =>
    module === null || matchesModule(module, fn.module);
  switch (selection.kind) {
    case 'name':
      return (fn) => inModule(fn) && isNamed(pattern, fn);
    case 'file': {
      const inFile = fileMatcher(selection.glob, '/');
      return (fn) => inModule(fn) && fn.file !== null && inFile(fn.file);
    }
    case 'known':
      return (fn) => isKnownFunction(selection, fn);
    case 'usercode':
      throw new StrobeError(
        'BAD_PARAMETER',
        'function.pattern "@usercode" is for tracing, not for filters.',
        'Use sourceFile.glob, for example src/**.',
      );
  }
}

function isNamed(pattern: Pattern, fn: TracedFunction): boolean {
  return nameStyleOf(fn) === 'dotted'
    ? matchesDottedName(pattern, fn.signature)
    : matchesName(pattern, fn.signature);
}

/** A path; `equals` may leave out leading folders, `glob` means the path or its last segments. */
export function fileTest(filter: TextFilter): (fn: TracedFunction) => boolean {
  if (filter.pattern !== undefined) refuse('sourceFile', 'pattern', 'glob');
  const { equals, glob, ...rest } = filter;
  const tests = commonTests(rest);
  if (equals !== undefined) tests.push((path) => path === equals || path.endsWith(`/${equals}`));
  if (glob !== undefined) tests.push(fileMatcher(glob, '/'));
  return ({ file }) => file !== null && tests.every((test) => test(file));
}

export function nameTest(subject: string, filter: TextFilter): TextTest {
  if (filter.pattern !== undefined) refuse(subject, 'pattern', 'glob');
  const tests = commonTests(filter);
  if (filter.glob !== undefined) {
    tests.push(picomatch(filter.glob, { dot: true, noextglob: true, nonegate: true, bash: true }));
  }
  return (text) => tests.every((test) => test(text));
}
