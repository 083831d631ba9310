import type { TestFailure, TestResult } from '../model/tests/testReport.ts';
import type { Asserted, AssertedValue } from './asserted.ts';
import { sourceText } from './testSource.ts';

/** Lines of a statement, and lines above it in which its variables are looked for. */
const mostLines = 12;
const mostAbove = 60;
/** Of a line that is looked at; longer ones are data. */
const mostCharacters = 400;

/** What a failure of pytest or unittest says, with the statement of the test that failed. */
export function pythonAsserted(result: TestResult): Asserted {
  const { failure, file } = result;
  if (failure === null) return { values: [], text: '' };
  const statement = failedStatement(failure, file);
  return {
    values: valuesIn(failure, statement.text),
    text: [failure.message, statement.text, ...statement.assigned].join('\n'),
  };
}

interface Statement {
  readonly text: string;
  /** Where its variables got their values. */
  readonly assigned: readonly string[];
}

/** In the file of the test the innermost frame. */
function failedStatement({ frames }: TestFailure, testFile: string | null): Statement {
  const frame = frames.find(({ file }) => file === testFile) ?? frames[0];
  const source = frame && frame.line !== null ? sourceText(frame.file) : null;
  if (!frame || frame.line === null || source === null) return { text: '', assigned: [] };
  const lines = source.split('\n');
  const at = frame.line - 1;
  const text = statementAt(lines, at);
  return { text, assigned: assignments(lines, at, text) };
}

/** Up to where its brackets are closed. */
function statementAt(lines: readonly string[], at: number): string {
  let open = 0;
  let end = at;
  for (; end < Math.min(lines.length, at + mostLines); end += 1) {
    const line = lines[end] ?? '';
    open += count(line, /[([{]/g) - count(line, /[)\]}]/g);
    if (open <= 0 && !line.endsWith('\\')) break;
  }
  return lines.slice(at, end + 1).join('\n');
}

function count(line: string, what: RegExp): number {
  return line.match(what)?.length ?? 0;
}

const assignment = /^\s+([A-Za-z_][\w, ]*?)\s*(?::[^=]+)?=(?!=)/;

/** The last assignments before a statement to the variables in it. */
function assignments(lines: readonly string[], at: number, statement: string): string[] {
  const wanted = new Set(statement.match(/[A-Za-z_]\w*/g) ?? []);
  const found: string[] = [];
  for (let line = at - 1; line >= Math.max(0, at - mostAbove); line -= 1) {
    const text = (lines[line] ?? '').slice(0, mostCharacters);
    if (/^\s*(?:async )?def /.test(text)) break;
    const names = assignment.exec(text)?.[1]?.split(/\s*,\s*/) ?? [];
    if (!names.some((name) => wanted.has(name))) continue;
    for (const name of names) wanted.delete(name);
    found.push(statementAt(lines, line));
  }
  return found;
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

/** Whether a statement holds a value as a literal. */
function standsIn(statement: string, text: string): boolean {
  const inside = canonicalText(statement);
  const wanted = canonicalText(text);
  for (let at = inside.indexOf(wanted); at >= 0; at = inside.indexOf(wanted, at + 1)) {
    const before = inside[at - 1] ?? ' ';
    const after = inside[at + wanted.length] ?? ' ';
    if (!/[\w.]/.test(before) && !/[\w.]/.test(after)) return true;
  }
  return false;
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

/**
 * One writing for what `repr` shows and what answers show (report/text/valueText.ts): all brackets and quotes alike,
 * no blanks, classes without their modules.
 */
export function canonicalText(text: string): string {
  return text
    .replace(/\bdatetime\.(date|datetime)\(([\d, ]+)\)/g, (_, kind: string, parts: string) =>
      dateText(kind, parts.split(/, */)),
    )
    .replace(/<(\w+\.\w+): [^<>]*>/g, '$1')
    .replace(/\btrue\b/g, 'True')
    .replace(/\bfalse\b/g, 'False')
    .replace(/[[{]/g, '(')
    .replace(/[\]}]/g, ')')
    .replace(/"/g, "'")
    .replace(/\b(?:\w+\.)+(?=\w+\()/g, '')
    .replace(/\s+/g, '')
    .replace(/\bset\(\)/g, '()')
    .replace(/,\)/g, ')');
}

/** `date('2026-03-31')`. */
function dateText(kind: string, parts: readonly string[]): string {
  const two = (at: number): string => (parts[at] ?? '0').padStart(2, '0');
  const day = `${(parts[0] ?? '').padStart(4, '0')}-${two(1)}-${two(2)}`;
  if (kind === 'date') return `date('${day}')`;
  const micro = parts[6] === undefined ? '' : `.${parts[6].padStart(6, '0')}`;
  return `datetime('${day} ${two(3)}:${two(4)}:${two(5)}${micro}')`;
}
