import type { TestFailure, TestResult } from '../model/tests/testReport.ts';
import type { Asserted, AssertedValue } from './asserted.ts';
import { standsIn } from './canonicalText.ts';
import { failedStatement, type StatementForm } from './failedStatement.ts';

const python: StatementForm = {
  assignment: /^\s+([A-Za-z_][\w, ]*?)\s*(?::[^=]+)?=(?!=)/,
  start: /^\s*(?:async )?def /,
  continued: (line) => line.endsWith('\\'),
};

/** What a failure of pytest or unittest says, with the statement of the test that failed. */
export function pythonAsserted(result: TestResult): Asserted {
  const { failure, file } = result;
  if (failure === null) return { values: [], text: '' };
  const statement = failedStatement(failure, file, python);
  return {
    values: valuesIn(failure, statement.text),
    text: [failure.message, statement.text, ...statement.assigned].join('\n'),
  };
}

/** What a message shows of values, as `repr` writes them. */
function valuesIn({ message, actual, expected }: TestFailure, statement: string): AssertedValue[] {
  const told = [
    // pytest: what a call in the assertion returned, or an attribute was.
    ...captured(/\bwhere (.+?) = (?=[\w<.])/gm, message),
    ...[actual, expected].flatMap((text) => text ?? []),
    // Where two containers differ: pytest, then unittest.
    ...captured(/\bAt index .+? diff: (.+?) != (.+)$/gm, message),
    ...captured(/^[ \t]*\{(?:'[^']*'|\d+): (.+)\} != \{(?:'[^']*'|\d+): (.+)\}$/gm, message),
    ...captured(/^[ \t]*\w+: (.+?) != (.+)$/gm, message),
    ...captured(/^First differing element .+?:\n(.+)\n(.+)$/gm, message),
    ...captured(
      /^(?:AssertionError: )?(?:assert )?(.+?) (?:==|!=|<=|>=|<|>|is|is not|not (?:less|greater) than(?: or equal to)?) (.+?)(?: within .*)?$/gm,
      message,
    ).filter(isWritten),
  ];
  // Of nothing there is too much in any program.
  const texts = [...new Set(told.map((text) => text.trim()))].filter(
    (text) => text !== '' && text !== 'None',
  );
  const isLiteral = (text: string): boolean => standsIn(statement, text);
  return [
    ...texts.filter((text) => !isLiteral(text)),
    // What the test itself wrote down was not computed, unless all was.
    ...(texts.every(isLiteral) ? texts : []),
  ].map((text) => ({ text, plain: plainValue(text) }));
}

function captured(form: RegExp, text: string): string[] {
  return [...text.matchAll(form)].flatMap((found) => found.slice(1).filter((one) => one !== ''));
}

/** Whether a text looks like a value and not like words. */
function isWritten(text: string): boolean {
  return /^(?:-?\d|['"[{(<]|(?:True|False)$|[A-Z]\w*[.(])/.test(text);
}

/** A value that `repr` wrote, as a filter of results compares it; null: it is a container, or of a class. */
function plainValue(text: string): string | number | boolean | null {
  if (text === 'True' || text === 'False') return text === 'True';
  if (/^-?\d{1,15}$/.test(text) || /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/.test(text))
    return /^-?\d{16,}$/.test(text) ? text : Number(text);
  const quoted = /^(['"])((?:[^\\]|\\[\\'"nt])*)\1$/.exec(text)?.[2];
  return quoted === undefined ? null : quoted.replace(/\\(.)/g, (_, sign: string) => plain(sign));
}

function plain(escape: string): string {
  return escape === 'n' ? '\n' : escape === 't' ? '\t' : escape;
}
