import type { TracedFunction } from '../../model/eventColumns.ts';
import type { PayloadPlan } from './payloadPlan.ts';

/** A function that has a number, with what its records hold. */
export interface NumberedFunction {
  readonly traced: TracedFunction;
  readonly payload: PayloadPlan;
}
