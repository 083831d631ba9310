import picomatch from 'picomatch';
import {
  channelFunctions,
  isCallChannel,
  type ChannelFunctions,
} from '../channels/channelFunctions.ts';
import { StrobeError } from '../errors.ts';
import {
  bracketEnd,
  isWordCode,
  parseFunctionName,
  separator,
  withoutBlanks,
} from './functionName.ts';
import type { FunctionName, NameStyle } from './functionName.ts';
import { NameAutomaton, token } from './nameAutomaton.ts';
import { strayBracket } from './patternAdvice.ts';

/**
 * Which functions a client means.
 *
 * `audio::*` · `*::draw` · `**` · `draw` · `Foo<*>::bar(int)` · `<Foo as Trait>::bar` ·
 * `@file:src/render/*.rs` · `@usercode` · `@net` · `@file` · any of them after `libssl*!` or `module:libssl*!`.
 */
export interface Pattern {
  /** As given, without surrounding blanks. */
  readonly text: string;
  /** A library named before `!`: matched by `matchesModule`; null means the project's own modules. */
  readonly module: string | null;
  readonly selection:
    | { readonly kind: 'name'; readonly native: NameProgram; readonly dotted: NameProgram }
    | { readonly kind: 'file'; readonly glob: string }
    | { readonly kind: 'usercode' }
    /** Functions of libraries that the catalogue knows, by their names. */
    | ({ readonly kind: 'known' } & ChannelFunctions);
}

/** A compiled name pattern: a row of tokens, run by a `NameAutomaton`. */
export interface NameProgram {
  /** A code to meet (`separator` for `::`), or one of `token`. */
  readonly tokens: readonly number[];
  /** Whether an unqualified name suffices. */
  readonly isUnqualified: boolean;
  /** Compared one by one when the pattern ends in parentheses. */
  readonly parameters: readonly string[] | null;
  /** Words that every matching name contains. */
  readonly words: readonly string[];
  /** The longest of them; may be empty. */
  readonly literal: string;
  /** The longest word of its last segment; may be empty. */
  readonly lastWord: string;
  /** The longest ASCII word behind the last that crosses segments: the last segment of every match holds it. */
  readonly endWord: string;
}

const maxLength = 1000;
/** A path glob becomes a regular expression; few wildcards keep it from backtracking for long. */
const maxPathWildcards = 12;

/** Throws `StrobeError` BAD_PATTERN for a text that cannot be a pattern. */
export function parsePattern(text: string): Pattern {
  const whole = text.trim();
  if (whole === '') throw bad(text, 'it is empty');
  if (whole.length > maxLength)
    throw bad(`${whole.slice(0, 40)}…`, `it is longer than ${maxLength} characters`);
  const library = libraryPrefix(whole);
  const module = library?.module ?? null;
  const body = library?.body ?? whole;
  if (module === '' || body === '')
    throw bad(whole, 'write library!function, for example libc.so!malloc');
  if (body === '@usercode') return { text: whole, module, selection: { kind: 'usercode' } };
  if (body.startsWith('@file:'))
    return {
      text: whole,
      module,
      selection: { kind: 'file', glob: pathGlob(whole, body.slice(6).trim()) },
    };
  const channel = body.startsWith('@') ? body.slice(1) : '';
  if (module === null && isCallChannel(channel)) {
    const known = channelFunctions[channel];
    return { text: whole, module: known.module, selection: { kind: 'known', ...known } };
  }
  if (body.startsWith('@'))
    throw bad(whole, 'the words after @ are @usercode, @file:path, @net and @file');
  refuseUnfinished(whole, body);
  return {
    text: whole,
    module,
    selection: {
      kind: 'name',
      native: compile(whole, body, 'native'),
      dotted: compile(whole, body, 'dotted'),
    },
  };
}

function bad(text: string, why: string, hint?: string): StrobeError {
  return new StrobeError('BAD_PATTERN', `"${text}" cannot be read as a pattern: ${why}.`, hint);
}

/** Throws for what would match nothing, or not what was meant, because its end is missing. */
function refuseUnfinished(text: string, body: string): void {
  const stray = strayBracket(body);
  if (stray !== null)
    throw bad(
      text,
      stray,
      'Leave parameters out (f), or write all of them (f(int, char*)); * stands for any part of a name.',
    );
  if (body.endsWith('::'))
    throw bad(text, 'it ends with ::', `${body}* is what is directly in it, ${body}** all in it.`);
}

