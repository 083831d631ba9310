import { form } from './constants.ts';
import { Cursor } from './cursor.ts';
import type { Encoding } from './forms.ts';

/** What a location list of one unit refers to. */
export interface LocationListContext {
  readonly encoding: Encoding;
  /** DW_AT_low_pc of the unit. */
  readonly base: number;
  /** DW_AT_loclists_base, or 0. */
  readonly listsBase: number;
  /** .debug_loclists. */
  readonly lists: Uint8Array | null;
  /** .debug_loc of DWARF 4 and before. */
  readonly oldLists: Uint8Array | null;
  /** Whose entries of DWARF 4 name addresses by index. */
  readonly isOldSplit: boolean;
  addressAt(index: number): number;
}

const maxEntries = 10_000;
const none = new Uint8Array(0);

/**
 * The expression that holds at a link-time address; null when the list has none for it. Throws a
 * RangeError at damage.
 */
export function locationAt(
  context: LocationListContext,
  code: number,
  value: number,
  address: number,
): Uint8Array | null {
  if (context.encoding.version >= 5) return fromList5(context, code, value, address);
  return context.isOldSplit
    ? fromEntries(context, new Cursor(context.oldLists ?? none, value), splitLengths, address)
    : fromList4(context, value, address);
}

/** DWARF 4 §2.6.2. */
function fromList4(
  context: LocationListContext,
  offset: number,
  address: number,
): Uint8Array | null {
  const { addressSize } = context.encoding;
  const cursor = new Cursor(context.oldLists ?? none, offset);
  const largest = addressSize === 8 ? 2 ** 64 : 0xffff_ffff;
  let { base } = context;
  for (let i = 0; i < maxEntries; i++) {
    const start = cursor.address(addressSize);
    const end = cursor.address(addressSize);
    if (start === 0 && end === 0) return null;
    if (start >= largest) {
      base = end;
      continue;
    }
    const expression = take(cursor, cursor.u16());
    if (address >= base + start && address < base + end) return expression;
  }
  throw new RangeError('a location list does not end');
}

/** DWARF 5 §2.6.2 and §7.7.3. */
function fromList5(
  context: LocationListContext,
  code: number,
  value: number,
  address: number,
): Uint8Array | null {
  const { offsetSize } = context.encoding;
  const section = context.lists ?? none;
  let offset = value;
  if (code === form.loclistx) {
    const cursor = new Cursor(section, context.listsBase + value * offsetSize);
    offset = context.listsBase + cursor.offset(offsetSize);
  }
  return fromEntries(context, new Cursor(section, offset), lengths5, address);
}

/** How the lengths of entries and of expressions are written. */
interface Lengths {
  range(cursor: Cursor): number;
  expression(cursor: Cursor): number;
  /** Kinds of entries there are. */
  readonly kinds: number;
}

const lengths5: Lengths = {
  range: (cursor) => cursor.uleb(),
  expression: (cursor) => cursor.uleb(),
  kinds: 10,
};

/** GNU's split DWARF 4 ("Debug Fission", .debug_loc.dwo): the first five kinds of DWARF 5. */
const splitLengths: Lengths = {
  range: (cursor) => cursor.u32(),
  expression: (cursor) => cursor.u16(),
  kinds: 5,
};

function fromEntries(
  context: LocationListContext,
  cursor: Cursor,
  lengths: Lengths,
  address: number,
): Uint8Array | null {
  let { base } = context;
  let fallback: Uint8Array | null = null;
  for (let i = 0; i < maxEntries; i++) {
    let start = 0;
    let end = 0;
    const kind = cursor.u8();
    if (kind >= lengths.kinds) throw new RangeError('an unknown kind of location');
    switch (kind) {
      case 0:
        return fallback;
      case 1:
        base = context.addressAt(cursor.uleb());
        continue;
      case 2:
        start = context.addressAt(cursor.uleb());
        end = context.addressAt(cursor.uleb());
        break;
      case 3:
        start = context.addressAt(cursor.uleb());
        end = start + lengths.range(cursor);
        break;
      case 4:
        start = base + lengths.range(cursor);
        end = base + lengths.range(cursor);
        break;
      case 5:
        fallback = take(cursor, cursor.uleb());
        continue;
      case 6:
        base = cursor.address(context.encoding.addressSize);
        continue;
      case 7:
        start = cursor.address(context.encoding.addressSize);
        end = cursor.address(context.encoding.addressSize);
        break;
      case 8:
        start = cursor.address(context.encoding.addressSize);
        end = start + lengths.range(cursor);
        break;
      // DW_LLE_GNU_view_pair: view numbers before the entry they belong to.
      case 9:
        cursor.skipLeb();
        cursor.skipLeb();
        continue;
    }
    const expression = take(cursor, lengths.expression(cursor));
    if (address >= start && address < end) return expression;
  }
  throw new RangeError('a location list does not end');
}

function take(cursor: Cursor, length: number): Uint8Array {
  if (cursor.at + length > cursor.bytes.length) throw new RangeError('an expression ends outside');
  cursor.advance(length);
  return cursor.bytes.subarray(cursor.at - length, cursor.at);
}
