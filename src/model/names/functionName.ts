/**
 * A qualified function name of C++, Rust, C, Python or JavaScript, read by a small parser.
 *
 * The name becomes a row of character codes in which each `::` is one `separator`, with jumps over the
 * parts a reader may leave out:
 *
 *     std::vector<int>::push_back        jump over `<int>`
 *     <bank::Account as Display>::fmt    jumps over `<` and over ` as Display>`
 *
 * Whoever matches walks the row once and may take any jump, so that `vector::push_back`,
 * `vector<int>::push_back` and `bank::Account::fmt` are all readings of the same row.
 */
export interface FunctionName {
  /** UTF-16 codes; `separator` stands for `::`. Parameters and return type are not part of it. */
  readonly codes: Uint32Array;
  /** Nesting of brackets at each position of `codes`; a bracket itself counts as inside. */
  readonly depths: Uint8Array;
  /** Parts that may be left out: from position → to position, `from < to`. */
  readonly jumps: ReadonlyMap<number, number>;
  /** Where the last segment begins, i.e. the unqualified name. */
  readonly lastSegment: number;
  /** True when there is no separator outside brackets. */
  readonly isUnqualified: boolean;
  /** The texts between the parentheses; null when the name has none. */
  readonly parameters: readonly string[] | null;
}

export const separator = 0x11_0000;

/** `native`: only `::` separates. `dotted`: `.` separates too (Python, JavaScript). */
export type NameStyle = 'native' | 'dotted';

/** Longest first: an operator is read greedily (C++20 §12.4). */
export const operatorSymbols = [
  '<=>',
  '->*',
  '<<=',
  '>>=',
  '()',
  '[]',
  '->',
  '<<',
  '>>',
  '<=',
  '>=',
  '==',
  '!=',
  '&&',
  '||',
  '++',
  '--',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '&=',
  '|=',
  '^=',
  '<',
  '>',
  '=',
  '!',
  '+',
  '-',
  '*',
  '/',
  '%',
  '&',
  '|',
  '^',
  '~',
  ',',
] as const;

const anonymous = '(anonymous namespace)';
const minus = 45;
const comma = 44;
const colon = 58;
const less = 60;
const greater = 62;
/** Of each ASCII code: of a bracket that opens the one that closes it, 1 of one that closes. */
const closerCodes = new Uint8Array(128);
for (const pair of ['()', '<>', '[]', '{}']) {
  closerCodes[pair.charCodeAt(0)] = pair.charCodeAt(1);
  closerCodes[pair.charCodeAt(1)] = 1;
}

export function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 36 ||
    (code > 127 && code < separator)
  );
}

function isWord(text: string, at: number): boolean {
  return at >= 0 && at < text.length && isWordCode(text.charCodeAt(at));
}

/** Removes every blank that does not part two words or two `<`, so that spellings compare equal. */
export function withoutBlanks(text: string): string {
  if (text.search(blank) < 0) return text;
  const units = roomFor(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if (isBlank(code)) {
      let next = at + 1;
      while (isBlank(text.charCodeAt(next))) next++;
      if (at > 0 && isBlankNeeded(text, at, next)) units[count++] = 32;
      if (next === text.length) break;
      at = next;
      code = text.charCodeAt(at);
    }
    units[count++] = code;
  }
  return textOfRoom(count);
}

/** Of UTF-16 units, for one text after the other; memory of its own for each would cost more than the text. */
let room = Buffer.alloc(1 << 12);
let unitsOfRoom = new Uint16Array(room.buffer, room.byteOffset, room.length / 2);

function roomFor(count: number): Uint16Array {
  if (unitsOfRoom.length < count) {
    room = Buffer.alloc(count * 4);
    unitsOfRoom = new Uint16Array(room.buffer, room.byteOffset, room.length / 2);
  }
  return unitsOfRoom;
}

function textOfRoom(count: number): string {
  return room.toString('utf16le', 0, count * 2);
}

/** Of the blanks from `at` up to `next`. */
function isBlankNeeded(text: string, at: number, next: number): boolean {
  const last = text.charCodeAt(at - 1);
  return (
    (isWord(text, next) && (isWordCode(last) || beforeBlank.has(last))) ||
    (last === less && text.charCodeAt(next) === less) ||
    text.startsWith(anonymous, next)
  );
}

const blank = /[ \t\n\r]/;
/** Behind these a blank parts a word. */
const beforeBlank: ReadonlySet<number> = new Set(Buffer.from('>)*&]'));

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}

/** The end (exclusive) of the bracket that opens at `at`; the text's end when it never closes. */
export function bracketEnd(text: string, at: number): number {
  const open: number[] = [];
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const closer = closerCodes[code] ?? 0;
    if (closer > 1) {
      open.push(closer);
      continue;
    }
    if (code === greater) {
      // An arrow or a comparison inside parentheses closes nothing.
      if (text.charCodeAt(i - 1) !== minus && open.at(-1) === greater) open.pop();
    } else if (closer === 1) {
      while (open.length > 0 && open.at(-1) !== code) open.pop();
      open.pop();
    }
    if (open.length === 0) return i + 1;
  }
  return text.length;
}

