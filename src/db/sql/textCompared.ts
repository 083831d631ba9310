const textOrRemark = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g;
const column = String.raw`(?:\b\w+\s*\.\s*)?"?\b(arguments|return_value)\b"?`;
const compares = String.raw`(?:[<>]=?|==?|<>|!=)`;

const forms = [
  String.raw`${column}\s*(?:${compares}|between\b)\s*-?\s*\.?\d`,
  String.raw`(?<![\w.])[\d.]+(?:e[-+]?\d+)?\s*${compares}\s*${column}`,
  String.raw`\b(?:(?:min|max)\s*\(|order\s+by\b)\s*${column}(?!\s*->)`,
].map((form) => new RegExp(form, 'i'));

/**
 * The column of JSON text that a statement compares with a number or puts in order, as in `return_value > 5`,
 * `max(return_value)`: SQLite takes it for the text that it is. Null: there is none.
 */
export function textCompared(sql: string): string | null {
  const bare = sql.replaceAll(textOrRemark, "''");
  for (const form of forms) {
    const [, name] = form.exec(bare) ?? [];
    if (name !== undefined) return name.toLowerCase();
  }
  return null;
}
