import { form } from './constants.ts';
import type { Cursor } from './cursor.ts';

/** What the size of an attribute value depends on (DWARF 5 §7.5.6). */
export interface Encoding {
  readonly version: number;
  readonly addressSize: number;
  /** 4 or 8: the 32-bit or 64-bit DWARF format. */
  readonly offsetSize: number;
}

/** Bytes of a value of this form, or -1 when it must be read to know. */
export function fixedSize(code: number, encoding: Encoding): number {
  switch (code) {
    case form.flagPresent:
    case form.implicitConst:
      return 0;
    case form.data1:
    case form.flag:
    case form.ref1:
    case form.strx1:
    case form.addrx1:
      return 1;
    case form.data2:
    case form.ref2:
    case form.strx2:
    case form.addrx2:
      return 2;
    case form.strx3:
    case form.addrx3:
      return 3;
    case form.data4:
    case form.ref4:
    case form.strx4:
    case form.addrx4:
    case form.refSup4:
      return 4;
    case form.data8:
    case form.ref8:
    case form.refSig8:
    case form.refSup8:
      return 8;
    case form.data16:
      return 16;
    case form.addr:
      return encoding.addressSize;
    case form.strp:
    case form.secOffset:
    case form.lineStrp:
    case form.strpSup:
    case form.gnuRefAlt:
    case form.gnuStrpAlt:
      return encoding.offsetSize;
    case form.refAddr:
      return encoding.version <= 2 ? encoding.addressSize : encoding.offsetSize;
    default:
      return -1;
  }
}

/** Whether a value of this form is a number, not where one is computed or kept. */
export function isConstant(code: number): boolean {
  switch (code) {
    case form.data1:
    case form.data2:
    case form.data4:
    case form.data8:
    case form.sdata:
    case form.udata:
    case form.implicitConst:
      return true;
    default:
      return false;
  }
}

/** Steps over one value. Throws a RangeError for an unknown form or outside the bytes. */
export function skipForm(cursor: Cursor, code: number, encoding: Encoding): void {
  const size = fixedSize(code, encoding);
  if (size >= 0) {
    cursor.at += size;
    return;
  }
  switch (code) {
    case form.udata:
    case form.sdata:
    case form.refUdata:
    case form.strx:
    case form.addrx:
    case form.loclistx:
    case form.rnglistx:
    case form.gnuAddrIndex:
    case form.gnuStrIndex:
      return cursor.skipLeb();
    case form.string:
      return cursor.skipText();
    case form.block1:
      return cursor.advance(cursor.u8());
    case form.block2:
      return cursor.advance(cursor.u16());
    case form.block4:
      return cursor.advance(cursor.u32());
    case form.block:
    case form.exprloc:
      return cursor.advance(cursor.uleb());
    case form.indirect:
      return skipForm(cursor, directForm(cursor), encoding);
    default:
      throw new RangeError(`unknown form 0x${code.toString(16)}`);
  }
}

/** The form a DW_FORM_indirect value names; another indirection is not followed. */
export function directForm(cursor: Cursor): number {
  const code = cursor.uleb();
  if (code === form.indirect || code === form.implicitConst)
    throw new RangeError('an indirect form names itself');
  return code;
}

/**
 * One value as a number: constants and flags as they are (exact up to 2^53), references, offsets and
 * indexes unresolved, inline texts and blocks as the cursor's position of their first byte.
 */
export function readForm(cursor: Cursor, code: number, encoding: Encoding): number {
  switch (code) {
    case form.flagPresent:
      return 1;
    case form.data1:
    case form.flag:
    case form.ref1:
    case form.strx1:
    case form.addrx1:
      return cursor.u8();
    case form.data2:
    case form.ref2:
    case form.strx2:
    case form.addrx2:
      return cursor.u16();
    case form.strx3:
    case form.addrx3:
      return cursor.u24();
    case form.data4:
    case form.ref4:
    case form.strx4:
    case form.addrx4:
    case form.refSup4:
      return cursor.u32();
    case form.data8:
    case form.ref8:
    case form.refSig8:
    case form.refSup8:
      return cursor.u64();
    case form.addr:
      return cursor.address(encoding.addressSize);
    case form.strp:
    case form.secOffset:
    case form.lineStrp:
    case form.strpSup:
    case form.gnuRefAlt:
    case form.gnuStrpAlt:
      return cursor.offset(encoding.offsetSize);
    case form.refAddr:
      return encoding.version <= 2
        ? cursor.address(encoding.addressSize)
        : cursor.offset(encoding.offsetSize);
    case form.sdata:
      return cursor.sleb();
    case form.udata:
    case form.refUdata:
    case form.strx:
    case form.addrx:
    case form.loclistx:
    case form.rnglistx:
    case form.gnuAddrIndex:
    case form.gnuStrIndex:
      return cursor.uleb();
    default: {
      const start = cursor.at;
      skipForm(cursor, code, encoding);
      return start;
    }
  }
}

/** The text forms that are an index into .debug_str_offsets. */
export function isStringIndex(code: number): boolean {
  return (
    (code >= form.strx1 && code <= form.strx4) || code === form.strx || code === form.gnuStrIndex
  );
}

/** The address forms that are an index into .debug_addr. */
export function isAddressIndex(code: number): boolean {
  return (
    (code >= form.addrx1 && code <= form.addrx4) ||
    code === form.addrx ||
    code === form.gnuAddrIndex
  );
}

/** The forms of an address, direct or by index. */
export function isAddressForm(code: number): boolean {
  return code === 0x01 || code === 0x1b || (code >= 0x29 && code <= 0x2c) || code === 0x1f01;
}

/** The forms whose value is a length and as many bytes. */
export function isBlock(code: number): boolean {
  return (
    code === form.exprloc ||
    code === form.block ||
    code === form.block1 ||
    code === form.block2 ||
    code === form.block4
  );
}

/** The bytes of such a value; `at` is what `readForm` gave for it. */
export function readBlock(cursor: Cursor, code: number, at: number): Uint8Array {
  cursor.at = at;
  const length =
    code === form.block1
      ? cursor.u8()
      : code === form.block2
        ? cursor.u16()
        : code === form.block4
          ? cursor.u32()
          : cursor.uleb();
  if (cursor.at + length > cursor.bytes.length) throw new RangeError('a block ends outside');
  return cursor.bytes.subarray(cursor.at, cursor.at + length);
}
