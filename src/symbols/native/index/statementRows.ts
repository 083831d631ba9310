import { isMeantFile } from '../../../model/functions/meantLine.ts';
import { attribute } from '../dwarf/constants.ts';
import type { StatementRow } from '../dwarf/lines/lineProgram.ts';
import type { TypeReader } from '../dwarf/types/types.ts';
import type { Unit } from '../dwarf/unitTable.ts';
import { scopesAt, type Scope } from '../unwind/scopes.ts';
import type { CodeReader } from './codeReader.ts';
import type { Library } from './library.ts';

const mostCopies = 64;

/** A row of a line table, with what knows its file. */
export interface Row extends StatementRow {
  readonly module: string;
  readonly code: CodeReader;
  readonly types: TypeReader;
  readonly unit: Unit;
  readonly path: string;
  /** Another row begins at the same address: none of the instructions is its own. */
  readonly isEmpty: boolean;
  /** The function that is meant, whatever is inlined where it begins; absent: the innermost. */
  readonly meant?: Scope;
}

/** All rows of the line tables that have the file. */
export function rowsOfFile(library: Library, module: string, file: string): Row[] {
  const code = library.code(module);
  const types = code.types();
  if (types === null) return [];
  const { info } = types;
  const tables = new Set<number>();
  return info.units.flatMap((unit) => {
    const files = info.lineHeader(unit)?.files;
    if (!files || unit.isTypes || tables.has(unit.lines)) return [];
    if (!files.some((path) => isMeantFile(path, file))) return [];
    tables.add(unit.lines);
    const rows = info.lineRows(unit);
    return rows.flatMap((row, i) => {
      const path = files[row.file] ?? '';
      if (!isMeantFile(path, file) || !code.isCode(row.address)) return [];
      const isEmpty = rows[i + 1]?.address === row.address;
      return [{ ...row, module, code, types, unit, path, isEmpty }];
    });
  });
}

/** Rows with instructions of their own, of those the ones that begin a statement; optimised code may have none of either. */
function bestOf(rows: readonly Row[]): readonly Row[] {
  const full = rows.filter(({ isEmpty }) => !isEmpty);
  const addresses = new Set(
    rows.filter((row) => row.beginsStatement).map(({ address }) => address),
  );
  const begun = full.filter(({ address }) => addresses.has(address));
  return [begun, full, rows].find((some) => some.length > 0) ?? [];
}

/** Of each copy of the code (a function, or where it is inlined) the first row. */
export function copies(all: readonly Row[]): Row[] {
  const rows = bestOf(all);
  const found = new Map<string, Row>();
  for (const row of rows.toSorted((a, b) => a.address - b.address)) {
    const scope = scopesOf(row)?.[0];
    if (!scope || isMadeByCompiler(scope)) continue;
    const key = `${row.module} ${scope.unit.header.start + scope.entry.offset}`;
    if (!found.has(key)) found.set(key, row);
  }
  return [...found.values()].slice(0, mostCopies);
}

/** A function that only calls another, as Go makes one of a `defer` or `go` with arguments: its line runs in another one. */
function isMadeByCompiler({ entry }: Scope): boolean {
  return entry.value(attribute.trampoline) === 1;
}

/** The functions that run there, the innermost first; null: none that is known. */
export function scopesOf({ code, types, address }: Row): Scope[] | null {
  const fn = code.functionAt(address);
  if (fn === null || fn.entry < 0) return null;
  try {
    return scopesAt(types, fn.entry, address);
  } catch {
    return null; // Damaged: it is in no function that is known.
  }
}
