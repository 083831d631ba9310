/**
 * A step of a walk: how a captured value leads to other memory. Steps stand one after the other; each node begins with a head and ends before the next one. Node 0
 * is the value itself, its head's `a` the depth, `b` the most bytes of a text, `c` the depth that is wanted whole, `d` and `e` the most copies and words of what lies deeper.
 *
 *   kind u8 · flags u8 · node u16 · at u32 · size u32 · a · b · c · d · e u32
 *
 * The value's record holds pieces of memory, see native/engine/walk.c.
 */
export const walkStep = {
  bytes: 32,
  kind: 0,
  flags: 1,
  node: 2,
  at: 4,
  size: 8,
  a: 12,
  b: 16,
  c: 20,
  d: 24,
  e: 28,
} as const;

export const walkKind = {
  /** Nothing. */
  end: 0,
  /** `size` bytes of one element of this node. */
  head: 1,
  /** `size` bytes, `a` (with a sign) behind the address at `at`. */
  follow: 2,
  /** The C string whose address lies at `at`. */
  text: 3,
  /**
   * Elements of `size` bytes from the address at `at` on, at most `b`; their number, `d` too few, lies at `a` in
   * `c` bytes (0: 8), or there lies the address of their end, `d` bytes short.
   */
  span: 4,
  /** `a` elements of `size` bytes in the piece itself. */
  each: 5,
  /** The next `e` steps only when the number in `size` bytes at `at` is a|b<<32 .. c|d<<32. */
  when: 6,
  /** A ring of elements: buffer at `at`, first's index at `a`, number at `c`, room at `d`. */
  ring: 7,
  /** A hash table of Rust: control bytes at `at`, mask at `a`, number of elements at `c`. */
  table: 8,
  /** A virtual base of `size` bytes: its offset lies `a` before the vtable whose address is at `at`. */
  base: 9,
  /**
   * Elements of `size` bytes in blocks of `d`, whose addresses lie from the one at `at` on: number of the first at `a`,
   * how many at `c`, at most `b`.
   */
  blocks: 10,
  /**
   * `size` bytes, `a` behind the address at `at`, and none of the next `e` steps, when the vtable whose address lies at `b` (`inside`:
   * behind the address at `at`) is so many bytes behind the address in it at `d` as `c` says (with a sign).
   */
  ofType: 11,
  /** The next `e` steps only when the four bytes `d` behind the address at `at` are `c`. */
  told: 12,
  /**
   * `size` bytes at `at`, whole words and 128 bytes at most, are looked at once more when all is copied: where they changed, the lowest bit
   * of the byte at `a` is set in the copy.
   */
  again: 13,
  /** `size` bytes at `at` are zeros in the copy: they hold a secret. */
  blank: 14,
} as const;

export const walkFlag = {
  /** Does not count as a level of depth. */
  free: 1,
  byEnd: 2,
  /** Not when it lies inside a piece that is known. */
  outside: 4,
  /** Turns a condition round. */
  not: 8,
  inside: 16,
  /** Of what lies deeper than what is wanted whole the beginning is enough. */
  partly: 32,
  /** Of a program's first step: there are some of `again`. */
  again: 64,
  /** Of a program's first step: there are some of `blank`. */
  blank: 128,
} as const;
