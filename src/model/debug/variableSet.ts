import type { ScalarType } from '../values/scalarType.ts';
import type { ValueType } from '../values/valueType.ts';

/** A variable that a client set: its bits before and after as unsigned numbers, or both values as JSON. */
export interface VariableSet {
  readonly name: string;
  readonly type: ScalarType | Extract<ValueType, { kind: 'dynamic' }>;
  readonly pid: number;
  readonly tid: number;
  readonly old: bigint | string;
  readonly now: bigint | string;
}
