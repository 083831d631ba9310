import { captureOp, captureReturn } from '../../src/protocol/record.ts';
import { type Capture, op } from './engineProgram.ts';

const { integer, float, stringInteger } = captureOp;

export const integers = (...indexes: number[]) => indexes.map((index) => op(integer, index));

/** What is captured of functions of engine/plain.c, as far as every calling convention passes it alike. */
export const plainCaptures: Readonly<Record<string, Capture>> = {
  scale: { ops: [op(float, 0), op(float, 1), op(integer, 0)], returns: captureReturn.float },
  halve: { ops: [op(float, 0)], returns: captureReturn.float },
  name_of: {
    ops: [op(stringInteger, 0, 8), op(integer, 1)],
    returns: captureReturn.string,
    stringBytes: 4,
  },
  ignore: { ops: [op(stringInteger, 0, 16)] },
  wide: { returns: captureReturn.none, stackBytes: 16 },
  pair: { ops: integers(0, 1) },
  recurse: { ops: integers(0) },
  tail_even: { ops: integers(0) },
  tail_odd: { ops: integers(0) },
  empty: {},
  identity: { ops: integers(0) },
  reads_global: {},
  branch_first: { ops: integers(0) },
  jumps: { ops: integers(0), returns: captureReturn.none },
  jump_home: { ops: integers(0) },
};

/** The floating-point number that a captured word holds. */
export function double(word: bigint | undefined): number {
  return new Float64Array(BigUint64Array.of(word ?? 0n).buffer)[0] ?? NaN;
}
