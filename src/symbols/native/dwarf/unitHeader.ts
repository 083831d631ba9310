import { Cursor } from './cursor.ts';
import type { Encoding } from './forms.ts';

/** The head of a unit in .debug_info (DWARF 4 §7.5.1, DWARF 5 §7.5.1). Offsets are those of DebugInfo. */
export interface UnitHeader extends Encoding {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** Of the first entry, counted from `start`. */
  readonly firstEntry: number;
  readonly abbreviations: number;
  /** DW_UT; 1 = compile for DWARF 4. */
  readonly unitType: number;
  /** Of a type unit its signature, of a split one or its skeleton since DWARF 5 what joins them; else 0. */
  readonly id: bigint;
  /** Of a type unit: where its type lies, counted from `start`. */
  readonly typeEntry: number;
}

export const unitType = {
  compile: 1,
  type: 2,
  partial: 3,
  skeleton: 4,
  splitCompile: 5,
  splitType: 6,
} as const;

/** Longest possible header. */
export const maxHeaderSize = 40;

/**
 * `bytes` begin at the unit. Throws a RangeError when it is damaged; `end` is where the next unit begins
 * even when `version` is one that is not read (outside 2–5: then the other fields mean nothing).
 */
export function readUnitHeader(
  bytes: Uint8Array,
  start: number,
  sectionEnd: number,
  /** In .debug_types of DWARF 4. */
  isTypes: boolean,
): UnitHeader {
  const cursor = new Cursor(bytes);
  let length = cursor.u32();
  const offsetSize = length === 0xffff_ffff ? 8 : 4;
  if (offsetSize === 8) length = cursor.u64();
  else if (length >= 0xffff_fff0) throw new RangeError('a unit has a reserved length');
  const end = start + cursor.at + length;
  if (end > sectionEnd || length < 7) throw new RangeError('a unit has an impossible length');
  const version = cursor.u16();
  let kind: number = unitType.compile;
  let addressSize = 8;
  let abbreviations = 0;
  let id = 0n;
  let typeEntry = 0;
  if (version >= 5) {
    kind = cursor.u8();
    addressSize = cursor.u8();
    abbreviations = cursor.offset(offsetSize);
  } else {
    abbreviations = cursor.offset(offsetSize);
    addressSize = cursor.u8();
    if (isTypes) kind = unitType.type;
  }
  if (kind >= unitType.skeleton || kind === unitType.type) {
    id = cursor.view.getBigUint64(cursor.at, true);
    cursor.at += 8;
  }
  if (kind === unitType.type || kind === unitType.splitType) typeEntry = cursor.offset(offsetSize);
  if (version >= 2 && version <= 5 && addressSize !== 4 && addressSize !== 8)
    throw new RangeError('a unit has an impossible address size');
  return {
    start,
    end,
    firstEntry: cursor.at,
    abbreviations,
    unitType: kind,
    version,
    addressSize,
    offsetSize,
    id,
    typeEntry,
  };
}
