import { Cursor } from './cursor.ts';

/** What a unit of a package of split files owns of each section: offsets of its part. */
export interface Contribution {
  readonly units: number;
  readonly abbreviations: number;
  readonly stringOffsets: number;
  readonly locations: number;
  readonly rangeLists: number;
}

/** A .dwo file is all one unit's. */
export const wholeFile: Contribution = {
  units: 0,
  abbreviations: 0,
  stringOffsets: 0,
  locations: 0,
  rangeLists: 0,
};

/** DW_SECT; the two numbers of a kind are those of GNU's version 2 and of DWARF 5 (§7.3.5.3). */
const part = { info: 1, types: 2, abbreviations: 3, locations: 5, stringOffsets: 6, rangeLists: 8 };
const maxUnits = 1 << 22;

/**
 * .debug_cu_index or .debug_tu_index of a .dwp file (DWARF 5 §7.3.5): by the id or signature of a unit.
 * Throws a RangeError at damage.
 */
export function readPackageIndex(section: Uint8Array): Map<bigint, Contribution> {
  const cursor = new Cursor(section);
  const version = cursor.u16();
  cursor.advance(2);
  if (version !== 2 && version !== 5)
    throw new RangeError(`packages of version ${version} are not read`);
  const columns = cursor.u32();
  const units = cursor.u32();
  const slots = cursor.u32();
  if (columns > 16 || units > maxUnits || slots > maxUnits * 2)
    throw new RangeError('a package index has an impossible size');
  const names = 16 + slots * 12;
  const rows = names + columns * 4;
  const columnOf = new Map<number, number>();
  for (let i = 0; i < columns; i++) columnOf.set(new Cursor(section, names + i * 4).u32(), i);
  const offset = (row: number, kind: number): number => {
    const column = columnOf.get(kind);
    return column === undefined
      ? 0
      : new Cursor(section, rows + (row * columns + column) * 4).u32();
  };
  const found = new Map<bigint, Contribution>();
  for (let slot = 0; slot < slots; slot++) {
    const row = new Cursor(section, 16 + slots * 8 + slot * 4).u32() - 1;
    if (row < 0) continue;
    if (row >= units) throw new RangeError('a package index names a unit it does not have');
    const isOldTypes = version === 2 && columnOf.has(part.types);
    found.set(cursor.view.getBigUint64(16 + slot * 8, true), {
      units: offset(row, isOldTypes ? part.types : part.info),
      abbreviations: offset(row, part.abbreviations),
      stringOffsets: offset(row, part.stringOffsets),
      locations: offset(row, part.locations),
      rangeLists: version === 2 ? 0 : offset(row, part.rangeLists),
    });
  }
  return found;
}
