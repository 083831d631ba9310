import { monotonicMs } from '../../../base/clock.ts';
import type { FirstMatches } from '../../../model/functions/traceable.ts';
import { parseFunctionName } from '../../../model/names/functionName.ts';
import { automatonOf } from '../../../model/names/pattern.ts';
import type { NameProgram, Pattern } from '../../../model/names/pattern.ts';
import type { ElfFile } from '../elf/elfFile.ts';
import {
  addressAt,
  entrySize,
  nameAt,
  sectionAt,
  symbolTable,
  symbolType,
  typeAt,
} from '../elf/symbolTable.ts';
import type { SymbolTable } from '../elf/symbolTable.ts';
import { mayBeImplicit, takesImplicit } from './implicitMembers.ts';
import { isPiece } from '../names/clones.ts';
import type { Demangler } from '../names/demangler.ts';
import { readableSymbol } from '../names/readableName.ts';

const mostNames = 3;
/** For all patterns: the index waits. */
const limitMs = 40;
/** So many names are looked at whatever the time. */
const fewest = 100;
const shortestWord = 3;
/** What linkage names write by a letter or two (Itanium C++ ABI §5.1.3, §5.1.5, §5.1.10; Rust's v0), and what only readable names say. */
const unspelled = [
  'std allocator basic_string string basic_istream basic_ostream basic_iostream char_traits',
  'void wchar_t bool char short int long unsigned signed __int128 float double char8_t char16_t char32_t isize usize',
  'const volatile auto decltype nullptr_t operator new delete co_await lambda closure impl anonymous namespace unnamed type',
].join(' ');

/**
 * The functions of the symbol table that name patterns match, as many as are found in a moment. Only linkage names that
 * hold the words of a pattern are made readable; a pattern of which nothing is found so is left out. Throws
 * `DamagedError` or the system's error when the file cannot be read.
 */
export function firstMatches(
  elf: ElfFile,
  patterns: readonly Pattern[],
  demangler: Demangler,
): FirstMatches[] {
  const table = symbolTable(elf, '.symtab') ?? symbolTable(elf, '.dynsym');
  if (table === null) return [];
  const end = monotonicMs() + limitMs;
  return patterns.flatMap((pattern, i) => {
    const { text, module, selection } = pattern;
    const words = module === null && selection.kind === 'name' ? wordsOf(selection.native) : null;
    if (words === null || selection.kind !== 'name') return [];
    const now = monotonicMs();
    if (i > 0 && now > end) return [];
    const ownEnd = now + (end - now) / (patterns.length - i);
    const wanted = { program: selection.native, words, takesAll: takesImplicit(pattern) };
    const found = matchesOf(table, wanted, demangler, ownEnd);
    return found.count === 0 ? [] : [{ pattern: text, ...found }];
  });
}

interface Wanted {
  readonly program: NameProgram;
  readonly words: readonly Buffer[];
  /** Also what the compiler may have made: the symbol table does not tell whether it did. */
  readonly takesAll: boolean;
}

function matchesOf(
  { view, names }: SymbolTable,
  { program, words, takesAll }: Wanted,
  demangler: Demangler,
  end: number,
): Omit<FirstMatches, 'pattern'> {
  const { buffer, byteOffset, length } = names.bytes;
  const texts = Buffer.from(buffer, byteOffset, length);
  const candidates = textsWith(texts, words);
  const automaton = automatonOf(program);
  const addresses = new Set<number>();
  const found = new Set<string>();
  let looked = 0;
  for (let at = 0; at + entrySize <= view.byteLength; at += entrySize) {
    const start = nameAt(view, at);
    if (!candidates.has(start)) continue;
    if (typeAt(view, at) !== symbolType.function || sectionAt(view, at) === 0) continue;
    if (looked++ >= fewest && monotonicMs() > end) break;
    const symbol = names.at(start);
    if (isPiece(symbol)) continue;
    const { name } = readableSymbol(symbol, demangler);
    const parsed = parseFunctionName(name);
    if (!automaton.matches(parsed, program.isUnqualified ? parsed.lastSegment : -1)) continue;
    if (!takesAll && mayBeImplicit(parsed)) continue;
    addresses.add(addressAt(view, at));
    if (found.size < mostNames) found.add(name);
  }
  return { count: addresses.size, names: [...found] };
}

/** What every linkage name that matches spells, the longest first; null when nothing can be said. */
function wordsOf({ literal, endWord, parameters }: NameProgram): Buffer[] | null {
  const words = [...new Set([literal, endWord])].filter(
    (word) => word.length >= shortestWord && /^\w+$/.test(word) && !unspelled.includes(word),
  );
  return words.length === 0 || parameters !== null
    ? null
    : words.toSorted((a, b) => b.length - a.length).map((word) => Buffer.from(word));
}

/** Where the NUL-terminated texts begin that hold all words. */
function textsWith(
  texts: Buffer,
  [first = Buffer.of(0), ...others]: readonly Buffer[],
): Set<number> {
  const starts = new Set<number>();
  for (let at = texts.indexOf(first); at >= 0;) {
    const start = texts.lastIndexOf(0, at) + 1;
    const end = endOf(texts, at);
    const text = texts.subarray(start, end);
    if (others.every((word) => text.includes(word))) starts.add(start);
    at = texts.indexOf(first, end);
  }
  return starts;
}

function endOf(texts: Buffer, at: number): number {
  const end = texts.indexOf(0, at);
  return end < 0 ? texts.length : end;
}
