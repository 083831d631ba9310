import type { CodeRange, LineRanges } from '../../../model/debug/lineCode.ts';
import { tag } from '../dwarf/constants.ts';
import type { StatementRow } from '../dwarf/lines/lineProgram.ts';
import type { TypeReader } from '../dwarf/types/types.ts';
import { codeOf, scopesAt, type EntryPlace, type Scope } from '../unwind/scopes.ts';
import type { Library } from './library.ts';

const mostRanges = 24;
const maxDepth = 32;

/** The line of the instruction at an offset of a module, 0 for code that belongs to no line of its function; null where no line is known. */
export function lineRanges(library: Library, module: string, offset: number): LineRanges | null {
  const code = library.code(module);
  const types = code.types();
  const address = offset - code.offsetOf(0);
  const fn = code.functionAt(address);
  const unit = types && fn && fn.entry >= 0 ? types.info.unitAt(fn.entry) : null;
  if (!types || !fn || !unit) return null;
  const scopes = scopesIn(types, fn.entry, address);
  const inner = scopes[0];
  const holder = scopes.at(-1);
  if (!inner || !holder) return null;
  const parts = codeOf(types.info, holder);
  const rows = types.info
    .lineRows(unit)
    .filter((row) => parts.some(({ start, end }) => row.address >= start && row.address < end))
    .toSorted((a, b) => a.address - b.address);
  const now = rows.findLast((row) => row.address <= address);
  if (now === undefined) return null;
  const placed = ({ start, end }: CodeRange): CodeRange => ({
    start: code.offsetOf(start),
    end: code.offsetOf(end),
  });
  return {
    file: types.info.lineHeader(unit)?.files[now.file] ?? '',
    line: now.line,
    begins: rows.some(
      (row) =>
        now.line !== 0 && row.address === address && row.beginsStatement && row.line === now.line,
    ),
    ranges: rangesOf(rows, now, parts).slice(0, mostRanges).map(placed),
    inlined: inlinedIn(types, inner, 0)
      .filter(({ start, end }) => address < start || address >= end)
      .slice(0, mostRanges)
      .map(placed),
    inside: inner.isInlined ? codeOf(types.info, inner).slice(0, mostRanges).map(placed) : [],
  };
}

function scopesIn(types: TypeReader, entry: number, address: number): Scope[] {
  try {
    return scopesAt(types, entry, address);
  } catch {
    return []; // Damaged: no line is known.
  }
}

/** From each row of the line up to the next row of another address, within its part of the function. */
function rangesOf(
  rows: readonly StatementRow[],
  { line, file }: StatementRow,
  parts: readonly CodeRange[],
): CodeRange[] {
  const ranges: CodeRange[] = [];
  for (const [i, row] of rows.entries()) {
    const part = parts.find(({ start, end }) => row.address >= start && row.address < end);
    const next = rows.slice(i + 1).find(({ address }) => address > row.address)?.address;
    const end = Math.min(part?.end ?? row.address, next ?? Infinity);
    const isOfLine = row.line === line && row.file === file;
    // The last row of an address is the one that holds from there on.
    const isLast = rows[i + 1]?.address !== row.address;
    if (!isOfLine || !isLast || end <= row.address) continue;
    const before = ranges.at(-1);
    if (before?.end === row.address) ranges[ranges.length - 1] = { start: before.start, end };
    else ranges.push({ start: row.address, end });
  }
  return ranges;
}

/** Code of the functions that were inlined into a scope. */
function inlinedIn(types: TypeReader, { unit, entry }: EntryPlace, depth: number): CodeRange[] {
  const found: CodeRange[] = [];
  if (depth > maxDepth) return found;
  const blocks: number[] = [];
  types.children(unit, entry, (child) => {
    if (child.tag === tag.lexicalBlock) blocks.push(child.offset);
    if (child.tag === tag.inlinedSubroutine)
      found.push(...codeOf(types.info, { unit, entry: child }));
  });
  for (const block of blocks)
    found.push(...inlinedIn(types, { unit, entry: types.info.read(unit, block) }, depth + 1));
  return found;
}
