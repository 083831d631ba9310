import type { ReadingStatement, Sqlite } from '../sqlite.ts';

/*
 * The table `calls` has columns for values that a statement names (native/sql/arguments.h): what
 * `json_extract(arguments, '$.name')`, `arguments ->> 'name'` and the same of `return_value` answer, and sums of
 * `return_value`. So no JSON is written and parsed for each call.
 */

/** What `json_extract` answers of `what` with the path. */
export interface NamedValue {
  readonly what: 'arguments' | 'return_value';
  readonly path: string;
}

export interface NamedValues {
  /** The statement with `argument_0` and so on in place of the values. */
  readonly sql: string;
  readonly values: readonly NamedValue[];
}

/** Columns that the table has (native/sql/store.h). */
const mostValues = 8;

/** Texts, quoted names and remarks. */
const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g;
const value = String.raw`(\b\w+\s*\.\s*)?\b(arguments|return_value)\b`;
/** Texts are their numbers here. */
const extracted = new RegExp(String.raw`\bjson_extract\s*\(\s*${value}\s*,\s*'(\d+)'\s*\)`, 'gi');
/** Not behind signs that bind as tightly. */
const taken = new RegExp(
  String.raw`(?<=(?:[(,=<>*/%]|\w\s)\s*)(?<!->>?\s*)${value}\s*->>\s*'(\d+)'(?!\s*collate\b)`,
  'gi',
);
const summed = /\b(sum|avg|total)(\s*\(\s*(?:\w+\s*\.\s*)?)return_value(?=\s*\))/gi;

/** Paths of names and places; of arguments a name comes first. */
const paths = {
  arguments: /^\$\.[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*$/,
  return_value: /^\$(?:\.[A-Za-z_]\w*|\[\d+\])*$/,
} as const;
const label = /^[A-Za-z_]\w*$/;

/** Functions that tell JSON from text that looks the same. */
const ofJson = /\bjson(?!_extract\b)|\bsubtype\b/i;
/** What another SELECT may call the same, or has from another table. */
const shared = /\b(?:arguments|return_value|events)\b/i;
/** One SELECT from calls alone, in which nothing is compared as text because of its type. */
const onlyCalls =
  /^\s*select\b(?!.*\b(?:select|cast\s*\(|in\s*[^\s(])).*\bfrom\s+calls\s*(?:\([^()]*\)\s*)?(?:(?:where|group|order|having|limit)\b|;?\s*$)/is;
const everything = /(?:\b(?:select|distinct|all)|[,.])\s*\*/i;

/** What a statement of a client answers: values that it names are columns where that answers the same. */
export function prepareNamed(asked: Sqlite, sql: string): ReadingStatement {
  const statement = asked.prepareReading(sql);
  const named = namedValues(sql);
  if (!named) return statement;
  const define = asked.prepare<[number, string, string]>('SELECT strobe_argument(?, ?, ?)');
  named.values.forEach(({ what, path }, i) => define.get(i, what, path));
  try {
    const quick = asked.prepareReading(named.sql);
    return { columns: statement.columns, iterate: (given) => quick.iterate(given) };
  } catch {
    // A table that has no such columns.
    return statement;
  }
}

/**
 * Prepares and reads a statement, again where the extension finds values that it does not sort (native/sql/tuples.h):
 * from then on it leaves them to SQLite.
 */
export function readSorted<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_TOOBIG')) throw error;
    return read();
  }
}

/** Null: there is nothing to gain, or it might mean something else. */
export function namedValues(sql: string): NamedValues | null {
  const texts: string[] = [];
  const bare = sql.replaceAll(quoted, (text) => {
    if (text.startsWith('--') || text.startsWith('/*')) return ' ';
    const quote = text[0] === "'" ? "'" : '"';
    return `${quote}${texts.push(text) - 1}${quote}`;
  });
  if (ofJson.test(bare)) return null;
  const values: NamedValue[] = [];
  // With a sign a column is compared as an expression is, but rows are not sorted by it.
  const sign = onlyCalls.test(bare) ? '' : '+';
  const column = (all: string, owner: string | undefined, name: string, text: string): string => {
    const what = name.toLowerCase() === 'arguments' ? 'arguments' : 'return_value';
    const written = (texts[Number(text)] ?? '').slice(1, -1);
    const path = !all.includes('(') && label.test(written) ? `$.${written}` : written;
    let at = values.findIndex((one) => one.what === what && one.path === path);
    if (at < 0 && (!paths[what].test(path) || values.length === mostValues)) return all;
    if (at < 0) at = values.push({ what, path }) - 1;
    return `(${sign}${owner ?? ''}argument_${at})`;
  };
  const changed = bare
    .replaceAll(extracted, column)
    .replaceAll(taken, column)
    .replaceAll(summed, '$1$2return_number');
  const selects = bare.match(/\bselect\b/gi)?.length ?? 0;
  const names = `${changed} ${texts.filter((text) => !text.startsWith("'")).join(' ')}`;
  if (changed === bare || (selects > 1 && (shared.test(names) || everything.test(bare))))
    return null;
  const back = (_: string, quote: string, text: string): string => texts[Number(text)] ?? quote;
  return { sql: changed.replaceAll(/(['"])(\d+)\1/g, back), values };
}
