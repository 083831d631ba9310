import { StrobeError } from '../errors.ts';

/**
 * The expression language of conditions and watches: names (`size`, `this->rate`, `gConfig.audio.rate`,
 * `bank::total`, `"a.c"::total` of one file, `args[0]`, `return`), member, index, dereference, arithmetic, comparison, `&&` `||` `!`, literals,
 * `len()`, `contains()`, `isNull()`, casts (`(unsigned char)c`, `*(double*)(p + 8)`), and a walk of a list:
 * `forall(head, it->next, it->key <= next->key)`. Precedence as in C. Parsed here, compiled for the target
 * elsewhere; it is never evaluated as source text of any other language.
 */
export type Expression =
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'decimal'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly of: Expression; readonly field: string }
  | { readonly kind: 'index'; readonly of: Expression; readonly at: Expression }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly of: Expression }
  /** `type` has no stars; `stars` is their number. */
  | {
      readonly kind: 'cast';
      readonly type: string;
      readonly stars: number;
      readonly of: Expression;
    }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'call';
      readonly name: ExpressionFunction;
      readonly args: readonly Expression[];
    }
  | Walk;

/** Why an expression that is asked before a call returns does not have its result. */
export const resultNotKnown =
  'what is returned is not known until the call returns: in debug_trace, "whenReturn" and "invariant" of a pattern are asked there, a watch with "at": "return" shows it';

/**
 * Whether each element meets a test: from the first, by what `step` makes of `it`, to a null address. The test names `it`, and
 * the element that follows it `next`.
 */
export interface Walk {
  readonly kind: 'forall';
  readonly head: Expression;
  readonly step: Expression;
  readonly test: Expression;
  /** It means the first element that does not meet the test. */
  readonly meansElement?: true;
}

/** Names that mean something inside a walk alone. */
const walkNames: ReadonlySet<string> = new Set(['it', 'next']);

/** Names that mean something where the expression is evaluated: those of a walk's elements are none. */
export function namesIn(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  const inWalks = new Set<Expression>();
  eachPart(expression, (one) => {
    if (one.kind === 'forall')
      for (const part of [one.step, one.test]) eachPart(part, (inner) => inWalks.add(inner));
    if (one.kind === 'name' && !(inWalks.has(one) && walkNames.has(one.name))) names.add(one.name);
  });
  return names;
}

export type UnaryOperator = '!' | '-' | '~' | '*';

/** Loosest first; operators of one row bind alike, from the left. */
const levels = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
] as const;

export type BinaryOperator = (typeof levels)[number][number];

/** How many arguments each takes. */
const functions = { len: 1, contains: 2, isNull: 1 } as const;

export type ExpressionFunction = keyof typeof functions;

/** Visits an expression and all it is made of, the whole before its parts. */
export function eachPart(expression: Expression, visit: (one: Expression) => void): void {
  visit(expression);
  switch (expression.kind) {
    case 'member':
    case 'unary':
    case 'cast':
      eachPart(expression.of, visit);
      return;
    case 'index':
      eachPart(expression.of, visit);
      eachPart(expression.at, visit);
      return;
    case 'binary':
      eachPart(expression.left, visit);
      eachPart(expression.right, visit);
      return;
    case 'call':
      for (const one of expression.args) eachPart(one, visit);
      return;
    case 'forall':
      for (const one of [expression.head, expression.step, expression.test]) eachPart(one, visit);
      return;
    default:
  }
}

const MAX_LENGTH = 1000;
const MAX_DEPTH = 50;

