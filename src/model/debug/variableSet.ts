import type { ScalarType } from '../values/scalarType.ts';

/** A variable that a client set: its bits before and after as unsigned numbers. */
export interface VariableSet {
  readonly name: string;
  readonly type: ScalarType;
  readonly pid: number;
  readonly tid: number;
  readonly old: bigint;
  readonly now: bigint;
}
