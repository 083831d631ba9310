/** A word of a statement in SQLite's language. */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'sign';
  /** A name without its quotes, as it was written; anything else as it stands. */
  readonly text: string;
  /** In lower case. */
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

const forms = [
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['quoted', /"[\p{L}\p{N}_ $]+"|`[\p{L}\p{N}_ $]+`|\[[\p{L}\p{N}_ $]+\]/uy],
  ['text', /'(?:[^']|'')*'/y],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_.$])/uy],
  ['sign', /\|\||<=|>=|<>|==|!=|<<|>>|->>?|[-+*/%&|~<>=(),.;?:@$]/y],
] as const;
const between = /(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/y;

/** The words of a statement; null: there is something in it that is not known here. */
export function sqlTokens(sql: string): readonly SqlToken[] | null {
  const tokens: SqlToken[] = [];
  for (let at = skipped(sql, 0); at < sql.length;) {
    const token = tokenAt(sql, at);
    if (!token) return null;
    tokens.push(token);
    at = skipped(sql, token.to);
  }
  return tokens;
}

function skipped(sql: string, at: number): number {
  between.lastIndex = at;
  return at + (between.exec(sql)?.[0].length ?? 0);
}

function tokenAt(sql: string, from: number): SqlToken | null {
  for (const [kind, form] of forms) {
    form.lastIndex = from;
    const written = form.exec(sql)?.[0];
    if (written === undefined) continue;
    const text = kind === 'quoted' ? written.slice(1, -1) : written;
    return { kind, text, key: text.toLowerCase(), from, to: from + written.length };
  }
  return null;
}
