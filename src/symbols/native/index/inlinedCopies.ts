import { attribute } from '../dwarf/constants.ts';
import { isAddressForm } from '../dwarf/forms.ts';
import { nameAt } from '../names/nameTree.ts';
import { textAt } from '../names/textTable.ts';
import { codeOf, textOf, type Scope } from '../unwind/scopes.ts';
import type { Library } from './library.ts';
import type { ModuleIndex } from './moduleIndex.ts';
import { rowsOfFile, scopesOf, type Row } from './statementRows.ts';

const mostCopies = 64;
/** Of a file, in which copies are looked for. */
const mostRows = 20_000;

/** Where a function begins that is inlined wherever it is used, a row for each copy; its qualified name. */
export function inlinedCopies(library: Library, modules: readonly string[], name: string): Row[] {
  const rows = modules.flatMap((module) => {
    const file = fileOfInlined(library.get(module).index, name);
    const all = file === null ? [] : rowsOfFile(library, module, file);
    return all.slice(0, mostRows).filter((row) => row.line > 0 && isInlined(row, name));
  });
  return entries(rows);
}

/** Where the copies that rows are in begin, a row each. */
function entries(rows: readonly Row[]): Row[] {
  const found = new Map<string, Row>();
  for (const row of rows) {
    const [copy] = scopesOf(row) ?? [];
    if (!copy) continue;
    const address = entryOf(row, copy);
    const key = `${row.module} ${copy.unit.header.start + copy.entry.offset}`;
    const isThere = row.address === address;
    if (isThere || !found.has(key)) found.set(key, { ...row, address, meant: copy });
  }
  return [...found.values()].slice(0, mostCopies);
}

/** As the copy says, but gcc names addresses outside of it; since DWARF 5 it may be a distance from its beginning (§2.18). */
function entryOf({ types: { info }, address }: Row, copy: Scope): number {
  const { unit, entry } = copy;
  try {
    const ranges = codeOf(info, copy);
    const start = ranges[0]?.start ?? address;
    if (!entry.has(attribute.entryPc)) return start;
    const form = entry.formOf(attribute.entryPc);
    const value = entry.value(attribute.entryPc);
    const told = isAddressForm(form) ? info.address(unit, form, value) : start + value;
    return ranges.some((one) => told >= one.start && told < one.end) ? told : start;
  } catch {
    return address; // Damaged: a place inside it is still one.
  }
}

/** The file that declares it; null: it is inlined nowhere. */
function fileOfInlined(
  { inlinedNames, nameTree, nameFiles, files }: ModuleIndex,
  name: string,
): string | null {
  const number = inlinedNames.find(
    (one, i) => one !== inlinedNames[i - 1] && nameAt(nameTree, one) === name,
  );
  const file = number === undefined ? 0 : (nameFiles[number] ?? 0);
  return file === 0 ? null : textAt(files, file - 1);
}

/** Whether a row's innermost function is one of this name that is inlined there. */
function isInlined(row: Row, name: string): boolean {
  const [inner] = scopesOf(row) ?? [];
  if (inner?.isInlined !== true) return false;
  const linkage = textOf(row.types, inner, attribute.linkageName);
  const known =
    linkage === '' ? textOf(row.types, inner, attribute.name) : row.code.readable(linkage);
  return known === name || name.endsWith(`::${known}`);
}
