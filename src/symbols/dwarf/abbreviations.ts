import { attribute, form, tag } from './constants.ts';
import { Cursor } from './cursor.ts';
import { fixedSize } from './forms.ts';
import type { Encoding } from './forms.ts';

/**
 * A .debug_abbrev table (DWARF 5 §7.5.3), kept twice in typed arrays indexed by code:
 *
 *   specs   every (attribute, form, implicit constant): for reading one entry in full
 *   steps   (action, argument, bytes to skip after): for the scan, which only wants a few attributes;
 *           neighbouring values of fixed size melt into one skip
 */
export interface AbbreviationTable {
  readonly maxCode: number;
  readonly tags: Uint16Array;
  readonly roles: Uint8Array;
  readonly hasChildren: Uint8Array;
  readonly specStarts: Uint32Array;
  readonly specs: Float64Array;
  readonly stepStarts: Uint32Array;
  /** Bytes to skip before the first step. */
  readonly leads: Uint32Array;
  readonly steps: Uint32Array;
}

/** What the scan does with an entry. */
export const role = {
  absent: 0,
  plain: 1,
  leaf: 2,
  scope: 3,
  functionDeclaration: 4,
  functionCode: 5,
  inlined: 6,
} as const;

/** The actions of `steps`: skip by shape, or keep the value in a slot of the scan. */
export const step = {
  leb: 0,
  text: 1,
  block1: 2,
  block2: 3,
  block4: 4,
  block: 5,
  indirect: 6,
  keep: 7,
} as const;

/** Slots of the scan. */
export const kept = {
  lowPc: 0,
  highPc: 1,
  ranges: 2,
  origin: 3,
  sibling: 4,
  isDeclaration: 5,
  count: 6,
} as const;

const maxCode = 1 << 20;
const maxSpecs = 1 << 22;

interface Abbreviation {
  readonly code: number;
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly specs: readonly number[];
}

/** Throws a RangeError when the table is damaged. */
export function readAbbreviations(
  section: Uint8Array,
  offset: number,
  encoding: Encoding,
): AbbreviationTable {
  const list = readList(new Cursor(section, offset));
  const highest = list.reduce((max, entry) => Math.max(max, entry.code), 0);
  const specs: number[] = [];
  const steps: number[] = [];
  const table = {
    maxCode: highest,
    tags: new Uint16Array(highest + 1),
    roles: new Uint8Array(highest + 1),
    hasChildren: new Uint8Array(highest + 1),
    specStarts: new Uint32Array((highest + 1) * 2),
    stepStarts: new Uint32Array((highest + 1) * 2),
    leads: new Uint32Array(highest + 1),
  };
  for (const entry of list) {
    const { code } = entry;
    table.tags[code] = entry.tag;
    table.hasChildren[code] = entry.hasChildren ? 1 : 0;
    table.roles[code] = roleOf(entry);
    table.specStarts[code * 2] = specs.length;
    for (const value of entry.specs) specs.push(value);
    table.specStarts[code * 2 + 1] = specs.length;
    table.stepStarts[code * 2] = steps.length;
    table.leads[code] = compileSteps(entry, encoding, steps);
    table.stepStarts[code * 2 + 1] = steps.length;
  }
  return { ...table, specs: Float64Array.from(specs), steps: Uint32Array.from(steps) };
}

function readList(cursor: Cursor): Abbreviation[] {
  const list: Abbreviation[] = [];
  let total = 0;
  for (;;) {
    const code = cursor.uleb();
    if (code === 0) return list;
    if (code > maxCode) throw new RangeError('an abbreviation code is too large');
    const entryTag = cursor.uleb();
    const hasChildren = cursor.u8() !== 0;
    const specs: number[] = [];
    for (;;) {
      const at = cursor.uleb();
      const coding = cursor.uleb();
      const implicit = coding === form.implicitConst ? cursor.sleb() : 0;
      if (at === 0 && coding === 0) break;
      specs.push(at, coding, implicit);
      if (++total > maxSpecs) throw new RangeError('an abbreviation table does not end');
    }
    list.push({ code, tag: entryTag & 0xffff, hasChildren, specs });
  }
}

function has(entry: Abbreviation, wanted: number): boolean {
  for (let i = 0; i < entry.specs.length; i += 3) if (entry.specs[i] === wanted) return true;
  return false;
}

function roleOf(entry: Abbreviation): number {
  switch (entry.tag) {
    case tag.namespace:
    case tag.classType:
    case tag.structureType:
    case tag.unionType:
    case tag.interfaceType:
    case tag.module:
    case tag.enumerationType:
      return role.scope;
    case tag.subprogram:
      if (has(entry, attribute.lowPc) || has(entry, attribute.ranges)) return role.functionCode;
      return role.functionDeclaration;
    case tag.inlinedSubroutine:
      return role.inlined;
    // Nothing below these can hold a function.
    case tag.arrayType:
    case tag.subroutineType:
    case tag.formalParameter:
    case tag.callSite:
    case tag.gnuCallSite:
      return role.leaf;
    default:
      return role.plain;
  }
}

const wantedByRole: Readonly<Record<number, ReadonlyMap<number, number>>> = {
  [role.plain]: new Map(),
  [role.leaf]: new Map([[attribute.sibling, kept.sibling]]),
  [role.scope]: new Map(),
  [role.functionDeclaration]: new Map([
    [attribute.sibling, kept.sibling],
    [attribute.isDeclaration, kept.isDeclaration],
  ]),
  [role.functionCode]: new Map([
    [attribute.lowPc, kept.lowPc],
    [attribute.highPc, kept.highPc],
    [attribute.ranges, kept.ranges],
  ]),
  [role.inlined]: new Map([[attribute.abstractOrigin, kept.origin]]),
};

/** Appends the steps of one abbreviation; returns the bytes to skip before them. */
function compileSteps(entry: Abbreviation, encoding: Encoding, steps: number[]): number {
  const wanted = wantedByRole[roleOf(entry)];
  const start = steps.length;
  let lead = 0;
  for (let i = 0; i < entry.specs.length; i += 3) {
    const at = entry.specs[i] ?? 0;
    const code = entry.specs[i + 1] ?? 0;
    const slot = wanted?.get(at);
    if (slot !== undefined && code !== form.implicitConst) {
      steps.push(step.keep, slot | (code << 8), 0);
      continue;
    }
    const size = fixedSize(code, encoding);
    if (size < 0) steps.push(skipAction(code), 0, 0);
    else if (steps.length === start) lead += size;
    else steps.push((steps.pop() ?? 0) + size);
  }
  return lead;
}

function skipAction(code: number): number {
  switch (code) {
    case form.string:
      return step.text;
    case form.block1:
      return step.block1;
    case form.block2:
      return step.block2;
    case form.block4:
      return step.block4;
    case form.block:
    case form.exprloc:
      return step.block;
    case form.indirect:
      return step.indirect;
    case form.udata:
    case form.sdata:
    case form.refUdata:
    case form.strx:
    case form.addrx:
    case form.loclistx:
    case form.rnglistx:
    case form.gnuAddrIndex:
    case form.gnuStrIndex:
      return step.leb;
    default:
      throw new RangeError(`unknown form 0x${code.toString(16)}`);
  }
}
