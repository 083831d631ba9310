import type { TestFailure } from '../model/tests/testReport.ts';
import { sourceText } from './testSource.ts';

/** Lines of a statement, and lines above it in which its variables are looked for. */
const mostLines = 12;
const mostAbove = 60;
/** Of a line that is looked at; longer ones are data. */
const mostCharacters = 400;

/** How a language writes what is looked for. */
export interface StatementForm {
  /** A line that assigns; its first group: the names. */
  readonly assignment: RegExp;
  /** A line at which a function begins. */
  readonly start: RegExp;
  /** Whether a line goes on in the next one, with its brackets closed. */
  readonly continued: (line: string) => boolean;
}

/** The statement of a test that failed. */
export interface Statement {
  readonly text: string;
  /** Where its variables got their values. */
  readonly assigned: readonly string[];
}

/** In the file of the test the innermost frame. */
export function failedStatement(
  { frames }: TestFailure,
  testFile: string | null,
  form: StatementForm,
): Statement {
  const frame = frames.find(({ file }) => file === testFile) ?? frames[0];
  const source = frame && frame.line !== null ? sourceText(frame.file) : null;
  if (!frame || frame.line === null || source === null) return { text: '', assigned: [] };
  const lines = source.split('\n');
  const at = frame.line - 1;
  const text = statementAt(lines, at, form);
  return { text, assigned: assignments(lines, at, text, form) };
}

/** Up to where its brackets are closed. */
function statementAt(lines: readonly string[], at: number, { continued }: StatementForm): string {
  let open = 0;
  let end = at;
  for (; end < Math.min(lines.length, at + mostLines); end += 1) {
    const line = lines[end] ?? '';
    open += count(line, /[([{]/g) - count(line, /[)\]}]/g);
    if (open <= 0 && !continued(line)) break;
  }
  return lines.slice(at, end + 1).join('\n');
}

function count(line: string, what: RegExp): number {
  return line.match(what)?.length ?? 0;
}

/** The last assignments before a statement to the variables in it. */
function assignments(
  lines: readonly string[],
  at: number,
  statement: string,
  form: StatementForm,
): string[] {
  const wanted = new Set(statement.match(/[A-Za-z_]\w*/g) ?? []);
  const found: string[] = [];
  for (let line = at - 1; line >= Math.max(0, at - mostAbove); line -= 1) {
    const text = (lines[line] ?? '').slice(0, mostCharacters);
    if (form.start.test(text)) break;
    const names = form.assignment.exec(text)?.[1]?.match(/[A-Za-z_]\w*/g) ?? [];
    if (!names.some((name) => wanted.has(name))) continue;
    for (const name of names) wanted.delete(name);
    found.push(statementAt(lines, line, form));
  }
  return found;
}
