import { parseFunctionName, separator } from '../../model/functionName.ts';
import type { FunctionName } from '../../model/functionName.ts';
import type { NameAutomaton } from '../../model/nameAutomaton.ts';
import { automatonOf } from '../../model/pattern.ts';
import type { NameProgram } from '../../model/pattern.ts';
import type { NameTree } from '../names/nameTree.ts';
import { textAt, textCount } from '../names/textTable.ts';
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
 * all in it, and goes on from there.
 */
export function matchingNames(tree: NameTree, program: NameProgram): Uint8Array {
  const { parents, segments } = tree;
  const marks = new Uint8Array(parents.length);
  const automaton = automatonOf(program);
  const run = new SegmentRun(automaton, tree.texts);
  /** Of each name, when more follows. */
  const states = new Uint16Array(parents.length);
  for (let number = 1; number < parents.length; number++) {
    const parent = parents[number] ?? 0;
    const segment = segments[number] ?? 0;
    const before =
      parent > 0 && parent < number
        ? automaton.step(states[parent] ?? 0, separator)
        : automaton.start;
    const state = run.over(before, segment);
    states[number] = state;
    const last = program.isUnqualified ? run.last(before, segment) : state;
    if (automaton.accepts(last)) marks[number] = 1;
  }
  return marks;
}

const mostLists = 16;
/** Above all states. */
const notPlain = 0xffff;
const anonymous = Buffer.from('(anonymous namespace)');
const operator = Buffer.from('operator');
const blank = 32;
const minus = 45;
const colon = 58;
const less = 60;
const greater = 62;
const tilde = 126;
const ascii = 128;

/** Of each ASCII code: 1 when it is of a word. */
const isWord = Uint8Array.from({ length: ascii }, (_unused, code) =>
  /[\w$]/.test(String.fromCharCode(code)) ? 1 : 0,
);
/** Of each bracket that opens the one that closes it. */
const closers = new Uint8Array(ascii);
for (const [open = 0, close = 0] of ['<>', '()', '[]', '{}'].map((pair) => Buffer.from(pair)))
  closers[open] = close;
const isCloser = Uint8Array.from(closers.keys(), (code) => (closers.includes(code) ? 1 : 0));
/** What a blank that means something may follow, before a word. */
const isBeforeBlank = Uint8Array.from(isWord);
for (const code of Buffer.from('>)*&]')) isBeforeBlank[code] = 1;

/**
 * Runs an automaton over segments. A plain one, a word with or without template arguments, is read as it lies in its
 * table, to the same codes as `parseFunctionName` makes of it; the others are parsed.
 */
class SegmentRun {
  readonly #automaton: NameAutomaton;
  readonly #bytes: Uint8Array;
  readonly #texts: TextTable;
  readonly #parsed = new Map<number, FunctionName>();
  /** By the state before, the segment and how it is read: the state after. */
  readonly #afterParsed = new Map<number, number>();
  /** By state, for those met first: 1 + the state after each segment that is plain. */
  readonly #after: (Uint16Array | undefined)[] = [];
  #lists = 0;
  /** The brackets to be closed, from the outermost on. */
  readonly #open = new Uint8Array(256);

  constructor(automaton: NameAutomaton, texts: TextTable) {
    this.#automaton = automaton;
    this.#texts = texts;
    this.#bytes = texts.bytes;
  }

  /** The state after a segment. */
  over(from: number, segment: number): number {
    const automaton = this.#automaton;
    if (from === automaton.dead || automaton.acceptsAll(from)) return from;
    const state = this.#overPlain(from, segment);
    return state >= 0 ? state : this.#overParsed(from, segment, false);
  }

  /** The same when a match may begin too with the last segment of the text. */
  last(from: number, segment: number): number {
    const automaton = this.#automaton;
    if (automaton.acceptsAll(from)) return from;
    const state = this.#overPlain(automaton.either(from, automaton.start), segment);
    return state >= 0 ? state : this.#overParsed(from, segment, true);
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

  /** -1 when the segment is not plain. The same ones lie in many names, and few states come before them. */
  #overPlain(from: number, segment: number): number {
    let after = this.#after[from];
    if (after === undefined) {
      if (this.#lists === mostLists) return this.#runPlain(from, segment);
      this.#lists++;
      after = new Uint16Array(textCount(this.#texts));
      this.#after[from] = after;
    }
    const known = after[segment] ?? 0;
    if (known !== 0) return known === notPlain ? -1 : known - 1;
    const state = this.#runPlain(from, segment);
    after[segment] = state < 0 ? notPlain : state + 1;
    return state;
  }

  #runPlain(from: number, segment: number): number {
    const bytes = this.#bytes;
    const start = this.#texts.starts[segment] ?? 0;
    const end = (this.#texts.starts[segment + 1] ?? 1) - 1;
    if (this.#isOperator(start, end)) return -1;
    let state = from;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (isWord[byte] === 1 || (byte === tilde && at === start))
        state = this.#automaton.step(state, byte);
      else
        return byte === less && isWord[bytes[at - 1] ?? 0] === 1 && at > start
          ? this.#overArguments(state, at, end)
          : -1;
    }
    return state;
  }

  #isOperator(start: number, end: number): boolean {
    const bytes = this.#bytes;
    for (let i = 0; i < operator.length; i++) if (bytes[start + i] !== operator[i]) return false;
    const next = start + operator.length;
    return next < end && isWord[bytes[next] ?? 0] !== 1;
  }

  /** Over template arguments, which may be left out, up to the end of the segment; -1 when more follows them. */
  #overArguments(from: number, start: number, end: number): number {
    const automaton = this.#automaton;
    const bytes = this.#bytes;
    let state = from;
    let depth = 0;
    let last = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= ascii || byte < blank) return -1;
      if (byte === blank) {
        while (bytes[at + 1] === blank) at++;
        if (!this.#isNeeded(last, at + 1)) continue;
      } else {
        depth = this.#depthAfter(byte, at, depth);
        if (depth < 0) return -1;
      }
      last = byte;
      if (byte === colon && bytes[at + 1] === colon) {
        at++;
        state = automaton.step(state, separator);
      } else state = automaton.step(state, byte);
      if (depth === 0) return at + 1 === end ? automaton.either(state, from) : -1;
    }
    return -1;
  }

  /** How many brackets are open behind a byte (see `bracketEnd`); -1 when they are too many. */
  #depthAfter(byte: number, at: number, depth: number): number {
    const open = this.#open;
    const closer = closers[byte] ?? 0;
    if (closer !== 0) {
      if (depth === open.length) return -1;
      open[depth] = closer;
      return depth + 1;
    }
    if (byte === greater)
      return this.#bytes[at - 1] !== minus && open[depth - 1] === greater ? depth - 1 : depth;
    if (isCloser[byte] !== 1) return depth;
    let left = depth;
    while (left > 0 && open[left - 1] !== byte) left--;
    return Math.max(0, left - 1);
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
