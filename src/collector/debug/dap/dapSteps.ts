import { isByInstruction, type StepKind } from '../../../model/debug/stop.ts';
import { noInstructionSteps } from '../noInstructions.ts';
import type { DapCapabilities } from './dapAnswers.ts';

const commands = {
  over: 'next',
  into: 'stepIn',
  out: 'stepOut',
  instruction: 'stepIn',
  overInstruction: 'next',
} as const satisfies Record<StepKind, string>;

/** The request for a step, with its arguments beside the thread. `name`: of the adapter. Throws BAD_PARAMETER. */
export function stepRequest(
  kind: StepKind,
  can: DapCapabilities | null,
  name: string,
): readonly [string, { readonly granularity?: string }] {
  const isOne = isByInstruction(kind);
  if (isOne && can?.supportsSteppingGranularity !== true) throw noInstructionSteps(name);
  return [commands[kind], isOne ? { granularity: 'instruction' } : {}];
}
