import type { SourceFunction, SourceFunctionKind } from '../../model/functions/sourceFunction.ts';
import type { Trigger } from '../../model/functions/traceable.ts';
import {
  eachPart,
  resultNotKnown,
  type BinaryOperator,
  type Expression,
  type Walk,
} from '../../model/watches/expression.ts';
import type { CompiledWatch } from '../source/sampledWatches.ts';
import type { MeantStatement } from '../source/sourceSites.ts';
import { pythonOperation, pythonStack } from '../../protocol/pythonTracer.ts';

/** A whole sentence's end: "… has no parameter `size`". */
class Undecided extends Error {}

/** What an expression may name besides the parameters of its function. */
interface Names {
  /** It is worked out where the call returns. */
  readonly atReturn: boolean;
  /** Variables of functions outside, globals, modules: a name that is no parameter is one of them. */
  readonly variables: boolean;
  /** Those of the function itself; absent: only its parameters are known. */
  readonly locals?: ReadonlySet<string>;
  /** A frame that stands still says what they mean. */
  readonly isStanding?: true;
  /** It is the step or the test of a walk, with its names. */
  readonly inWalk?: true;
}

type Parameters = Pick<SourceFunction, 'parameters'>;

export function compilePythonWatch(
  expression: Expression,
  fn: SourceFunction,
  atReturn: boolean,
): CompiledWatch<Buffer> {
  return compiled(expression, fn, { atReturn, variables: true });
}

/** At a statement, or where its function returns. */
export function compilePythonProbe(
  expression: Expression,
  { statement, returnOf }: MeantStatement,
): CompiledWatch<Buffer> {
  if (returnOf) return compilePythonWatch(expression, returnOf, true);
  const locals = new Set(statement.locals);
  return compiled(expression, { parameters: [] }, { atReturn: false, variables: true, locals });
}

/** In a frame that stands still. */
export function compilePythonStanding(expression: Expression): CompiledWatch<Buffer> {
  const names: Names = { atReturn: false, variables: true, isStanding: true };
  return compiled(expression, { parameters: [] }, names);
}

function compiled(expression: Expression, fn: Parameters, names: Names): CompiledWatch<Buffer> {
  try {
    return { code: compileFor(expression, fn, names) };
  } catch (error) {
    if (error instanceof Undecided) return { why: error.message };
    throw error;
  }
}

type Operation = keyof typeof pythonOperation;

const constants: ReadonlyMap<string, Operation> = new Map([
  ['None', 'none'],
  ['True', 'true'],
  ['False', 'false'],
]);

/** `swaps`: the operands change places; `negates`: the result is turned round. */
const operators: Readonly<
  Record<
    BinaryOperator,
    { readonly operation: Operation; readonly swaps?: true; readonly negates?: true }
  >
> = {
  '||': { operation: 'either' },
  '&&': { operation: 'both' },
  '|': { operation: 'bitOr' },
  '^': { operation: 'bitXor' },
  '&': { operation: 'bitAnd' },
  '==': { operation: 'equal' },
  '!=': { operation: 'equal', negates: true },
  '<': { operation: 'less' },
  '<=': { operation: 'lessOrEqual' },
  '>': { operation: 'less', swaps: true },
  '>=': { operation: 'lessOrEqual', swaps: true },
  '<<': { operation: 'shiftLeft' },
  '>>': { operation: 'shiftRight' },
  '+': { operation: 'add' },
  '-': { operation: 'subtract' },
  '*': { operation: 'multiply' },
  '/': { operation: 'divide' },
  '%': { operation: 'remainder' },
};

/** Why a condition cannot be decided in a function, as a clause; null: it can. */
export function whyPythonUndecided(
  when: Expression,
  fn: SourceFunction,
  atReturn: boolean,
): string | null {
  try {
    if (atReturn && suspends.has(fn.kind))
      throw new Undecided(
        'it is a generator or a coroutine, whose calls are recorded while they wait: filter it with "where"',
      );
    compileFor(when, fn, { atReturn, variables: false });
    return null;
  } catch (error) {
    if (error instanceof Undecided) return error.message;
    throw error;
  }
}

/** Operations of src/protocol/pythonTracer.ts; empty: no condition. What cannot be decided, no call meets. */
export function pythonCode(
  condition: Expression | Trigger | null,
  fn: SourceFunction,
  atReturn = false,
): Buffer {
  if (condition === null || condition === false) return Buffer.alloc(0);
  if (condition === true) return Buffer.from([pythonOperation.true]);
  try {
    return compileFor(condition, fn, { atReturn, variables: false });
  } catch (error) {
    if (error instanceof Undecided) return Buffer.from([pythonOperation.false]);
    throw error;
  }
}

const suspends: ReadonlySet<SourceFunctionKind> = new Set([
  'generator',
  'coroutine',
  'asyncGenerator',
]);

function compileFor(expression: Expression, fn: Parameters, names: Names): Buffer {
  const writer = new CodeWriter(fn, names);
  writer.put(expression);
  return writer.bytes;
}

class CodeWriter {
  readonly #fn: Parameters;
  readonly #names: Names;
  readonly #parts: Buffer[] = [];
  #depth = 0;

