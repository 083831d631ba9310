const textOrRemark = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g;
/** Columns of JSON text, and of other text. */
const json = ['arguments', 'return_value', 'returnValue', 'watch_values', 'watchValues'];
const texts = [
  'function_name',
  'functionName',
  'signature',
  'module',
  'source_file',
  'sourceFile',
  'thread_name',
  'threadName',
  'event_type',
  'eventType',
];
const column = (names: readonly string[]): string =>
  String.raw`(?:\b\w+\s*\.\s*)?"?\b(${names.join('|')})\b"?`;
const compares = String.raw`(?:[<>]=?|==?|<>|!=)`;

const comparing = (names: readonly string[]): string[] => [
  String.raw`${column(names)}\s*(?:${compares}|between\b)\s*-?\s*\.?\d`,
  String.raw`(?<![\w.])[\d.]+(?:e[-+]?\d+)?\s*${compares}\s*${column(names)}`,
];
const forms = [
  ...comparing(json),
  String.raw`\b(?:(?:min|max)\s*\(|order\s+by\b)\s*${column(json)}(?!\s*->)`,
  ...comparing(texts),
].map((form) => new RegExp(form, 'i'));

/**
 * The column of text that a statement compares with a number, or of JSON that it puts in order, as in `return_value > 5`,
 * `max(return_value)`: SQLite takes it for the text that it is. Null: there is none.
 */
export function textCompared(
  sql: string,
): { readonly column: string; readonly isJson: boolean } | null {
  const bare = sql.replaceAll(textOrRemark, "''");
  for (const form of forms) {
    const [, name] = form.exec(bare) ?? [];
    if (name === undefined) continue;
    const is = (one: string): boolean => one.toLowerCase() === name.toLowerCase();
    const found = json.find(is);
    return { column: found ?? texts.find(is) ?? name, isJson: found !== undefined };
  }
  return null;
}
