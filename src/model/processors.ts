import type { Processor, ProcessorName } from './processor.ts';
import { x64 } from './processors/x64.ts';

const processors: Readonly<Record<ProcessorName, Processor>> = { x64 };

export function processorOf(name: ProcessorName): Processor {
  return processors[name];
}

/** By e_machine; null for one that is not known. */
export function processorOfMachine(machine: number): Processor | null {
  return Object.values(processors).find((one) => one.machine === machine) ?? null;
}

export function systemCallName({ systemCalls }: Processor, number: number): string {
  return systemCalls.get(number) ?? `system call ${number}`;
}

/** By the name that Node has for it; x64 for one that is not known, on which nothing is launched. */
export function processorNamed(name: string): Processor {
  return Object.values(processors).find((one) => one.name === name) ?? x64;
}
