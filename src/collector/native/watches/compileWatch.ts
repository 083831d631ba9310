import { watchFlags } from '../../../model/eventColumns.ts';
import { objectBytes } from '../../../model/values/shape.ts';
import type { Expression } from '../../../model/watches/expression.ts';
import type { SampledAt, WatchType } from '../../../model/watches/watch.ts';
import { condition, watchAt, watchEntry } from '../../../protocol/record.ts';
import { ExpressionCompiler } from '../expressions/expressionCompiler.ts';
import { builtinType } from '../../../model/values/builtinType.ts';
import { CannotCompile } from '../expressions/fieldPlace.ts';
import { isKept, type CompiledIn } from '../expressions/passedValues.ts';
import type { Fixup, Names, Variables } from '../expressions/placeCompiler.ts';
import { secretWithin, withoutSecrets } from '../secretShapes.ts';

type Tree = Extract<WatchType, { kind: 'tree' }>;

/** Bytes of a watched text that are kept. */
const textBytes = 256;

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
export interface WatchedNames extends Pick<Names, 'gather'> {
  readonly variables: Variables;
  readonly secretNames: readonly string[];
}

/** A watched expression in a function, or in any (`fn` null) when it has no parameters. */
export function compileWatch(
  expression: Expression,
  fn: CompiledIn | null,
  names: WatchedNames,
  at: SampledAt,
  mostWords: number = watchEntry.maxWords,
): CompiledWatch {
  try {
    const compiler = new ExpressionCompiler(fn, { ...names, hasResult: at !== 'enter' });
    const { type: whole, held, isPlace } = compiler.watched(expression);
    const { words, fixups, used, hops, usesResult } = compiler;
    if (words.length > mostWords) throw new CannotCompile('the expression is too long');
    const type = whole.kind === 'tree' ? readable(whole, names.secretNames) : whole;
    const lost = used.find((parameter) => !isKept(parameter, fn?.isOfGo === true));
    if (lost && (at === 'return' || usesResult))
      throw new CannotCompile(`${lost.name} is not kept until the call returns: watch it at enter`);
    const isFixed = hops === 0 && used.length === 0 && !fixups.some((one) => one.at === null);
    return {
      words,
      fixups,
      form: formOf(type) | (isPlace && !isFixed ? watchFlags.address : 0),
      where: held ? (held.pointer | (held.length << 12) | (1 << 24)) >>> 0 : 0,
      limit: limitOf(type),
      at: lost ? bits.enter : bits[usesResult ? 'return' : at],
      type,
      isOfCall: !isPlace && (used.length > 0 || usesResult),
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
  const secret = secretWithin(type, { secretNames });
  if (secret !== null)
    throw new CannotCompile(
      `it holds what looks like a secret ("${secret}" of the setting redaction.names): name another field of it`,
    );
  return withoutSecrets(type, { secretNames }).type;
}

/** What lies at a run-time address, as `type` says in C's words; null: it is none of a number or text. */
export function watchAddress(
  address: bigint,
  type: string,
  at: SampledAt,
  pid: number | null,
): WatchProgram | null {
  const meant = builtinType(type.replaceAll(/\s+/g, ' ').trim());
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
