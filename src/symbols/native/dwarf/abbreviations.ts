import { attribute, form, tag } from './constants.ts';
import { Cursor } from './cursor.ts';
import { widened } from '../names/textTable.ts';
import { fixedSize } from './forms.ts';
import type { Encoding } from './forms.ts';

/**
 * A .debug_abbrev table (DWARF 5 §7.5.3), kept in typed arrays indexed by code:
 *
 *   specs   every (attribute, form, implicit constant): for reading one entry in full
 *   steps   (action, argument, bytes to skip after): for the scan, which only wants a few attributes;
 *           neighbouring values of fixed size melt into one skip; and again for reading names
 */
export interface AbbreviationTable {
  readonly maxCode: number;
  readonly tags: Uint16Array;
  readonly roles: Uint8Array;
  readonly hasChildren: Uint8Array;
  readonly specStarts: Uint32Array;
  readonly specs: Float64Array;
  /** For the scan. */
  readonly scan: StepProgram;
  readonly glances: Glances;
  /** For what names a scope or function; other entries have none. */
  readonly naming: StepProgram;
}

/** The steps of all abbreviations of a table, by code. */
export interface StepProgram {
  /** Bytes to skip before the first step. */
  readonly leads: Uint32Array;
  /** Of those that keep nothing and have at most one value of variable size, all that follows: see `shortOf`. */
  readonly shorts: Uint32Array;
  /** Of each code where its steps begin and end. */
  readonly starts: Uint32Array;
  /** Action, argument, bytes to skip after. */
  readonly steps: Uint32Array;
}

/** Of codes whose entries the scan takes in at a glance; see `glanceOf`. */
export type Glances = Uint32Array;

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
  /** The value stands in the abbreviation: slot, and from bit 8 on the value. */
  constant: 7,
  keep: 8,
  /** The same of values of one, two, four and eight bytes. */
  keep1: 9,
  keep2: 10,
  keep4: 11,
  keep8: 12,
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

/** Slots of what names a scope or function. */
export const naming = {
  name: 0,
  linkage: 1,
  oldLinkage: 2,
  file: 3,
  line: 4,
  specification: 5,
  origin: 6,
  signature: 7,
  count: 8,
} as const;

const maxCode = 1 << 20;
const maxSpecs = 1 << 22;

/** Throws a RangeError when the table is damaged. */
export function readAbbreviations(
  section: Uint8Array,
  offset: number,
  encoding: Encoding,
): AbbreviationTable {
  return new ReadTable(readList(new Cursor(section, offset)), encoding);
}

/** The steps are compiled when they are first asked for: whoever reads single entries needs none. */
class ReadTable implements AbbreviationTable {
  readonly maxCode: number;
  readonly tags: Uint16Array;
  readonly roles: Uint8Array;
  readonly hasChildren: Uint8Array;
  readonly specStarts: Uint32Array;
  readonly specs: Float64Array;
  readonly #encoding: Encoding;
  #scan: StepProgram | null = null;
  #glances: Glances | null = null;
  #naming: StepProgram | null = null;

  constructor({ heads, specs }: AbbreviationList, encoding: Encoding) {
    let highest = 0;
    for (let i = 0; i < heads.length; i += headSize) highest = Math.max(highest, heads[i] ?? 0);
    this.#encoding = encoding;
    this.maxCode = highest;
    this.tags = new Uint16Array(highest + 1);
    this.roles = new Uint8Array(highest + 1);
    this.hasChildren = new Uint8Array(highest + 1);
    this.specStarts = new Uint32Array((highest + 1) * 2);
    this.specs = specs.slice();
    for (let i = 0; i < heads.length; i += headSize) {
      const code = heads[i] ?? 0;
      this.tags[code] = heads[i + 1] ?? 0;
      this.hasChildren[code] = heads[i + 2] ?? 0;
      this.specStarts[code * 2] = heads[i + 3] ?? 0;
      this.specStarts[code * 2 + 1] = heads[i + 4] ?? 0;
      this.roles[code] = roleOf(this.tags[code] ?? 0, heads[i + 5] === 1);
    }
  }

  get scan(): StepProgram {
    this.#scan ??= this.#compile((kind) => wantedByRole[kind] ?? nothing);
    return this.#scan;
  }

