import { valueColumnNames } from './valueColumnNames.ts';
import { isRising, times } from './rising.ts';
import type { SqlToken } from './sqlTokens.ts';

/** An expression that the table `calls` evaluates once for all calls in which what it reads is the same. */
export interface GroupedBy {
  /** With `?1` and so on in place of columns. */
  readonly expression: string;
  readonly inputs: readonly string[];
  /** It reads the start alone, and is never less where that is later. */
  readonly rises: boolean;
}

/** What is JSON: the table has its own order of it as that of an expression. */
export const jsonColumns = ['arguments', 'return_value'];
const whole = new Set([
  ...['line_number', 'thread_id', 'pid', 'depth', 'duration_ns', 'duration_us', 'duration_ms'],
  ...times,
]);
const columns = new Set([
  ...whole,
  ...['function_name', 'signature', 'module', 'source_file', 'thread_name', 'end'],
  ...valueColumnNames,
  ...jsonColumns,
]);
/** Those that answer the same for the same, and nothing that only a function could be asked for. */
const functions = new Set([
  ...[
    'abs',
    'ceil',
    'ceiling',
    'char',
    'coalesce',
    'exp',
    'floor',
    'format',
    'hex',
    'ifnull',
    'iif',
  ],
  ...[
    'instr',
    'length',
    'ln',
    'log',
    'log10',
    'log2',
    'lower',
    'ltrim',
    'max',
    'min',
    'mod',
    'nullif',
  ],
  ...['pow', 'power', 'printf', 'replace', 'round', 'rtrim', 'sign', 'sqrt', 'substr', 'substring'],
  ...['trim', 'trunc', 'typeof', 'unicode', 'upper'],
]);
const words = new Set([
  ...['case', 'when', 'then', 'else', 'and', 'or', 'not', 'is', 'null', 'isnull', 'notnull'],
  ...['between', 'in', 'like', 'glob', 'escape', 'cast', 'as', 'true', 'false'],
]);
const operandWords = new Set(['null', 'isnull', 'notnull', 'true', 'false']);
const types = new Set(['int', 'integer', 'bigint', 'real', 'double', 'float', 'numeric', 'text']);
const otherSigns = new Set([';', '?', ':', '@', '$', '->', '->>', '.']);

/** The units that times and durations have columns for. */
const units: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  timestamp_ns: { 1000: 'timestamp_us', 1000000: 'timestamp_ms', 1000000000: 'timestamp_s' },
  duration_ns: { 1000: 'duration_us', 1000000: 'duration_ms' },
};

/** The column that an expression is; null: none. */
export function columnFor(tokens: readonly SqlToken[]): string | null {
  const [column, sign, unit, ...rest] = tokens;
  if (column?.kind !== 'word' || sign?.text !== '/' || unit?.kind !== 'number') return null;
  return rest.length > 0 ? null : (units[column.key]?.[unit.text] ?? null);
}

/** What the table evaluates; null: it cannot. Of columns without the table's name. */
export function groupedBy(tokens: readonly SqlToken[]): GroupedBy | null {
  const reader = new Reader();
  if (tokens.some((_, i) => isAggregate(tokens, i))) return null;
  if (!tokens.every((token, i) => reader.takes(token, tokens[i + 1]))) return null;
  const { inputs, parts, open } = reader;
  if (inputs.length === 0 || open > 0) return null;
  const rises = inputs.some((name) => times.includes(name));
  if (rises && !(inputs.length === 1 && isRising(tokens))) return null;
  return { expression: parts.join(' '), inputs, rises };
}

/** `max(depth)`, of one value, is that of all rows; `max(depth, 3)` is one of each. */
function isAggregate(tokens: readonly SqlToken[], at: number): boolean {
  if (!['max', 'min'].includes(tokens[at]?.key ?? '') || tokens[at + 1]?.text !== '(') return false;
  let depth = 0;
  for (const { kind, text } of tokens.slice(at + 1, closing(tokens, at + 1))) {
    if (kind !== 'sign') continue;
    if (text === '(') depth++;
    else if (text === ')') depth--;
    else if (text === ',' && depth === 1) return false;
  }
  return true;
}

/** Takes the tokens of an expression, one after the other, as long as each is known. */
class Reader {
  readonly inputs: string[] = [];
  readonly parts: string[] = [];
  /** Of `case`. */
  open = 0;
  #before: SqlToken | null = null;

  takes(token: SqlToken, next: SqlToken | undefined): boolean {
    const part = this.#partOf(token, next);
    if (part !== null) this.parts.push(part);
    this.#before = part === 'END' ? { ...token, kind: 'number' } : token;
    return part !== null;
  }

  #partOf(token: SqlToken, next: SqlToken | undefined): string | null {
    const { kind, key, text } = token;
    if (kind === 'number' || kind === 'text') return text;
    if (kind === 'sign') return otherSigns.has(text) ? null : text;
    const isAfterOperand = endsOperand(this.#before);
    if (kind === 'word' && key === 'end' && isAfterOperand) return this.open-- > 0 ? 'END' : null;
    if (next?.text === '(' && functions.has(key)) return key;
    if (columns.has(key) && !isAfterOperand) return this.#input(key);
    if (kind === 'quoted' || !isKnown(key, this.#before)) return null;
    if (key === 'case') this.open++;
    return key;
  }

  #input(column: string): string {
    if (!this.inputs.includes(column)) this.inputs.push(column);
    const input = `?${this.inputs.indexOf(column) + 1}`;
    // Compared with text as the column is, which has a type.
    return whole.has(column) ? `CAST(${input} AS INTEGER)` : input;
  }
}

function isKnown(key: string, before: SqlToken | null): boolean {
  return before?.kind === 'word' && before.key === 'as' ? types.has(key) : words.has(key);
}

/** Whether what follows an operand can follow: there `end` closes a `case`. */
export function endsOperand(token: SqlToken | null): boolean {
  if (!token) return false;
  if (token.kind === 'sign') return token.text === ')';
  return token.kind !== 'word' || !words.has(token.key) || operandWords.has(token.key);
}

/** Without brackets around all of it. */
export function bare(tokens: readonly SqlToken[]): readonly SqlToken[] {
  return tokens[0]?.text === '(' && closing(tokens, 0) === tokens.length - 1
    ? bare(tokens.slice(1, -1))
    : tokens;
}

/** Where the bracket that opens at a place is closed; -1: nowhere. */
export function closing(tokens: readonly SqlToken[], opening: number): number {
  let depth = 0;
  for (let i = opening; i < tokens.length; i++) {
    const text = tokens[i]?.kind === 'sign' ? tokens[i]?.text : '';
    if (text === '(') depth++;
    if (text === ')' && --depth === 0) return i;
  }
  return -1;
}

/** Without the table's name, as it is called in the statement, before its columns. */
export function unqualified(tokens: readonly SqlToken[], source: string): readonly SqlToken[] {
  return tokens.filter(({ kind, key, text }, i) => {
    const isSource = key === source && (kind === 'word' || kind === 'quoted');
    const isPoint = text === '.' && tokens[i - 1]?.key === source;
    return !(isSource && tokens[i + 1]?.text === '.') && !isPoint;
  });
}
