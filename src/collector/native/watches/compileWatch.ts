import { watchFlags } from '../../../model/eventColumns.ts';
import { objectBytes } from '../../../model/values/shape.ts';
import type { Expression } from '../../../model/watches/expression.ts';
import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import type { Parameter } from '../../../model/values/valueType.ts';
import type { SampledAt, WatchType } from '../../../model/watches/watch.ts';
import { condition, watchAt, watchEntry } from '../../../protocol/record.ts';
import { ExpressionCompiler, type Fixup, type Variables } from '../expressionCompiler.ts';
import { CannotCompile } from '../fieldPlace.ts';
import { withoutSecrets } from '../secretShapes.ts';

type Tree = Extract<WatchType, { kind: 'tree' }>;

/** Bytes of a watched text that are kept. */
const textBytes = 256;
/** Of the integer registers at the entry, those before this are kept until the return. */
const registersKept = 3;

/** A watch in functions of one kind, as the engine samples it once its fixups are filled in. */
export interface WatchProgram {
  readonly words: readonly bigint[];
  readonly fixups: readonly Fixup[];
  /** Bits of watchFlags. */
  readonly form: number;
  readonly where: number;
  readonly limit: number;
  /** Bits of watchAt. */
  readonly at: number;
  readonly type: WatchType;
  /** It belongs to one call: an argument, or what is computed of such. */
  readonly isOfCall: boolean;
  /** Of an address: the only process in which it means something. */
  readonly pid?: number | null;
  /** Whole sentence's end: where it is not sampled though asked for; null: everywhere. */
  readonly less: string | null;
}

export type CompiledWatch = WatchProgram | { readonly why: string };

const bits: Readonly<Record<SampledAt, number>> = {
  enter: watchAt.enter,
  return: watchAt.return,
  both: watchAt.enter | watchAt.return,
};

/** What names in an expression mean, and which are not to be read. */
export interface WatchedNames {
  readonly variables: Variables;
  readonly secretNames: readonly string[];
}

/** A watched expression in a function, or in any (`fn` null) when it has no parameters. */
export function compileWatch(
  expression: Expression,
  fn: FoundFunction | null,
  { variables, secretNames }: WatchedNames,
  at: SampledAt,
): CompiledWatch {
  try {
    const compiler = new ExpressionCompiler(fn, variables);
    const { type: whole, held, isPlace } = compiler.watched(expression);
    const { words, fixups, used, hops } = compiler;
    if (words.length > watchEntry.maxWords) throw new CannotCompile('the expression is too long');
    const type = whole.kind === 'tree' ? readable(whole, secretNames) : whole;
    const lost = used.find((parameter) => !isKept(parameter));
    if (lost && at === 'return')
      throw new CannotCompile(`${lost.name} is not kept until the call returns: watch it at enter`);
    const isFixed = hops === 0 && used.length === 0 && !fixups.some((one) => one.at === null);
    return {
      words,
      fixups,
      form: formOf(type) | (isPlace && !isFixed ? watchFlags.address : 0),
      where: held ? (held.pointer | (held.length << 12) | (1 << 24)) >>> 0 : 0,
      limit: limitOf(type),
      at: lost ? bits.enter : bits[at],
      type,
      isOfCall: !isPlace && used.length > 0,
      less: lost && at === 'both' ? `${lost.name} is read when the call begins only` : null,
    };
  } catch (error) {
    if (error instanceof CannotCompile) return { why: error.message };
    throw error;
  }
}

function formOf({ kind }: WatchType): number {
  if (kind === 'tree') return watchFlags.text | watchFlags.tree;
  return kind === 'cstring' ? watchFlags.text : 0;
}

function limitOf(type: WatchType): number {
  if (type.kind === 'tree') return Math.min(type.shapes[type.root]?.bytes ?? 0, objectBytes);
  return type.kind === 'cstring' ? textBytes : 0;
}

/** What of it is no secret. */
function readable(type: Tree, secretNames: readonly string[]): Tree {
  const { type: rest, secret } = withoutSecrets(type, { secretNames });
  if (secret !== null)
    throw new CannotCompile(
      `it holds what looks like a secret ("${secret}" of the setting redaction.names): name another field of it`,
    );
  return rest;
}

function isKept({ place }: Parameter): boolean {
  switch (place.kind) {
    case 'integer':
      return place.register < registersKept;
    case 'parts':
      return place.registers.length === 1 && (place.registers[0] ?? 9) < registersKept;
    default:
      return false;
  }
}

/** What lies at a run-time address, as `type` says in C's words; null: it is none of a number or text. */
export function watchAddress(
  address: bigint,
  type: string,
  at: SampledAt,
  pid: number | null,
): WatchProgram | null {
  const meant = typeOf(type.replaceAll(/\s+/g, ' ').trim());
  if (!meant) return null;
  const bytes = 'bytes' in meant ? meant.bytes : 8;
  const signed = 'signed' in meant && meant.signed;
  const load = condition.load | (bytes << 16) | (signed ? 1 << 24 : 0);
  return {
    words: [BigInt(condition.constant), address, BigInt(load)],
    fixups: [],
    form: formOf(meant),
    where: 0,
    limit: limitOf(meant),
    at: bits[at],
    type: meant,
    isOfCall: false,
    pid,
    less: null,
  };
}

function typeOf(name: string): WatchType | null {
  if (/^(?:const )?char ?\*$/.test(name)) return { kind: 'cstring', name };
  if (name.endsWith('*')) return { kind: 'pointer', name };
  if (name === 'bool' || name === '_Bool') return { kind: 'bool', name, bytes: 1 };
  if (name === 'char') return { kind: 'char', name, bytes: 1, signed: true };
  if (name === 'float') return { kind: 'float', name, bytes: 4 };
  if (name === 'double') return { kind: 'float', name, bytes: 8 };
  const fixed = /^(u?)int(8|16|32|64)(?:_t)?$/.exec(name) ?? /^([iu])(8|16|32|64)$/.exec(name);
  if (fixed) return { kind: 'int', name, bytes: Number(fixed[2]) / 8, signed: fixed[1] !== 'u' };
  const words = name.split(' ');
  const isUnsigned = words.includes('unsigned') || name === 'size_t';
  const rest = words.filter((word) => word !== 'unsigned' && word !== 'signed' && word !== 'int');
  const bytes = integerBytes.get(rest.join(' '));
  return bytes === undefined ? null : { kind: 'int', name, bytes, signed: !isUnsigned };
}

const integerBytes: ReadonlyMap<string, number> = new Map([
  ['', 4],
  ['char', 1],
  ['short', 2],
  ['long', 8],
  ['long long', 8],
  ['size_t', 8],
  ['ssize_t', 8],
]);