  constructor(fn: Parameters, names: Names) {
    this.#fn = fn;
    this.#names = names;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  put(expression: Expression): void {
    if (++this.#depth > pythonStack.most) throw new Undecided('it is nested too deeply');
    this.#put(expression);
    this.#depth--;
  }

  #put(expression: Expression): void {
    switch (expression.kind) {
      case 'integer':
        this.#integer(expression.value);
        return;
      case 'decimal': {
        const bytes = Buffer.alloc(8);
        bytes.writeDoubleLE(expression.value);
        this.#operation('decimal', bytes);
        return;
      }
      case 'text':
        this.#operation('text', textBytes(expression.value));
        return;
      case 'name':
        this.#name(expression.name);
        return;
      case 'member':
        this.put(expression.of);
        this.#operation('attribute', textBytes(expression.field));
        return;
      case 'index':
        this.#index(expression.of, expression.at);
        return;
      case 'unary':
        this.#unary(expression.operator, expression.of);
        return;
      case 'binary':
        this.#binary(expression.operator, expression.left, expression.right);
        return;
      case 'cast':
        throw new Undecided('Python has no casts');
      case 'forall':
        this.#walk(expression);
        return;
      case 'call':
        for (const argument of expression.args) this.put(argument);
        this.#operation(functionOperations[expression.name]);
        return;
    }
  }

  #integer(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw new Undecided(`${value} has more than 64 bits`);
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    this.#operation('integer', bytes);
  }

  #walk({ head, step, test, meansElement }: Walk): void {
    if (this.#names.inWalk) throw new Undecided('a forall() cannot be in another one');
    let asksNext = false;
    eachPart(test, (one) => (asksNext ||= one.kind === 'name' && one.name === 'next'));
    this.put(head);
    const inside = { ...this.#names, inWalk: true } as const;
    const codes = [step, test].map((one) => withLength(compileFor(one, this.#fn, inside)));
    const means = [Number(meansElement === true), Number(asksNext)];
    this.#operation('forall', Buffer.concat([Buffer.from(means), ...codes]));
  }

  #name(name: string): void {
    const walked = this.#names.inWalk ? walkNames[name] : undefined;
    if (walked !== undefined) {
      this.#operation(walked);
      return;
    }
    const index = this.#fn.parameters.indexOf(name);
    const constant = constants.get(name);
    if (index >= 0) this.#operation('argument', Buffer.from([index]));
    else if (constant !== undefined) this.#operation(constant);
    else if (name === 'return') this.#result();
    else if (this.#names.locals?.has(name)) this.#operation('local', textBytes(name));
    else if (this.#names.variables) this.#variable(name);
    else throw new Undecided(this.#unknown(name));
  }

  #result(): void {
    if (!this.#names.atReturn) throw new Undecided(resultNotKnown);
    this.#operation('result');
  }

  /** `settings::rate` is `settings.rate`. */
  #variable(name: string): void {
    const [first = '', ...fields] = name.split('::');
    if (first === '' || first.startsWith('"'))
      throw new Undecided('a Python variable is named by its module: `settings.rate`');
    this.#operation(this.#names.isStanding ? 'named' : 'variable', textBytes(first));
    for (const field of fields) this.#operation('attribute', textBytes(field));
  }

  #unknown(name: string): string {
    const { parameters } = this.#fn;
    if (parameters.length === 0) return 'it has no parameters';
    return `it has no parameter \`${name}\`: there are ${parameters.join(', ')}`;
  }

  /** `args[0]` is the first parameter where none has that name. */
  #index(of: Expression, at: Expression): void {
    const isPlace = of.kind === 'name' && of.name === 'args' && at.kind === 'integer';
    if (isPlace && !this.#fn.parameters.includes('args')) {
      if (at.value >= BigInt(this.#fn.parameters.length))
        throw new Undecided(`it has ${this.#fn.parameters.length} parameters`);
      this.#operation('argument', Buffer.from([Number(at.value)]));
      return;
    }
    this.put(of);
    this.put(at);
    this.#operation('element');
  }

  #unary(operator: string, of: Expression): void {
    if (operator === '*') throw new Undecided('there are no pointers in Python');
    this.put(of);
    this.#operation(operator === '!' ? 'not' : operator === '-' ? 'negative' : 'invert');
  }

  #binary(operator: BinaryOperator, left: Expression, right: Expression): void {
    const { operation, swaps, negates } = operators[operator];
    this.put(swaps ? right : left);
    this.put(swaps ? left : right);
    this.#operation(operation);
    if (negates) this.#operation('not');
  }

  #operation(operation: Operation, bytes: Buffer = Buffer.alloc(0)): void {
    this.#parts.push(Buffer.from([pythonOperation[operation]]), bytes);
  }
}

const functionOperations = {
  len: 'length',
  contains: 'contains',
  isNull: 'isNone',
} as const satisfies Record<string, Operation>;

const walkNames: Readonly<Partial<Record<string, Operation>>> = { it: 'item', next: 'following' };

function textBytes(text: string): Buffer {
  return withLength(Buffer.from(text));
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}
