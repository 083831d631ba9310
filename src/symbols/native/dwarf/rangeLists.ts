import { form } from './constants.ts';
import { Cursor } from './cursor.ts';
import type { Encoding } from './forms.ts';

export interface AddressRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** What a range list of one unit refers to. */
export interface RangeContext {
  readonly encoding: Encoding;
  /** DW_AT_low_pc of the unit. */
  readonly base: number;
  /** DW_AT_rnglists_base, or 0. */
  readonly rangeListsBase: number;
  readonly rangeLists: Uint8Array | null;
  /** .debug_ranges of DWARF 4 and before. */
  readonly ranges: Uint8Array | null;
  /** Entry of .debug_addr for an index of this unit. */
  addressAt(index: number): number;
}

const maxRanges = 10_000;

/** The ranges of a DW_AT_ranges value, empty ones left out. Throws a RangeError at damage. */
export function readRanges(context: RangeContext, code: number, value: number): AddressRange[] {
  return context.encoding.version >= 5
    ? readList5(context, code, value)
    : readList4(context, value);
}

/** DWARF 4 §2.17.3. Go writes code that lies before the base by offsets that wrap around. */
function readList4(context: RangeContext, offset: number): AddressRange[] {
  const { addressSize } = context.encoding;
  const cursor = new Cursor(context.ranges ?? new Uint8Array(0), offset);
  const largest = -1; // begins a new base
  const ranges: AddressRange[] = [];
  let { base } = context;
  for (;;) {
    const start = cursor.signedAddress(addressSize);
    const end = cursor.signedAddress(addressSize);
    if (start === 0 && end === 0) return ranges;
    if (start === largest) base = end;
    else add(ranges, base + start, base + end);
  }
}

/** DWARF 5 §2.17.3 and §7.25. */
function readList5(context: RangeContext, code: number, value: number): AddressRange[] {
  const { addressSize, offsetSize } = context.encoding;
  const section = context.rangeLists ?? new Uint8Array(0);
  let offset = value;
  if (code === form.rnglistx) {
    const cursor = new Cursor(section, context.rangeListsBase + value * offsetSize);
    offset = context.rangeListsBase + cursor.offset(offsetSize);
  }
  const cursor = new Cursor(section, offset);
  const ranges: AddressRange[] = [];
  let { base } = context;
  for (;;) {
    switch (cursor.u8()) {
      case 0:
        return ranges;
      case 1:
        base = context.addressAt(cursor.uleb());
        break;
      case 2:
        add(ranges, context.addressAt(cursor.uleb()), context.addressAt(cursor.uleb()));
        break;
      case 3: {
        const start = context.addressAt(cursor.uleb());
        add(ranges, start, start + cursor.uleb());
        break;
      }
      case 4: {
        const start = base + cursor.uleb();
        add(ranges, start, base + cursor.uleb());
        break;
      }
      case 5:
        base = cursor.address(addressSize);
        break;
      case 6: {
        const start = cursor.address(addressSize);
        add(ranges, start, cursor.address(addressSize));
        break;
      }
      case 7: {
        const start = cursor.address(addressSize);
        add(ranges, start, start + cursor.uleb());
        break;
      }
      default:
        throw new RangeError('an unknown kind of range');
    }
  }
}

function add(ranges: AddressRange[], start: number, end: number): void {
  if (ranges.length >= maxRanges) throw new RangeError('a range list does not end');
  if (end > start) ranges.push({ start, end });
}
