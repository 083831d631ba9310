import { attribute, tag } from '../dwarf/constants.ts';
import type { DebugInfo } from '../dwarf/debugInfo.ts';
import type { Unit } from '../dwarf/unitTable.ts';
import { Entry } from '../dwarf/entry.ts';
import { isAddressForm } from '../dwarf/forms.ts';
import type { AddressRange } from '../dwarf/rangeLists.ts';
import type { TypeReader } from '../dwarf/types/types.ts';

/** An entry that may be read again. */
export interface EntryPlace {
  readonly unit: Unit;
  readonly entry: Entry;
}

/** A function that runs at an instruction: one with code of its own, or one inlined into it. */
export interface Scope extends EntryPlace {
  readonly isInlined: boolean;
  /** Where an inlined function was called. */
  readonly callFile: string | null;
  readonly callLine: number | null;
  /** Parameters and variables that are visible at the instruction, innermost block first. */
  readonly variables: readonly EntryPlace[];
}

const maxDepth = 64;
const maxVariables = 200;

/** The functions at a link-time address, innermost first; the last is the one with code. Throws at damage. */
export function scopesAt(types: TypeReader, entryOffset: number, address: number): Scope[] {
  const unit = types.info.unitAt(entryOffset);
  if (unit === null) return [];
  const entry = types.info.read(unit, entryOffset - unit.header.start);
  const scopes: Scope[] = [];
  collect(types, { unit, entry }, address, scopes, 0);
  return scopes;
}

function collect(
  types: TypeReader,
  at: EntryPlace,
  address: number,
  scopes: Scope[],
  depth: number,
): void {
  const { info } = types;
  const isInlined = at.entry.tag === tag.inlinedSubroutine;
  const variables: EntryPlace[] = [];
  const inner = visible(types, at, address, variables, depth);
  if (inner !== null) collect(types, inner, address, scopes, depth + 1);
  const files = info.lineHeader(at.unit)?.files;
  scopes.push({
    ...at,
    isInlined,
    callFile: isInlined ? (files?.[at.entry.value(attribute.callFile)] ?? null) : null,
    callLine: isInlined ? at.entry.value(attribute.callLine) || null : null,
    variables: variables.slice(0, maxVariables),
  });
}

/** Collects the variables of an entry and its blocks; answers the inlined function that holds the address. */
function visible(
  types: TypeReader,
  { unit, entry }: EntryPlace,
  address: number,
  variables: EntryPlace[],
  depth: number,
): EntryPlace | null {
  if (depth > maxDepth) return null;
  const { info } = types;
  const own: EntryPlace[] = [];
  let inlined: EntryPlace | null = null;
  let block: EntryPlace | null = null;
  types.children(unit, entry, (child) => {
    switch (child.tag) {
      case tag.formalParameter:
      case tag.variable:
        own.push({ unit, entry: copyOf(info, unit, child) });
        return;
      case tag.inlinedSubroutine:
        if (inlined === null && covers(info, unit, child, address))
          inlined = { unit, entry: copyOf(info, unit, child) };
        return;
      case tag.lexicalBlock:
        if (block === null && covers(info, unit, child, address))
          block = { unit, entry: copyOf(info, unit, child) };
        return;
      default:
    }
  });
  if (block !== null) inlined = visible(types, block, address, variables, depth + 1) ?? inlined;
  variables.push(...own);
  return inlined;
}

function copyOf(info: DebugInfo, unit: Unit, entry: Entry): Entry {
  return info.read(unit, entry.offset, new Entry());
}

function covers(info: DebugInfo, unit: Unit, entry: Entry, address: number): boolean {
  return codeOf(info, { unit, entry }).some(({ start, end }) => address >= start && address < end);
}

/** The code of a function or block, its entry first. */
export function codeOf(info: DebugInfo, { unit, entry }: EntryPlace): readonly AddressRange[] {
  if (entry.has(attribute.ranges))
    return info.ranges(unit, entry.formOf(attribute.ranges), entry.value(attribute.ranges));
  if (!entry.has(attribute.lowPc) || !entry.has(attribute.highPc)) return [];
  const start = info.address(unit, entry.formOf(attribute.lowPc), entry.value(attribute.lowPc));
  const form = entry.formOf(attribute.highPc);
  const high = info.address(unit, form, entry.value(attribute.highPc));
  return [{ start, end: isAddressForm(form) ? high : start + high }];
}

const maxChain = 8;

/** The entry or what it stands for or completes, whichever has the attribute (DWARF 5 §3.3.8). */
export function holding(types: TypeReader, place: EntryPlace, at: number): EntryPlace | null {
  let link = place;
  for (let step = 0; step < maxChain; step++) {
    if (link.entry.has(at)) return link;
    const next =
      types.info.follow(link.unit, link.entry, attribute.abstractOrigin) ??
      types.info.follow(link.unit, link.entry, attribute.specification);
    if (next === null) return null;
    link = { unit: next.unit, entry: types.info.read(next.unit, next.offset) };
  }
  return null;
}

/** A text attribute of the entry or what it stands for; empty when absent. */
export function textOf(types: TypeReader, place: EntryPlace, at: number): string {
  const link = holding(types, place, at);
  return link === null ? '' : types.info.text(link.unit, link.entry, at);
}
