import type { DefinedNames } from '../../model/decoding/dynamic.ts';
import type { StrandDefinition, TypeDefinition } from '../../model/functions/definition.ts';
import { partsOf } from './definitionParts.ts';

/** What the process that writes a ring has defined by now. */
export function ringNames(ringPath: string): DefinedNames {
  const types = new Map<number, TypeDefinition>();
  const names = new Map<number, string>();
  const strands = new Map<number, StrandDefinition>();
  for (const { entries } of partsOf(ringPath, 0)) {
    for (const entry of entries) {
      if (entry?.kind === 'type') types.set(entry.number, entry);
      else if (entry?.kind === 'name') names.set(entry.number, entry.name);
      else if (entry?.kind === 'strand') strands.set(entry.number, entry);
    }
  }
  return {
    type: (number) => types.get(number) ?? null,
    name: (number) => names.get(number) ?? null,
    strand: (number) => strands.get(number) ?? null,
  };
}
