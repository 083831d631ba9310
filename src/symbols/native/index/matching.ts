import { parseFunctionName, separator } from '../../../model/names/functionName.ts';
import type { FunctionName } from '../../../model/names/functionName.ts';
import type { NameAutomaton } from '../../../model/names/nameAutomaton.ts';
import { automatonOf } from '../../../model/names/pattern.ts';
import type { NameProgram } from '../../../model/names/pattern.ts';
import type { NameTree } from '../names/nameTree.ts';
import { isWord, plainSegmentsOf } from '../names/plainSegments.ts';
import type { PlainSegments } from '../names/plainSegments.ts';
import { textAt, textCount, textsWith } from '../names/textTable.ts';
import type { TextTable } from '../names/textTable.ts';

/** By number of a text: 1 where the test holds. */
export function matchingTexts(table: TextTable, test: (text: string) => boolean): Uint8Array {
  const marks = new Uint8Array(textCount(table));
  for (let number = 0; number < marks.length; number++) {
    if (test(textAt(table, number))) marks[number] = 1;
  }
  return marks;
}

/**
 * By number of a name: 1 where a pattern matches, whatever its parameters. What a name lies in is run over once for
 * all in it, and goes on from there; nothing is run over for names that cannot end as the pattern does.
 */
export function matchingNames(tree: NameTree, program: NameProgram): Uint8Array {
  const { parents, segments } = tree;
  const automaton = automatonOf(program);
  const run = new SegmentRun(program, tree.texts);
  const mayMatch = namesEndingLike(program, tree);
  const isEntered = parentsOf(mayMatch, tree);
  const isHeld = textsWithWords(program, tree.texts);
  const marks = new Uint8Array(parents.length);
  /** Of each name that others lie in, when more follows. */
  const states = new Uint16Array(parents.length);
  for (let number = 1; number < parents.length; number++) {
    if (mayMatch[number] === 0 && isEntered[number] === 0) continue;
    const parent = parents[number] ?? 0;
    const segment = segments[number] ?? 0;
    // One without a parent and without children is the whole name.
    if (parent === 0 && isEntered[number] === 0 && isHeld[segment] === 0) continue;
    const before =
      parent > 0 && parent < number
        ? automaton.step(states[parent] ?? 0, separator)
        : automaton.start;
    if (isEntered[number] === 1) states[number] = run.over(before, segment);
    if (mayMatch[number] === 1 && run.isMatch(before, segment)) marks[number] = 1;
  }
  return marks;
}

/** A single letter is in most names. */
const shortestWord = 2;

/** By number of a name: 1 where its last segment holds the word that the pattern ends with. */
function namesEndingLike({ endWord }: NameProgram, { segments, texts }: NameTree): Uint8Array {
  const marks = new Uint8Array(segments.length);
  if (endWord.length < shortestWord) return marks.fill(1);
  const holds = textsWith(texts, Buffer.from(endWord));
  for (let number = 0; number < marks.length; number++)
    marks[number] = holds[segments[number] ?? 0] ?? 0;
  return marks;
}

/** By number of a text: 1 where it holds every word of a pattern. */
function textsWithWords({ words }: NameProgram, texts: TextTable): Uint8Array {
  const marks = new Uint8Array(textCount(texts)).fill(1);
  for (const word of new Set(words.filter((one) => one.length >= shortestWord && isAscii(one)))) {
    const holds = textsWith(texts, Buffer.from(word));
    for (let number = 0; number < marks.length; number++)
      if (holds[number] === 0) marks[number] = 0;
  }
  return marks;
}

const isAscii = (word: string): boolean => /^[\w$]+$/.test(word);

/** By number of a name: 1 where some of these lie in it, however deep. */
function parentsOf(names: Uint8Array, { parents }: NameTree): Uint8Array {
  const marks = new Uint8Array(parents.length);
  for (let number = parents.length - 1; number > 0; number--) {
    const parent = parents[number] ?? 0;
    if (parent < number && (names[number] === 1 || marks[number] === 1)) marks[parent] = 1;
  }
  return marks;
}

const anonymous = Buffer.from('(anonymous namespace)');
const blank = 32;
const colon = 58;
const less = 60;
const greater = 62;
/** What a blank that means something may follow, before a word. */
const isBeforeBlank = Uint8Array.from(isWord);
for (const code of Buffer.from('>)*&]')) isBeforeBlank[code] = 1;

/**
 * Runs an automaton over segments. A plain one is read as it lies in its table, to the same codes as
 * `parseFunctionName` makes of it; the others are parsed.
 */
class SegmentRun {
  readonly #automaton: NameAutomaton;
  readonly #texts: TextTable;
  readonly #bytes: Uint8Array;
  readonly #plain: PlainSegments;
  /** Whether a match may begin with the last segment of a text. */
  readonly #isUnqualified: boolean;
  /** Whether a match may end with template arguments. */
  readonly #endsInArguments: boolean;
  readonly #parsed = new Map<number, FunctionName>();
  /** By the state before, the segment and how it is read: the state after. */
  readonly #afterParsed = new Map<number, number>();
  /** 1 + the state after a plain segment. */
  readonly #after: StateLists;
  /** 1 + whether a match ends with a plain segment. */
  readonly #ends: StateLists;

