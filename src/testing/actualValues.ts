import type { TestFailure } from '../model/tests/testReport.ts';

/** Texts of values that a failure complains of, the likeliest first: some call may have returned one of them. */
export function actualValues({ message, actual, expected }: TestFailure): readonly string[] {
  const told = [
    ...equalities(message),
    ...[actual, expected].flatMap((text) => (text === null ? [] : [text])),
    // EXPECT_TRUE: `Value of: f()`, `  Actual: false`.
    ...captured(/^ {2}Actual: (.+?)(?: \(.*\))?$/gm, message),
    // EXPECT_LT: `Expected: (a) < (b), actual: 5 vs 3`.
    ...captured(/\bactual: (.+?) vs /g, message),
    ...captured(/\bactual: .+? vs (.+)$/gm, message),
    // EXPECT_NEAR, the second one is mostly the one that was computed.
    ...captured(/ evaluates to (.+?)(?:,|$)/gm, message).toReversed(),
    // Catch2 and doctest: `5 < 3`, `!true`.
    ...captured(/^\s*(-?\d[\d.]*) (?:[<>]=?|!=) /gm, message),
    ...captured(/ (?:[<>]=?|!=) (-?\d[\d.]*)\s*$/gm, message),
  ];
  return [...new Set(told.map((text) => text.trim()).filter((text) => text !== ''))];
}

function captured(form: RegExp, text: string): string[] {
  return [...text.matchAll(form)].flatMap((found) => found[1] ?? []);
}

/** The computed side of GoogleTest's equalities: an expression stands beside its value, a literal is its value. */
function equalities(message: string): string[] {
  const found: string[] = [];
  const form =
    /Expected equality of these values:\n {2}(.*)(?:\n {4}Which is: (.*))?\n {2}(.*)(?:\n {4}Which is: (.*))?/g;
  for (const [, , first, , second] of message.matchAll(form)) {
    if (first !== undefined) found.push(first);
    if (second !== undefined) found.push(second);
  }
  return found;
}

/** As a filter of results compares it: numbers and truth values are no texts. */
export function asResult(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?\d{1,15}$/.test(text) || /^-?\d+\.\d+(?:e[-+]?\d+)?$/i.test(text)) return Number(text);
  return text.replace(/^"(.*)"$/s, '$1');
}
