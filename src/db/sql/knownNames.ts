/**
 * One name for one thing: what JSON answers spell `returnValue` and some tables call `time_ns` is found under any of
 * these names. Only names that SQLite does not know are looked for, so that no statement means something else.
 */

/** The same thing in another table. */
const alike: readonly (readonly [string, string])[] = [
  ['timestamp_ns', 'time_ns'],
  ['parent_event_id', 'parent_id'],
  ['thread_id', 'tid'],
  ['source_file', 'file'],
  ['line_number', 'line'],
  ['function_name', 'name'],
  ['function', 'function_name'],
];

const mostRenamed = 24;
const textOrRemark = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** What `prepare` makes of a statement, with names that it does not know replaced by those it does. Throws what it throws. */
export function withKnownNames<T>(sql: string, prepare: (sql: string) => T): T {
  let failure: unknown = null;
  const tried = new Set<string>();
  const waiting = [sql];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    try {
      return prepare(next);
    } catch (error) {
      const [, unknown = ''] = /no such column: (?:\w+\.)*"?(\w+)"?/.exec(String(error)) ?? [];
      const names = others(unknown);
      // A name that stands for nothing is the reason, not one that only waits to be replaced.
      if (failure === null || (names.length === 0 && isNamed(sql, unknown))) failure = error;
      for (const name of names.toReversed()) {
        const renamed = replaced(next, unknown, name);
        if (tried.has(renamed) || tried.size >= mostRenamed) continue;
        tried.add(renamed);
        waiting.push(renamed);
      }
    }
  }
  throw failure;
}

/** Other names of the same thing, the likeliest first. */
function others(name: string): string[] {
  if (name === '') return [];
  const snake = name.replaceAll(/(?<=[a-z\d])([A-Z])/g, (letter) => `_${letter.toLowerCase()}`);
  const same = alike.flatMap((pair) => (pair.some((one) => one === snake) ? pair : []));
  return [...new Set([snake, ...same])].filter((one) => one !== name);
}

function isNamed(sql: string, name: string): boolean {
  return name !== '' && new RegExp(String.raw`\b${name}\b`).test(sql);
}

/** With another name in its place, outside of texts, remarks and the names that the statement gives itself. */
function replaced(sql: string, name: string, by: string): string {
  const word = new RegExp(String.raw`(\bas\s+)?"?\b${name}\b"?`, 'gi');
  const rename = (part: string): string =>
    part.replace(word, (found: string, given: string | undefined) => (given ? found : by));
  let from = 0;
  let whole = '';
  for (const { 0: kept, index } of sql.matchAll(textOrRemark)) {
    whole += rename(sql.slice(from, index)) + kept;
    from = index + kept.length;
  }
  return whole + rename(sql.slice(from));
}
