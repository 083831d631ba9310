import { attribute, tag } from '../dwarf/constants.ts';
import { Entry } from '../dwarf/entry.ts';
import type { TypeReader, TypeReference } from '../dwarf/types/types.ts';
import type { Unit } from '../dwarf/unitTable.ts';

const kinds: ReadonlySet<number> = new Set([
  tag.structureType,
  tag.classType,
  tag.unionType,
  tag.enumerationType,
  tag.typedef,
  tag.baseType,
]);

const holders: ReadonlySet<number> = new Set([
  tag.namespace,
  tag.module,
  tag.structureType,
  tag.classType,
]);

/** The type of a name as the source spells it (`Order`, `bank::Order`): in the unit, else where there is one. Throws at damage. */
export function namedType(
  types: TypeReader,
  unit: Unit | null,
  name: string,
): TypeReference | null {
  const parts = name.split('::');
  const own = unit && typeIn(types, unit, parts);
  if (own) return own;
  for (const other of types.info.unitsNaming(parts.at(-1) ?? name)) {
    const found = other === unit ? null : typeIn(types, other, parts);
    if (found) return found;
  }
  return null;
}

function typeIn(types: TypeReader, unit: Unit, parts: readonly string[]): TypeReference | null {
  const top = types.info.read(unit, unit.header.firstEntry, new Entry());
  return search(types, unit, top, { parts, scope: [], depth: 0 });
}

interface Search {
  readonly parts: readonly string[];
  readonly scope: readonly string[];
  readonly depth: number;
}

const mostDepth = 8;

function search(
  types: TypeReader,
  unit: Unit,
  parent: Entry,
  { parts, scope, depth }: Search,
): TypeReference | null {
  let found: TypeReference | null = null;
  const inside: (readonly [number, string])[] = [];
  types.children(unit, parent, (child) => {
    if (found) return;
    const name = types.info.text(unit, child, attribute.name);
    const isWhole = child.value(attribute.isDeclaration) !== 1;
    if (kinds.has(child.tag) && isWhole && name !== '' && endsWith([...scope, name], parts))
      found = { unit, offset: child.offset };
    else if (holders.has(child.tag) && child.hasChildren && depth < mostDepth)
      inside.push([child.offset, name]);
  });
  for (const [offset, name] of found ? [] : inside) {
    const entry = types.info.read(unit, offset, new Entry());
    const more = name === '' ? scope : [...scope, name];
    const met = search(types, unit, entry, { parts, scope: more, depth: depth + 1 });
    if (met) return met;
  }
  return found;
}

function endsWith(whole: readonly string[], end: readonly string[]): boolean {
  return end.every((part, i) => whole[whole.length - end.length + i] === part);
}
