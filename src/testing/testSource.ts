import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

const mostBytes = 4 << 20;
const mostLines = 300;
const mostCalls = 100;

/** The text of a source file; null when it is none, or too long to be one. */
export function sourceText(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const found = fstatSync(file);
    return found.isFile() && found.size <= mostBytes ? readFileSync(file, 'utf8') : null;
  } finally {
    closeSync(file);
  }
}

/**
 * What follows a declaration up to its closing brace, in a language with braces; null when the
 * declaration is not there. Braces in texts and comments may end it early.
 */
export function bodyOf(source: string, declaration: RegExp): string | null {
  const at = declaration.exec(source);
  if (!at) return null;
  const lines = source
    .slice(at.index + at[0].length)
    .split('\n')
    .slice(0, mostLines);
  let depth = 0;
  const body: string[] = [];
  for (const line of lines) {
    body.push(line);
    depth += count(line, '{') - count(line, '}');
    if (depth <= 0 && (line.includes('}') || /;\s*$/.test(line))) break;
  }
  return body.join('\n');
}

function count(line: string, sign: string): number {
  return line.split(sign).length - 1;
}

const called = /(?<!\w)((?:\w+::)*~?[A-Za-z_]\w*)\s*(?:<[\w:, ]+>)?!?\s*\(/g;
const notCalled =
  /^(?:(?:ASSERT|EXPECT|REQUIRE|CHECK|SUBCASE|SECTION|TEST|INFO|CAPTURE|FAIL|SUCCEED|GTEST)\w*|assert\w*|panic|vec|format|println|if|for|while|switch|return|sizeof|std::.*|fn|catch|Some|Ok|Err|unwrap|expect|c_str|size|begin|end|data|get|push_back|to_string|clone|iter|into|len)$/;

/** Names that a text calls, call by call; the words of frameworks and languages left out. */
export function callsIn(text: string): string[] {
  const names = [...text.matchAll(called)].flatMap((found) => found[1] ?? []);
  return names.filter((name) => !notCalled.test(name)).slice(0, mostCalls);
}

/** The same without the classes and namespaces they stand in. */
export function namesIn(text: string): ReadonlySet<string> {
  return new Set(callsIn(text).map((name) => name.split(/\.|::/).at(-1) ?? name));
}
