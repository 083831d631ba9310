/** Each bracket that a name holds in pairs only; `<` and `>` are operators, too. */
const closers = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

/** What is wrong with the brackets of a pattern, as a clause; null when each has its partner. */
export function strayBracket(text: string): string | null {
  const open: string[] = [];
  // clang writes characters among template arguments: Parser<'('>.
  for (const char of text.replace(/'\\?.'/gsu, '')) {
    if (closers.has(char)) open.push(char);
    else if ([...closers.values()].includes(char) && closers.get(open.pop() ?? '') !== char)
      return `its ${char} closes nothing`;
  }
  const [first] = open;
  return first === undefined ? null : `its ${first} is never closed`;
}

/** How to write what a pattern for names without a match seems to mean, as a clause; null when nothing tells. */
export function patternAdvice(text: string): string | null {
  const path = /^([\w./+-]*\.(?:[ch](?:pp|xx|c|h|\+\+)?|rs|inl|go|py|[jt]s))(?::\d+)?$/i.exec(text);
  if (path?.[1] !== undefined) return `the functions of a file are @file:${path[1]}`;
  // Brackets and commas are parts of such names.
  if (/operator\W|</.test(text)) return null;
  const parts = alternatives(text);
  const globs = parts.map(globOf);
  const quoted = globs.filter((glob) => glob !== '').map((glob) => `"${glob}"`);
  if (parts.length > 1) return `each name is a pattern of its own: ${quoted.join(', ')}`;
  if (globs[0] === text) return null;
  return `patterns are no regular expressions: * is any part of a name, ** crosses ::, ? is one character: ${quoted.join('')}`;
}

/** What stands between `|` and `,` outside brackets, or inside the only pair. */
function alternatives(text: string): string[] {
  const inner = /^\^?\(([^()]*)\)\$?$/.exec(text)?.[1] ?? text;
  const parts = [''];
  let depth = 0;
  for (const char of inner) {
    if ('([{<'.includes(char)) depth++;
    if (')]}>'.includes(char)) depth--;
    if (depth === 0 && /[|,;]/.test(char)) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${char}`);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** A regular expression as a pattern, about. */
function globOf(expression: string): string {
  return expression
    .replace(/^["'`/]+|["'`/]+$/g, '')
    .replace(/^\^|\$$/g, '')
    .replace(/(?:\.|\\[wWsSd]|\[(?!abi:)[^\]]*\])[*+]/g, '*')
    .replace(/\[(?!abi:)[^\]]*\]|\\[wWsSd]/g, '?')
    .replace(/\\b/g, '')
    .replace(/\\(.)/g, '$1');
}