const tokenText =
  /\s*(?:(0[xX][0-9a-fA-F]+|\d+\.\d+(?:[eE][+-]?\d+)?|\d+)|((?:(?:"[^"\\]*")?::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.))'|(->|\|\||&&|==|!=|<=|>=|<<|>>|[-+*/%&|^~!<>()[\].,]))/y;

interface Token {
  readonly kind: 'number' | 'word' | 'text' | 'letter' | 'sign';
  readonly text: string;
  readonly column: number;
}

/** Throws BAD_EXPRESSION, naming the place. */
export function parseExpression(source: string): Expression {
  if (source.length > MAX_LENGTH)
    throw bad(source.slice(0, 40), `it has more than ${MAX_LENGTH} characters`);
  const parser = new Parser(source, tokensOf(source));
  return parser.all();
}

function tokensOf(source: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  const end = source.trimEnd().length;
  while (at < end) {
    tokenText.lastIndex = at;
    const match = tokenText.exec(source);
    if (!match) {
      const rest = source.slice(at).trimStart();
      const what = rest.trimEnd().slice(0, 10);
      throw bad(source, `"${what}" at column ${source.length - rest.length + 1} cannot be read`);
    }
    const [matched, number, word, text, letter, sign] = match;
    at = tokenText.lastIndex;
    const column = at - matched.trimStart().length + 1;
    if (number !== undefined) found.push({ kind: 'number', text: number, column });
    else if (word !== undefined) found.push({ kind: 'word', text: word, column });
    else if (text !== undefined) found.push({ kind: 'text', text: unescaped(text), column });
    else if (letter !== undefined) found.push({ kind: 'letter', text: unescaped(letter), column });
    else found.push({ kind: 'sign', text: sign ?? '', column });
  }
  return found;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_whole, one: string) => escapes[one] ?? one);
}

class Parser {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(source: string, tokens: readonly Token[]) {
    this.#source = source;
    this.#tokens = tokens;
  }

  all(): Expression {
    const whole = this.#binary(0);
    const rest = this.#tokens[this.#next];
    if (rest) throw bad(this.#source, misplaced(rest));
    return whole;
  }

  #binary(level: number): Expression {
    const operators = levels[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = operators.find((sign) => this.#takes(sign));
      if (operator === undefined) return left;
      left = { kind: 'binary', operator, left, right: this.#binary(level + 1) };
    }
  }

  #unary(): Expression {
    if (++this.#depth > MAX_DEPTH) throw bad(this.#source, 'it is nested too deeply');
    const operator = (['!', '-', '~', '*'] as const).find((sign) => this.#takes(sign));
    const cast = operator === undefined ? this.#cast() : null;
    const of = operator === undefined && !cast ? this.#postfix() : this.#unary();
    this.#depth--;
    if (cast) return { kind: 'cast', ...cast, of };
    return operator === undefined ? of : { kind: 'unary', operator, of };
  }

  /** `(type*)`, or the parenthesised name of a type of C's own. */
  #cast(): { readonly type: string; readonly stars: number } | null {
    const begin = this.#next;
    if (!this.#takes('(')) return null;
    const words: string[] = [];
    while (this.#tokens[this.#next]?.kind === 'word') words.push(this.#word());
    let stars = 0;
    while (this.#takes('*')) stars++;
    const type = words.filter((word) => !qualifiers.has(word)).join(' ');
    const isType = stars > 0 || typeWords.test(type);
    if (type !== '' && isType && this.#takes(')')) return { type, stars };
    this.#next = begin;
    return null;
  }

  #postfix(): Expression {
    let of = this.#primary();
    for (;;) {
      if (this.#takes('.') || this.#takes('->')) of = { kind: 'member', of, field: this.#word() };
      else if (this.#takes('[')) {
        of = { kind: 'index', of, at: this.#binary(0) };
        this.#expect(']');
      } else return of;
    }
  }

  #primary(): Expression {
    if (this.#takes('(')) {
      const inner = this.#binary(0);
      this.#expect(')');
      return inner;
    }
    const token = this.#tokens[this.#next++];
    if (!token) throw bad(this.#source, `it ends too early, at ${this.#column(token)}`);
    switch (token.kind) {
      case 'number':
        return /[.eE]/.test(token.text) && !/^0[xX]/.test(token.text)
          ? { kind: 'decimal', value: Number(token.text) }
          : { kind: 'integer', value: BigInt(token.text) };
      case 'letter':
        return { kind: 'integer', value: BigInt(token.text.codePointAt(0) ?? 0) };
      case 'text':
        return { kind: 'text', value: token.text };
      case 'word':
        return this.#named(token.text, this.#column(token));
      case 'sign':
        throw bad(this.#source, misplaced(token));
    }
  }

  #named(word: string, column: string): Expression {
    if (word === 'true') return { kind: 'integer', value: 1n };
    if (word === 'false' || word === 'null' || word === 'nullptr')
      return { kind: 'integer', value: 0n };
    if (!this.#takes('(')) return { kind: 'name', name: word };
    if (word === 'forall') return this.#walk();
    const name = functionNames.find((known) => known === word);
    if (name === undefined)
      throw bad(
        this.#source,
        `${word}() at ${column} is not known: there are ${functionNames.join(', ')}, forall`,
      );
    const args = [this.#binary(0)];
    while (this.#takes(',')) args.push(this.#binary(0));
    this.#expect(')');
    if (args.length !== functions[name])
      throw bad(this.#source, `${name}() takes ${functions[name]}, not ${args.length}`);
    return { kind: 'call', name, args };
  }

  #walk(): Expression {
    const head = this.#binary(0);
    this.#expect(',');
    const step = this.#binary(0);
    this.#expect(',');
    const test = this.#binary(0);
    this.#expect(')');
    const names = [step, test].map((part) => namesIn(part));
    if (!names[0]?.has('it'))
      throw bad(
        this.#source,
        'forall(first, step, test) steps from `it` to the next element, as in forall(list->head, it->next, it->key > 0)',
      );
    return { kind: 'forall', head, step, test };
  }

  #takes(sign: string): boolean {
    const token = this.#tokens[this.#next];
    if (token?.kind !== 'sign' || token.text !== sign) return false;
    this.#next++;
    return true;
  }

  #expect(sign: string): void {
    if (this.#takes(sign)) return;
    throw bad(this.#source, `"${sign}" is missing at ${this.#column(this.#tokens[this.#next])}`);
  }

  /** Where a token is; undefined: where the text ends. */
  #column(token: Token | undefined): string {
    return `column ${token?.column ?? this.#source.trimEnd().length + 1}`;
  }

  #word(): string {
    const token = this.#tokens[this.#next++];
    if (token?.kind !== 'word')
      throw bad(this.#source, `the name of a field is missing at ${this.#column(token)}`);
    return token.text;
  }
}

/** What may stand in a type's name and changes nothing. */
const qualifiers = new Set(['const', 'volatile', 'struct', 'class', 'union', 'enum']);

/** Types of C's own that are no addresses. */
const typeWords =
  /^(?:(?:unsigned|signed|char|short|int|long|bool|_Bool|float|double)(?: |$))+$|^(?:u?int(?:8|16|32|64|ptr)_t|s?size_t|[iu](?:8|16|32|64))$/;

const functionNames = [
  'len',
  'contains',
  'isNull',
] as const satisfies readonly ExpressionFunction[];

function misplaced({ text, column }: Token): string {
  return `"${text}" at column ${column} does not belong there`;
}

function bad(source: string, why: string): StrobeError {
  return new StrobeError('BAD_EXPRESSION', `"${source}" cannot be read: ${why}.`);
}