  get glances(): Glances {
    if (this.#glances === null) {
      this.#glances = new Uint32Array(this.maxCode + 1);
      for (let code = 0; code <= this.maxCode; code++)
        this.#glances[code] = glanceOf(
          this.scan,
          code,
          this.roles[code] ?? 0,
          this.hasChildren[code] === 1,
        );
    }
    return this.#glances;
  }

  get naming(): StepProgram {
    this.#naming ??= this.#compile((kind) =>
      kind >= role.scope && kind !== role.inlined ? wantedForNames : null,
    );
    return this.#naming;
  }

  /** Of the codes for whose role something is wanted. */
  #compile(choose: (kind: number) => Wanted | null): StepProgram {
    const leads = new Uint32Array(this.maxCode + 1);
    const shorts = new Uint32Array(this.maxCode + 1);
    const starts = new Uint32Array((this.maxCode + 1) * 2);
    const steps: number[] = [];
    for (let code = 0; code <= this.maxCode; code++) {
      const kind = this.roles[code] ?? role.absent;
      const wanted = kind === role.absent ? null : choose(kind);
      if (wanted === null) continue;
      starts[code * 2] = steps.length;
      leads[code] = this.#compileOne(code, wanted, steps);
      starts[code * 2 + 1] = steps.length;
      shorts[code] = shortOf(steps, starts[code * 2] ?? 0);
    }
    return { leads, shorts, starts, steps: new Uint32Array(steps) };
  }

  /** Appends the steps of one abbreviation; returns the bytes to skip before them. */
  #compileOne(code: number, wanted: Wanted, steps: number[]): number {
    const start = steps.length;
    const end = this.specStarts[code * 2 + 1] ?? 0;
    let lead = 0;
    for (let i = this.specStarts[code * 2] ?? 0; i < end; i += 3) {
      const slot = (wanted[this.specs[i] ?? 0] ?? 0) - 1;
      const coding = this.specs[i + 1] ?? 0;
      const constant = coding === form.flagPresent ? 1 : (this.specs[i + 2] ?? 0);
      const isInTable = coding === form.implicitConst || coding === form.flagPresent;
      if (slot >= 0 && !isInTable) {
        steps.push(keepAction(fixedSize(coding, this.#encoding)), slot | (coding << 8), 0);
        continue;
      }
      if (slot >= 0 && constant >= 0 && constant <= maxConstant) {
        steps.push(step.constant, slot | (constant << 8), 0);
        continue;
      }
      const size = fixedSize(coding, this.#encoding);
      if (size < 0) steps.push(skipAction(coding), 0, 0);
      else if (steps.length === start) lead += size;
      else steps[steps.length - 1] = (steps.at(-1) ?? 0) + size;
    }
    return lead;
  }
}

/**
 * What follows the lead when that is nothing, or one number or block and bytes to skip, told by a first byte below 128:
 *
 *     bits 0–8    those a first byte, with bit 8 set, must not have
 *     bits 9–15   those of the first byte that are a length
 *     bits 16–31  bytes to skip beside that length
 */
function shortOf(steps: readonly number[], start: number): number {
  if (steps.length === start) return 0;
  const action = steps[start];
  const after = steps[start + 2] ?? 0;
  const isShort = steps.length === start + 3 && after < maxAfter;
  if (isShort && action === step.leb) return (128 | ((after + 1) << 16)) >>> 0;
  if (isShort && action === step.block) return (128 | (127 << 9) | ((after + 1) << 16)) >>> 0;
  return 256;
}

const maxAfter = 0xffff;

/**
 * Of entries of fixed size that have no children and of which nothing is wanted, and of functions that are only declared, whose
 * children end at a sibling; 0 of others:
 *
 *     bits 0–15   the size of what follows the code
 *     bits 16–31  1 + where in it the sibling is named; 0 of those without children
 */
function glanceOf(
  { leads, starts, steps }: StepProgram,
  code: number,
  kind: number,
  isParent: boolean,
): number {
  let size = leads[code] ?? 0;
  let sibling = 0;
  let isDeclaration = false;
  for (let i = starts[code * 2] ?? 0; i < (starts[code * 2 + 1] ?? 0); i += 3) {
    const action = steps[i];
    const argument = steps[i + 1] ?? 0;
    const slot = argument & 255;
    if (action === step.constant && slot === kept.isDeclaration)
      isDeclaration = argument >>> 8 !== 0;
    else if (action === step.keep4 && slot === kept.sibling) {
      sibling = size + 1;
      size += 4;
    } else return 0;
    size += steps[i + 2] ?? 0;
  }
  if (size > maxAfter) return 0;
  if (isParent) return isDeclaration && sibling > 0 ? size | (sibling << 16) : 0;
  return kind === role.plain || kind === role.leaf ? size : 0;
}

interface AbbreviationList {
  /** Of each: code, tag, whether it has children, where its specs begin and end, whether it has code. */
  readonly heads: Uint32Array;
  /** Attribute, form, implicit constant. */
  readonly specs: Float64Array;
}

const headSize = 6;
const specSize = 3;
/** Space that lists are read into; a large program has hundreds. */
let headSpace = new Uint32Array(1 << 12);
let specSpace = new Float64Array(1 << 14);

/** Good until the next is read. */
function readList(cursor: Cursor): AbbreviationList {
  let heads = 0;
  let specs = 0;
  for (;;) {
    const code = cursor.uleb();
    if (code === 0)
      return { heads: headSpace.subarray(0, heads), specs: specSpace.subarray(0, specs) };
    if (code > maxCode) throw new RangeError('an abbreviation code is too large');
    if (heads + headSize > headSpace.length)
      headSpace = widened(headSpace, new Uint32Array(heads * 2));
    headSpace[heads] = code;
    headSpace[heads + 1] = cursor.uleb() & 0xffff;
    headSpace[heads + 2] = cursor.u8() === 0 ? 0 : 1;
    headSpace[heads + 3] = specs;
    let hasCode = 0;
    for (;;) {
      const at = cursor.uleb();
      const coding = cursor.uleb();
      const implicit = coding === form.implicitConst ? cursor.sleb() : 0;
      if (at === 0 && coding === 0) break;
      if (at === attribute.lowPc || at === attribute.ranges) hasCode = 1;
      if (specs + specSize > specSpace.length)
        specSpace = widened(specSpace, new Float64Array(specs * 2));
      specSpace[specs] = at;
      specSpace[specs + 1] = coding;
      specSpace[specs + 2] = implicit;
      specs += specSize;
      if (specs > maxSpecs * specSize) throw new RangeError('an abbreviation table does not end');
    }
    headSpace[heads + 4] = specs;
    headSpace[heads + 5] = hasCode;
    heads += headSize;
  }
}

function roleOf(entryTag: number, hasCode: boolean): number {
  switch (entryTag) {
    case tag.namespace:
    case tag.classType:
    case tag.structureType:
    case tag.unionType:
    case tag.interfaceType:
    case tag.module:
    case tag.enumerationType:
      return role.scope;
    case tag.subprogram:
      return hasCode ? role.functionCode : role.functionDeclaration;
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

/** By attribute: 1 + slot of those that are wanted, 0 of others. */
type Wanted = Uint8Array;

function wantedOf(slots: readonly (readonly [at: number, slot: number])[]): Wanted {
  const wanted = new Uint8Array(Math.max(0, ...slots.map(([at]) => at)) + 1);
  for (const [at, slot] of slots) wanted[at] = slot + 1;
  return wanted;
}

const nothing = wantedOf([]);

const wantedByRole: Readonly<Record<number, Wanted>> = {
  [role.leaf]: wantedOf([[attribute.sibling, kept.sibling]]),
  [role.functionDeclaration]: wantedOf([
    [attribute.sibling, kept.sibling],
    [attribute.isDeclaration, kept.isDeclaration],
  ]),
  [role.functionCode]: wantedOf([
    [attribute.lowPc, kept.lowPc],
    [attribute.highPc, kept.highPc],
    [attribute.ranges, kept.ranges],
  ]),
  [role.inlined]: wantedOf([[attribute.abstractOrigin, kept.origin]]),
};

const wantedForNames = wantedOf([
  [attribute.name, naming.name],
  [attribute.linkageName, naming.linkage],
  [attribute.mipsLinkageName, naming.oldLinkage],
  [attribute.declarationFile, naming.file],
  [attribute.declarationLine, naming.line],
  [attribute.specification, naming.specification],
  [attribute.abstractOrigin, naming.origin],
  [attribute.signature, naming.signature],
]);

/** Of file numbers and lines, which are the constants of interest, none is larger. */
const maxConstant = 0xff_ffff;

function keepAction(size: number): number {
  switch (size) {
    case 1:
      return step.keep1;
    case 2:
      return step.keep2;
    case 4:
      return step.keep4;
    case 8:
      return step.keep8;
    default:
      return step.keep;
  }
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