function libraryPrefix(text: string): { module: string; body: string } | null {
  const named = text.startsWith('module:');
  const start = named ? 'module:'.length : 0;
  const mark = text.indexOf('!', start);
  if (mark < 0) return named ? { module: text.slice(start).trim(), body: '**' } : null;
  const module = text.slice(start, mark);
  // `operator!`, `operator!=` and `Option<!>` hold a `!` too.
  if (!named && (/(?:^|[^\w])operator$/.test(module) || /::|[<>(){}\s]/.test(module))) return null;
  return { module: module.trim(), body: text.slice(mark + 1).trim() };
}

function pathGlob(text: string, glob: string): string {
  if (glob === '') throw bad(text, '@file: needs a path');
  if ((glob.match(/[*?[{(+]/g) ?? []).length > maxPathWildcards)
    throw bad(text, `a path may hold ${maxPathWildcards} wildcards`);
  return glob.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
}

function compile(text: string, body: string, style: NameStyle): NameProgram {
  const name = parseFunctionName(body, style);
  if (name.codes.length === 0) throw bad(text, 'it names no function');
  const tokens: number[] = [];
  let isUnqualified = true;
  for (let i = 0; i < name.codes.length; i++) {
    const code = name.codes[i] ?? 0;
    const depth = name.depths[i] ?? 0;
    if (code === 42) {
      const isDouble = name.codes[i + 1] === 42;
      if (isDouble) i++;
      if (isDouble && depth === 0) isUnqualified = false;
      const wanted = isDouble || depth > 0 ? token.any : token.segment;
      if (tokens.at(-1) !== wanted) tokens.push(wanted);
      continue;
    }
    if (code === 63) {
      tokens.push(token.one);
      continue;
    }
    if (code === separator && depth === 0) isUnqualified = false;
    tokens.push(code);
    if (depth > 0 && startsImplementedPath(name, i))
      tokens.push(token.optionalPair, token.any, separator);
  }
  const words = wordsOf(name, 0);
  return {
    tokens,
    isUnqualified,
    parameters: name.parameters,
    words,
    literal: longest(words),
    lastWord: longest(wordsOf(name, name.lastSegment)),
    endWord: longest(endOf(tokens).match(/[\w$]+/g) ?? []),
  };
}

/** After the `<` of `<Type as Trait>` and after its ` as `. */
function startsImplementedPath(name: FunctionName, at: number): boolean {
  const code = name.codes[at];
  if (code === 60 && name.jumps.get(at) === at + 1) return true;
  return (
    code === 32 &&
    name.codes[at - 1] === 115 &&
    name.codes[at - 2] === 97 &&
    name.codes[at - 3] === 32
  );
}

function wordsOf(name: FunctionName, start: number): string[] {
  const words: string[] = [];
  let word = '';
  const end = name.codes.length;
  for (let i = start; i <= end; i++) {
    const code = name.codes[i] ?? separator;
    if (i < end && name.depths[i] === 0 && isWordCode(code)) word += String.fromCharCode(code);
    else {
      if (word !== '') words.push(word);
      word = '';
    }
  }
  return words;
}

/** As text what follows the last token that meets a separator. */
function endOf(tokens: readonly number[]): string {
  const before = tokens.findLastIndex((code) => code === token.any || code === separator);
  const codes = tokens.slice(before + 1);
  return codes.map((code) => (code < 0 ? '*' : String.fromCharCode(code))).join('');
}

function longest(words: readonly string[]): string {
  return words.reduce((best, word) => (word.length > best.length ? word : best), '');
}

/**
 * Whether the pattern names this function. `name` may carry parameters; a pattern with parameters
 * matches only names that carry equal ones. False for `@` patterns, which ask for files.
 */
export function matchesName(pattern: Pattern, name: string, style: NameStyle = 'native'): boolean {
  if (pattern.selection.kind !== 'name') return false;
  const program = style === 'native' ? pattern.selection.native : pattern.selection.dotted;
  return matchesParsedName(program, parseFunctionName(name, style));
}

const anywhereOf = new WeakMap<NameProgram, NameProgram>();

/**
 * Whether the pattern names a function of a language with modules: its whole name, or the name from any part on, as
 * `Account.deposit` does `bank.accounts.Account.deposit`.
 */
export function matchesDottedName(pattern: Pattern, name: string): boolean {
  if (pattern.selection.kind !== 'name') return false;
  const program = pattern.selection.dotted;
  const parsed = parseFunctionName(name, 'dotted');
  if (matchesParsedName(program, parsed)) return true;
  let below = anywhereOf.get(program);
  if (below === undefined) {
    below = anywhere(program);
    anywhereOf.set(program, below);
  }
  return matchesParsedName(below, parsed);
}

export function matchesParsedName(program: NameProgram, name: FunctionName): boolean {
  if (program.parameters !== null && !matchesParameters(program.parameters, name.parameters))
    return false;
  return automatonOf(program).matches(name, program.isUnqualified ? name.lastSegment : 0);
}

const automatons = new WeakMap<readonly number[], NameAutomaton>();

/** What runs a pattern; made once and faster with each name. */
export function automatonOf({ tokens }: NameProgram): NameAutomaton {
  let automaton = automatons.get(tokens);
  if (automaton === undefined) {
    automaton = new NameAutomaton(tokens);
    automatons.set(tokens, automaton);
  }
  return automaton;
}

/** The same pattern below any namespaces: `**::` put before it. */
export function anywhere(program: NameProgram): NameProgram {
  return { ...program, tokens: [token.any, separator, ...program.tokens], isUnqualified: false };
}

/** `(*)` and `(...)` accept any list; a single `*` accepts one parameter. */
export function matchesParameters(
  wanted: readonly string[],
  actual: readonly string[] | null,
): boolean {
  if (actual === null) return false;
  if (wanted.length === 1 && (wanted[0] === '*' || wanted[0] === '**' || wanted[0] === '...'))
    return true;
  if (wanted.length !== actual.length) return false;
  return wanted.every((parameter, i) => parameter === '*' || sameType(parameter, actual[i] ?? ''));
}

function sameType(wanted: string, actual: string): boolean {
  const one = canonicalType(wanted);
  const other = canonicalType(actual);
  return one === other || (!one.includes('::') && one === other.replace(/(?:\w+::)+/g, ''));
}

const integerWords = new Set(['unsigned', 'signed', 'long', 'short', 'int', 'char']);

/** One spelling for one type: `char const *` → `const char*`, `long unsigned int` → `unsigned long`. */
export function canonicalType(text: string): string {
  const spelling = withoutBlanks(text);
  let end = 0;
  while (end < spelling.length && !'*&[('.includes(spelling.charAt(end))) {
    end = spelling.charAt(end) === '<' ? bracketEnd(spelling, end) : end + 1;
  }
  const base = spelling.slice(0, end).replace(/(?:\bstruct |\bclass |\benum )/g, '');
  const isConst = base.startsWith('const ') || base.endsWith(' const');
  const named = base.replace(/^const | const$/g, '').trim();
  const words = named.split(' ');
  const name = words.every((word) => integerWords.has(word)) ? integerName(words) : named;
  return (isConst ? 'const ' : '') + name + spelling.slice(end);
}

/** The usual name of an integer type given by its words in any order. */
export function integerName(words: readonly string[]): string {
  if (words.length === 0) return '';
  const longs = words.filter((word) => word === 'long').length;
  const size =
    longs > 1
      ? 'long long'
      : longs === 1
        ? 'long'
        : words.includes('short')
          ? 'short'
          : words.includes('char')
            ? 'char'
            : 'int';
  if (words.includes('unsigned')) return `unsigned ${size}`;
  return words.includes('signed') && size === 'char' ? 'signed char' : size;
}

/** Whether a library pattern (`libc.so`, `libssl*`, `/usr/lib/libz.so.1`) names the file at `path`. */
export function matchesModule(module: string, path: string): boolean {
  if (module.includes('/')) return globTest(module)(path);
  const file = path.slice(path.lastIndexOf('/') + 1);
  const unversioned = file.replace(/(\.so)[.\d]*$/, '$1');
  const stem = file.replace(/(?:-[\d.]+)?\.so[.\d]*$/, '');
  return [file, unversioned, stem].some(globTest(module));
}

/** Whether it is one of these functions, where they count. */
export function isKnownFunction(
  { names, inProgram, module }: Omit<ChannelFunctions, 'telling'>,
  fn: { readonly name: string; readonly module: string },
): boolean {
  return names.has(fn.name) && (inProgram.has(fn.name) || matchesModule(module, fn.module));
}

/** A regular expression of the paths that `matchesModule` takes for one of these modules. */
export function modulePathExpression(modules: readonly string[]): string {
  const globs = modules.map((module) => {
    const { source } = picomatch.makeRe(module, { dot: true, noextglob: true, nonegate: true });
    return module.includes('/')
      ? source
      : String.raw`/(?:${unanchored(source)})(?:(?:-[\d.]+)?\.so[.\d]*|(?:\.\d+)*)$`;
  });
  return globs.join('|');
}

/** picomatch anchors what it makes of a glob once or twice. */
function unanchored(source: string): string {
  const [, inner] = /^\^\(\?:(.*)\)\$$/.exec(source) ?? [];
  return inner === undefined ? source : unanchored(inner);
}

/** Whether a path, or the name of a package, is one that these wildcards mean. */
export function globTest(text: string): (path: string) => boolean {
  const matches = picomatch(text, { dot: true, noextglob: true, nonegate: true });
  return (path) => matches(path);
}

/**
 * A test for `@file:` patterns: the path below `projectRoot`, or any run of its last segments, matches;
 * a folder stands for all files below it.
 */
export function fileMatcher(pattern: string, projectRoot: string): (path: string) => boolean {
  const rooted = pattern.startsWith('/');
  const test = globTest(rooted ? pattern : `**/${pattern}`);
  const below = globTest(rooted ? `${pattern}/**` : `**/${pattern}/**`);
  const inProject = globTest(pattern);
  return (path) => {
    const inside = pathInProject(path, projectRoot);
    if (inside !== null && inProject(inside)) return true;
    // A folder is looked for below the root only, so that `@file:src` is not any `src` above it.
    return test(path) || (rooted ? below(path) : inside !== null && below(`/${inside}`));
  };
}

/** The path relative to `projectRoot`, or null when it lies elsewhere. */
export function pathInProject(path: string, projectRoot: string): string | null {
  const root = projectRoot.endsWith('/') ? projectRoot : `${projectRoot}/`;
  if (path.startsWith(root)) return path.slice(root.length);
  // Builds that hide their folder (Bazel, -ffile-prefix-map) leave paths relative to the project.
  if (path.startsWith('/proc/self/cwd/')) return path.slice('/proc/self/cwd/'.length);
  return path.startsWith('/') || path.startsWith('<') || path === ''
    ? null
    : path.replace(/^(?:\.\/)+/, '');
}

/** Folders inside a project that hold other people's or generated code. */
const foreignFolders = new Set([
  'node_modules',
  '.cargo',
  '.rustup',
  'registry',
  '_deps',
  'vcpkg',
  'vcpkg_installed',
  '.conan',
  '.conan2',
  'CPM_modules',
  'third_party',
  'thirdparty',
  'third-party',
  '3rdparty',
  'external',
  'vendor',
  'subprojects',
  '.venv',
  'venv',
  'site-packages',
  'CMakeFiles',
  '.git',
]);
const foreignSegments = /_autogen$|^bazel-(?:out|bin|genfiles)$/;
const generatedFiles = /\.pb\.(?:cc|h)$|^(?:moc|qrc)_.*\.cpp$|^ui_.*\.h$/;

/**
 * Whether a source file is the project's own code: below `projectRoot` (system headers, the Rust
 * library and packages elsewhere are not), in no folder of dependencies, not generated by a build.
 */
export function isUserCode(path: string, projectRoot: string): boolean {
  const inside = pathInProject(path, projectRoot);
  if (inside === null) return false;
  const segments = inside.split('/');
  const file = segments.pop() ?? '';
  if (segments.includes('..') || generatedFiles.test(file)) return false;
  return !segments.some(
    (segment, i) =>
      foreignFolders.has(segment) ||
      foreignSegments.test(segment) ||
      (segment === 'target' && /^(?:debug|release)$/.test(segments[i + 1] ?? '')),
  );
}