function opens(code: number): boolean {
  return (closerCodes[code] ?? 0) > 1;
}

/** Splits at commas outside brackets. `''` and `'void'` give an empty list. */
export function splitParameters(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (opens(code)) i = bracketEnd(text, i) - 1;
    else if (code === comma) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  parts.push(text.slice(start).trim());
  return parts.length === 1 && (parts[0] === '' || parts[0] === 'void') ? [] : parts;
}

/** Reads one name after the other, all into the same space: of most only the text is wanted. */
class NameParser {
  #text = '';
  #dotted = false;
  #codes = new Uint32Array(1 << 10);
  #depths = new Uint8Array(1 << 10);
  #count = 0;
  #jumps = new Map<number, number>();
  #lastSegment = 0;
  #segments = 1;
  /** As they stand between the parentheses. */
  #parameters: string | null = null;
  #at = 0;

  read(text: string, style: NameStyle): void {
    this.#text = withoutBlanks(text.trim());
    this.#dotted = style === 'dotted';
    // No code is put for more than one of the text.
    if (this.#codes.length < this.#text.length) {
      this.#codes = new Uint32Array(this.#text.length * 2);
      this.#depths = new Uint8Array(this.#text.length * 2);
    }
    this.#begin();
    this.#parameters = null;
    this.#at = this.#text.startsWith('::') ? 2 : 0;
    while (this.#at < this.#text.length && this.#step());
  }

  get name(): FunctionName {
    return {
      codes: this.#codes.slice(0, this.#count),
      depths: this.#depths.slice(0, this.#count),
      jumps: this.#jumps,
      lastSegment: this.#lastSegment,
      isUnqualified: this.#segments === 1,
      parameters: this.#parameters === null ? null : splitParameters(this.#parameters),
    };
  }

  get hasParameters(): boolean {
    return this.#parameters !== null;
  }

  get nameText(): string {
    return textOf(this.#codes.subarray(0, this.#count));
  }

  /** Forgets what was read so far. */
  #begin(): void {
    this.#count = 0;
    this.#jumps = new Map();
    this.#lastSegment = 0;
    this.#segments = 1;
  }

  /** Reads one element at the top level; false when the name is complete. */
  #step(): boolean {
    const text = this.#text;
    const char = text.charAt(this.#at);
    if (text.startsWith('::', this.#at) || (this.#dotted && char === '.')) {
      this.#at += char === '.' ? 1 : 2;
      this.#beginSegment();
      return true;
    }
    if (char === 'o' && this.#isOperator()) return this.#operator();
    switch (char) {
      case '<':
        this.#angle();
        return true;
      case '(':
        return this.#parenthesis();
      case '[':
      case '{':
        this.#bracket(char === '[' && !this.#atSegmentStart());
        return true;
      case ' ':
        return this.#blank();
      default:
        this.#put(text.charCodeAt(this.#at++), 0);
        return true;
    }
  }

  #put(code: number, depth: number): void {
    this.#codes[this.#count] = code;
    this.#depths[this.#count++] = depth;
  }

  /** Copies `text[#at, end)` as nested text. */
  #putNested(end: number, depth: number): void {
    const text = this.#text;
    let at = this.#at;
    while (at < end) {
      const code = text.charCodeAt(at++);
      if (code === colon && at < end && text.charCodeAt(at) === colon) {
        this.#put(separator, depth);
        at++;
      } else this.#put(code, depth);
    }
    this.#at = at;
  }

  #beginSegment(): void {
    this.#put(separator, 0);
    this.#lastSegment = this.#count;
    this.#segments++;
  }

