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

/** Whether a statement holds a value as a literal. */
export function standsIn(statement: string, text: string): boolean {
  const inside = canonicalText(statement);
  const wanted = canonicalText(text);
  for (let at = inside.indexOf(wanted); at >= 0; at = inside.indexOf(wanted, at + 1)) {
    const before = inside[at - 1] ?? ' ';
    const after = inside[at + wanted.length] ?? ' ';
    if (!/[\w.]/.test(before) && !/[\w.]/.test(after)) return true;
  }
  return false;
}
