import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { packageRoot } from './strobe.ts';

/** One C or assembler file below native/. */
export interface NativeFile {
  readonly path: string;
  /** Paths of `#include "…"`, resolved. */
  readonly includes: readonly string[];
  /** Functions and variables that other files can name. */
  readonly defines: readonly string[];
  /** Functions and variables that are this file's alone. */
  readonly keeps: readonly string[];
  /** Functions that are declared here and defined elsewhere. */
  readonly declares: readonly string[];
  /** Names in bodies, first values and macros; members of structures are not among them. */
  readonly uses: ReadonlySet<string>;
}

type Names = Omit<NativeFile, 'path' | 'includes'>;

type Found = Record<'defines' | 'keeps' | 'declares', string[]>;

const word = /^[A-Za-z_]\w*$/;

export function readNativeTree(): NativeFile[] {
  return readdirSync(join(packageRoot, 'native'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(c|h|S|inc)$/.test(name))
    .map((name) => `native/${name}`)
    .toSorted()
    .map((path) => readNativeFile(path, readFileSync(join(packageRoot, path), 'utf8')));
}

export function readNativeFile(path: string, text: string): NativeFile {
  const code = text.replaceAll(
    /("(?:[^"\\\n]|\\.)*")|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_, kept: string | undefined) => kept ?? ' ',
  );
  const includes = [...code.matchAll(/^[ \t]*#[ \t]*include[ \t]+"([^"]+)"/gm)].map(
    ([, name = '']) => posix.join(posix.dirname(path), name),
  );
  const plain = code.replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '0');
  return { path, includes, ...(/\.[ch]$/.test(path) ? namesInC(plain) : namesInAssembler(plain)) };
}

function namesInAssembler(code: string): Names {
  const shown = [...code.matchAll(/\.globl[ \t]+([\w, \t]+)/g)];
  const defines = shown.flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));
  return { defines, keeps: [], declares: [], uses: new Set(code.match(/[A-Za-z_]\w*/g)) };
}

/** What stands outside of braces: each declaration ends with `;` or with a function's body. */
function namesInC(code: string): Names {
  const directive = /^[ \t]*#(?:\\\n|[^\n])*/gm;
  const names: Found = { defines: [], keeps: [], declares: [] };
  const inside = (code.match(directive) ?? [])
    .filter((line) => !/^[ \t]*#[ \t]*include\b/.test(line))
    .flatMap((line) => tokensOf(line).slice(3));
  let declaration: string[] = [];
  let depth = 0;
  for (const token of tokensOf(code.replaceAll(directive, ''))) {
    if (token === '}') depth -= 1;
    if (depth > 0) inside.push(token);
    else if (token === ';' || (token === '}' && isFunction(declaration))) {
      note(names, declaration);
      if (declaration.includes('=')) inside.push(...declaration.slice(declaration.indexOf('=')));
      declaration = [];
    } else declaration.push(token);
    if (token === '{') depth += 1;
  }
  const isMember = (index: number): boolean => /^(\.|->)$/.test(inside[index - 1] ?? '');
  return {
    ...names,
    uses: new Set(inside.filter((token, index) => word.test(token) && !isMember(index))),
  };
}

function tokensOf(code: string): string[] {
  return code.match(/\w+|->|\S/g) ?? [];
}

/** Whether the braces are a function's body: not those of a type, or of a first value. */
function isFunction(declaration: readonly string[]): boolean {
  return declaration.at(-1) === '{' && declaration.at(-2) === ')' && !declaration.includes('=');
}

function note(names: Found, tokens: readonly string[]): void {
  const words = withoutAttributes(tokens);
  if (words.includes('typedef')) return;
  const own = words.includes('static') ? names.keeps : names.defines;
  const opening = words.indexOf('(');
  const isPrototype = opening > 0 && words[opening + 1] !== '*' && !words.includes('=');
  if (isFunction(words)) own.push(words[opening - 1] ?? '');
  else if (isPrototype) names.declares.push(words[opening - 1] ?? '');
  else (words.includes('extern') ? names.declares : own).push(...variablesIn(words));
}

function variablesIn(words: readonly string[]): string[] {
  const pointer = /\( \* (\w+) (?:\[ \w* \] )?\) \(/.exec(words.join(' '))?.[1];
  if (pointer !== undefined) return [pointer];
  const names: string[] = [];
  let depth = 0;
  let isValue = false;
  for (const [index, token] of words.entries()) {
    if (/^[{([]$/.test(token)) depth += 1;
    if (/^[})\]]$/.test(token)) depth -= 1;
    if (depth !== 0) continue;
    if (token === '=') isValue = true;
    if (token === ',') isValue = false;
    const isTag = /^(struct|union|enum)$/.test(words[index - 1] ?? '');
    const isEnd = /^[;,=[]$/.test(words[index + 1] ?? ';');
    if (!isValue && !isTag && isEnd && index > 0 && word.test(token)) names.push(token);
  }
  return names;
}

function withoutAttributes(tokens: readonly string[]): string[] {
  const plain = tokens.join(' ').replaceAll(/__attribute__ \( \( (?:[^()]|\( [^()]*\))*\) \)/g, '');
  return plain.split(' ').filter((token) => token !== '');
}
