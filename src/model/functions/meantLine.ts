import type { StatementMatch, StatementWhere } from './foundStatement.ts';

const mostNearest = 3;
const mostLines = 6;

/** The line of a file that is meant, or why there is none; a whole sentence. */
export type MeantLine =
  { readonly line: number; readonly moved: StatementMatch['moved'] } | { readonly why: string };

/** `lines`: of the file as it is now; null: it cannot be read. */
export function meantLine(
  where: Extract<StatementWhere, { kind: 'line' | 'text' }>,
  lines: readonly string[] | null,
): MeantLine {
  if (where.kind === 'line' && lines !== null && where.line > countOf(lines))
    return { why: `${where.file} has ${countOf(lines)} lines.` };
  const text = (where.kind === 'text' ? where.text : (where.expect ?? '')).trim();
  if (where.kind === 'line' && text === '') return { line: where.line, moved: null };
  if (lines === null)
    return { why: `The source ${where.file} cannot be read, so its text is not known.` };
  const has = (line: number): boolean => (lines[line - 1] ?? '').includes(text);
  if (where.kind === 'line' && has(where.line)) return { line: where.line, moved: null };
  const found = lines.flatMap((_line, i) => (has(i + 1) ? [i + 1] : []));
  const near = where.kind === 'line' ? where.line : where.near;
  const [first] = near === undefined ? found : nearestLines(found, near);
  if (first === undefined)
    return { why: `${JSON.stringify(text)} stands nowhere in ${where.file}.` };
  if (near === undefined && found.length > 1)
    return {
      why: `${JSON.stringify(text)} stands in lines ${found.slice(0, mostLines).join(', ')} of ${where.file}: say which by "near".`,
    };
  const moved =
    where.kind === 'line' ? { from: where.line, to: first, why: 'its text is there now' } : null;
  return { line: first, moved };
}

/** What follows the last newline is no line. */
function countOf(lines: readonly string[]): number {
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}

export function nearestLines(lines: readonly number[], line: number): number[] {
  return lines.toSorted((a, b) => Math.abs(a - line) - Math.abs(b - line)).slice(0, mostNearest);
}

/** Whether a path ends as a request has it. */
export function isMeantFile(path: string, file: string): boolean {
  return path === file || path.endsWith(`/${file.replace(/^(?:\.\/)+/, '')}`);
}