  constructor(program: NameProgram, texts: TextTable) {
    const last = program.tokens.at(-1) ?? 0;
    this.#automaton = automatonOf(program);
    this.#texts = texts;
    this.#bytes = texts.bytes;
    this.#plain = plainSegmentsOf(texts);
    this.#isUnqualified = program.isUnqualified;
    this.#endsInArguments = last === greater || last < 0;
    this.#after = new StateLists(textCount(texts));
    this.#ends = new StateLists(textCount(texts));
  }

  /** The state after a segment. */
  over(from: number, segment: number): number {
    const automaton = this.#automaton;
    if (from === automaton.dead || automaton.acceptsAll(from)) return from;
    const wordEnd = this.#plain.wordEnd(segment);
    if (wordEnd < 0) return this.#overParsed(from, segment, false);
    const after = this.#after.of(from);
    const known = after?.[segment] ?? 0;
    if (known !== 0) return known - 1;
    const word = this.#overWord(from, segment, wordEnd);
    const state = automaton.either(word, this.#overArguments(word, segment, wordEnd));
    if (after !== null) after[segment] = state + 1;
    return state;
  }

  /** Whether a name is matched that ends with a segment. */
  isMatch(before: number, segment: number): boolean {
    const automaton = this.#automaton;
    if (automaton.acceptsAll(before)) return true;
    const from = this.#isUnqualified ? automaton.either(before, automaton.start) : before;
    if (from === automaton.dead) return false;
    const wordEnd = this.#plain.wordEnd(segment);
    if (wordEnd < 0)
      return automaton.accepts(this.#overParsed(before, segment, this.#isUnqualified));
    const ends = this.#ends.of(from);
    const known = ends?.[segment] ?? 0;
    if (known !== 0) return known === 2;
    const isEnd = this.#isEnd(from, segment, wordEnd);
    if (ends !== null) ends[segment] = isEnd ? 2 : 1;
    return isEnd;
  }

  #isEnd(from: number, segment: number, wordEnd: number): boolean {
    const automaton = this.#automaton;
    const word = this.#overWord(from, segment, wordEnd);
    if (automaton.accepts(word)) return true;
    return this.#endsInArguments && automaton.accepts(this.#overArguments(word, segment, wordEnd));
  }

  /** `isLast`: a match may begin with the last segment of the text, too. */
  #overParsed(from: number, segment: number, isLast: boolean): number {
    const key = (from * textCount(this.#texts) + segment) * 2 + (isLast ? 1 : 0);
    let state = this.#afterParsed.get(key);
    if (state === undefined) {
      const name = this.#parse(segment);
      state = this.#automaton.over(from, name, isLast ? name.lastSegment : -1);
      this.#afterParsed.set(key, state);
    }
    return state;
  }

  #parse(segment: number): FunctionName {
    let name = this.#parsed.get(segment);
    if (name === undefined) {
      name = parseFunctionName(textAt(this.#texts, segment));
      this.#parsed.set(segment, name);
    }
    return name;
  }

  #overWord(from: number, segment: number, end: number): number {
    const automaton = this.#automaton;
    const bytes = this.#bytes;
    let state = from;
    for (let at = this.#texts.starts[segment] ?? 0; at < end && state !== automaton.dead; at++)
      state = automaton.step(state, bytes[at] ?? 0);
    return state;
  }

  /** Over the template arguments behind the word of a plain segment. */
  #overArguments(from: number, segment: number, start: number): number {
    const automaton = this.#automaton;
    const bytes = this.#bytes;
    const end = (this.#texts.starts[segment + 1] ?? 1) - 1;
    let state = from;
    let last = 0;
    for (let at = start; at < end && state !== automaton.dead; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === blank) {
        while (bytes[at + 1] === blank) at++;
        if (!this.#isNeeded(last, at + 1)) continue;
      }
      last = byte;
      if (byte === colon && bytes[at + 1] === colon) {
        at++;
        state = automaton.step(state, separator);
      } else state = automaton.step(state, byte);
    }
    return state;
  }

  /** Whether a blank parts what stands around it (see `withoutBlanks`). */
  #isNeeded(last: number, next: number): boolean {
    const bytes = this.#bytes;
    const following = bytes[next] ?? 0;
    if (isWord[following] === 1 && isBeforeBlank[last] === 1) return true;
    if (last === less && following === less) return true;
    return anonymous.every((byte, i) => bytes[next + i] === byte);
  }
}

const mostLists = 16;

/** What is known of segments, by the state before; of states met later nothing is kept: there are few as a rule. */
class StateLists {
  readonly #length: number;
  readonly #lists: (Uint16Array | undefined)[] = [];
  #count = 0;

  constructor(length: number) {
    this.#length = length;
  }

  /** By segment; 0 where it is not known yet. */
  of(state: number): Uint16Array | null {
    const known = this.#lists[state];
    if (known !== undefined) return known;
    if (this.#count === mostLists) return null;
    this.#count++;
    const list = new Uint16Array(this.#length);
    this.#lists[state] = list;
    return list;
  }
}
