import { NamedVariables } from './namedVariables.ts';
import { bytesOf } from '../dwarf/types/members.ts';
import type { TypeReader } from '../dwarf/types/types.ts';
import type { Unit } from '../dwarf/unitTable.ts';
import type { KnownMemory } from './snapshotMemory.ts';
import { readValue } from './readValue.ts';
import type { ReadVariable } from './variables.ts';

/** Words of a line that are looked for: it takes a walk through the unit for each. */
const mostWords = 16;

/** Where the line is, and what is known of the process. */
export interface LineContext {
  readonly types: TypeReader;
  readonly memory: KnownMemory;
  readonly bias: bigint;
  /** Of the function that holds the line. */
  readonly unit: Unit;
  /** Names that mean something else there: parameters and locals. */
  readonly hidden: ReadonlySet<string>;
}

/** Globals and statics that a source line names, by their own name; none where two of a name may be meant. Never throws. */
export function variablesOnLine(line: string, context: LineContext): ReadVariable[] {
  const words = new Set(line.match(/(?<![.\w]|->)[A-Za-z_]\w*(?!\w*\s*\()/g) ?? []);
  return [...words]
    .filter((word) => !context.hidden.has(word))
    .slice(0, mostWords)
    .flatMap((word) => {
      try {
        return namedGlobal(word, context) ?? [];
      } catch {
        return []; // One damaged description costs one variable.
      }
    });
}

/** A global or static by its name; null: none, or several. Throws at damaged debug information. */
export function namedGlobal(
  name: string,
  {
    types,
    memory,
    bias,
    unit,
  }: Omit<LineContext, 'hidden' | 'unit'> & { readonly unit: Unit | null },
): ReadVariable | null {
  const search = new NamedVariables(types, name, {
    threadBlock: () => null,
    refuse: () => undefined,
  });
  let found = unit === null ? [] : search.of(unit);
  if (found.length === 0 && (unit === null || search.isDeclaredIn(unit)))
    found = search.units().flatMap((other) => search.of(other));
  const [variable, another] = found;
  if (!variable || another || variable.place.kind !== 'static') return null;
  const { type, place } = variable;
  const address = BigInt(place.address) + bias;
  const size = bytesOf(types, type);
  const source = { kind: 'memory', address } as const;
  return {
    variable: {
      name,
      type: types.nameOf(type, 0),
      isParameter: false,
      value: readValue(types, memory, type, source),
    },
    type,
    word: size > 0 && size <= 8 ? memory.word(address, size) : null,
    address,
    source,
  };
}
