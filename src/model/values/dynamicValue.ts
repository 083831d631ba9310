/**
 * A value that describes itself, as tracers of dynamic languages capture it. The target writes it, the
 * daemon (`model/decoding`) and SQL (`native/sql`) read it; native/engine/record.h has the same numbers.
 *
 *   value  = header u64 · its bytes, padded with zeros to a multiple of 8
 *   header = low u32: how many bytes follow · high u32: `stringFlags`, for which captured text has the same place
 *
 * A header without bytes is a whole value: its high u32 holds 0 (3 bits) | tag of `immediateTag` (5 bits) |
 * a number (24 bits). With `truncated` among the flags there was no room for the value.
 *
 * The bytes are one item: tag of `itemTag` u8, then what the tag says. `n` is an unsigned LEB128 number, `item` is
 * an item inside, `size` is a u16: how many bytes of the item follow it, so that a reader can skip the rest.
 *
 *   i8 i16 i32 i64      the number, little-endian
 *   integer             negative u8 · n digits it has · n digits held · those, the highest of them, 30 bits in a u32 each
 *   float               f64
 *   text1 text2 text4   n units it has · n units held · units of 1, 2 or 4 bytes (Latin-1, UTF-16, UTF-32)
 *   bytes               n bytes it has · n bytes held · bytes
 *   list tuple set      size · n elements it has · items
 *   map                 size · n entries it has · item of the key, item of the value, …
 *   object enumeration  size · n type · identity (6 bytes) · item of the key, item of the value, …
 *   subclass            size · n type · item it holds as an instance of a built-in type · key and value items
 *   exception           size · n type · item of what it was made with
 *   array               n type · kind, type and byte order of an element (3 characters) · dimensions u8 · n of each
 *   function type symbol   item of the name
 *   other               n type · identity (6 bytes)
 *   cycle               levels up u8
 *   name                n name
 *   none … unset redacted  nothing
 *
 * Types and names are definitions of the process (`Definition`). A key may be a `name` or any other item.
 */
export const immediateTag = {
  unset: 0,
  none: 1,
  undefined: 2,
  false: 3,
  true: 4,
  /** Signed, in 24 bits. */
  integer: 5,
  emptyText: 6,
  emptyBytes: 7,
  emptyList: 8,
  emptyTuple: 9,
  emptyMap: 10,
  emptySet: 11,
  /** Its name looks like a secret (redaction.ts). */
  redacted: 12,
} as const;

export const itemTag = {
  none: 1,
  true: 2,
  false: 3,
  i8: 4,
  i16: 5,
  i32: 6,
  i64: 7,
  integer: 8,
  float: 9,
  text1: 10,
  text2: 11,
  text4: 12,
  bytes: 13,
  list: 14,
  tuple: 15,
  set: 16,
  map: 17,
  object: 18,
  enumeration: 19,
  array: 20,
  exception: 21,
  function: 22,
  type: 23,
  other: 24,
  /** An object that contains this one; the number of levels up to it. */
  cycle: 25,
  /** There was no room for it, or it lies too deep. */
  cut: 26,
  unset: 27,
  subclass: 28,
  undefined: 29,
  /** It was not run. */
  getter: 30,
  /** It was not entered. */
  proxy: 31,
  symbol: 32,
  name: 33,
  redacted: 34,
} as const;
