import type { ProcessorName } from '../../model/processor.ts';
import type { ProcessorRules } from './processorRules.ts';
import { x64Rules } from './x64/rules.ts';

const rules: Readonly<Record<ProcessorName, ProcessorRules>> = { x64: x64Rules };

export function rulesOf(name: ProcessorName): ProcessorRules {
  return rules[name];
}

/** By e_machine; null for a processor that is not known. */
export function rulesOfMachine(machine: number): ProcessorRules | null {
  return Object.values(rules).find(({ processor }) => processor.machine === machine) ?? null;
}