  #atSegmentStart(): boolean {
    return this.#count === this.#lastSegment;
  }

  #isOperator(): boolean {
    const end = this.#at + 8;
    if (!this.#text.startsWith('operator', this.#at) || isWord(this.#text, end)) return false;
    return !isWord(this.#text, this.#at - 1) && end < this.#text.length;
  }

  #operator(): boolean {
    const text = this.#text;
    const symbol = text.startsWith('""', this.#at + 8)
      ? '""'
      : operatorSymbols.find((candidate) => text.startsWith(candidate, this.#at + 8));
    if (symbol !== undefined) {
      for (const end = this.#at + 8 + symbol.length; this.#at < end;)
        this.#put(text.charCodeAt(this.#at++), 0);
      return true;
    }
    // A conversion (`operator std::string`) or `operator new[]`: it reaches to the parameters.
    while (this.#at < text.length && text.charAt(this.#at) !== '(') {
      const char = text.charAt(this.#at);
      if (char === '<') this.#putNested(bracketEnd(text, this.#at), 1);
      else if (text.startsWith('::', this.#at)) {
        this.#put(separator, 1);
        this.#at += 2;
      } else this.#put(text.charCodeAt(this.#at++), 0);
    }
    return true;
  }

  #angle(): void {
    const text = this.#text;
    const end = bracketEnd(text, this.#at);
    const from = this.#count;
    if (!this.#atSegmentStart()) {
      this.#putNested(end, 1);
      this.#mayLeaveOut(from);
      return;
    }
    if (text.startsWith('<lambda', this.#at) || text.startsWith('<locals', this.#at)) {
      this.#putNested(end, 1);
      return;
    }
    this.#implementation(end);
  }

  /** `<Type as Trait>` or `<Type>` of Rust: may also be read as `Type`. */
  #implementation(end: number): void {
    const text = this.#text;
    this.#jumps.set(this.#count, this.#count + 1);
    this.#put(text.charCodeAt(this.#at++), 1);
    while (this.#at < end) {
      const char = text.charAt(this.#at);
      if (text.startsWith(' as ', this.#at) || this.#at === end - 1) break;
      if (char === '<' && isWord(text, this.#at - 1)) {
        const from = this.#count;
        this.#putNested(Math.min(bracketEnd(text, this.#at), end), 1);
        this.#mayLeaveOut(from);
      } else if (opens(text.charCodeAt(this.#at)))
        this.#putNested(Math.min(bracketEnd(text, this.#at), end), 1);
      else this.#putNested(this.#at + (text.startsWith('::', this.#at) ? 2 : 1), 1);
    }
    const rest = this.#count;
    this.#putNested(end, 1);
    this.#mayLeaveOut(rest);
  }

  #bracket(mayBeLeftOut: boolean): void {
    const from = this.#count;
    this.#putNested(bracketEnd(this.#text, this.#at), 1);
    if (mayBeLeftOut) this.#mayLeaveOut(from);
  }

  /** What was put since `from`; words that stand around it never become one. */
  #mayLeaveOut(from: number): void {
    if (this.#count > from && !isWord(this.#text, this.#at)) this.#jumps.set(from, this.#count);
  }

  /** Parameters, unless the parenthesis is itself a name: `(anonymous namespace)`. */
  #parenthesis(): boolean {
    const text = this.#text;
    const end = bracketEnd(text, this.#at);
    if (this.#atSegmentStart() || this.#endsWith('decltype')) {
      this.#putNested(end, 1);
      return true;
    }
    const inner = text.slice(this.#at + 1, text.charAt(end - 1) === ')' ? end - 1 : end);
    this.#parameters = inner;
    const qualifiers = /^(?: ?(?:const|volatile|noexcept|&&?))*/.exec(text.slice(end, end + 64));
    const next = end + (qualifiers?.[0].length ?? 0);
    if (!text.startsWith('::', next)) return false;
    // An enclosing function: `main()::{lambda()#1}::operator()`.
    this.#parameters = null;
    this.#at = next;
    return true;
  }

  #endsWith(word: string): boolean {
    const start = this.#count - word.length;
    if (start < 0) return false;
    for (let i = 0; i < word.length; i++)
      if (this.#codes[start + i] !== word.charCodeAt(i)) return false;
    return true;
  }

  /** What stood before a blank was a return type, unless it only parts `operator<` from `<`. */
  #blank(): boolean {
    this.#at++;
    if (this.#text.charAt(this.#at) === '<') return true;
    this.#begin();
    return true;
  }
}

/**
 * The parts of a name between its `::` outside brackets; joined by `::` they are the name again, and each read on
 * its own reads as in the whole. An operator reaches to the end; a name with a return type is one part.
 */
export function pathSegments(text: string): string[] {
  if (!text.includes('::')) return [text];
  const segments: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === 'o' && i === start && /^operator(?![\w$])/.test(text.slice(i, i + 9))) break;
    if (opens(text.charCodeAt(i))) i = bracketEnd(text, i) - 1;
    else if (isBlank(text.charCodeAt(i))) return [text];
    else if (char === ':' && text.charAt(i + 1) === ':') {
      if (i === start) return [text];
      segments.push(text.slice(start, i));
      start = i + 2;
      i++;
    }
  }
  segments.push(text.slice(start));
  return segments;
}

const parser = new NameParser();

/** Reads any text, never throws; time is linear in the text's length. */
export function parseFunctionName(text: string, style: NameStyle = 'native'): FunctionName {
  parser.read(text, style);
  return parser.name;
}

/** For the head of a name up to its parameters: `a::b<c>(int)` → `a::b<c>`. */
export function withoutParameters(text: string): string {
  if (!text.includes('(')) return text;
  parser.read(text, 'native');
  return parser.hasParameters ? parser.nameText : text;
}

/** The name as text again, without blanks that mean nothing. */
export function nameText(name: FunctionName): string {
  return textOf(name.codes);
}

function textOf(codes: Uint32Array): string {
  const units = roomFor(codes.length * 2);
  let count = 0;
  for (const code of codes) {
    if (code === separator) units[count++] = colon;
    units[count++] = code === separator ? colon : code;
  }
  return textOfRoom(count);
}
