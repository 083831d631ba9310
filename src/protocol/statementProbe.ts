/**
 * What is recorded at a statement: a row of the table of the engine's probe call. It replaces the one of the same number.
 * function u32 · words u32 · values u32 · hasVectors u32 · after u64 · every u64 · most u64 · check u64 · thread u64 ·
 * threadName u8[16] · code u64[maxWords] · values watchEntry[maxValues] · gathered u64[maxGathered]
 *
 * A hit whose condition is met leaves a record of kind `enter`, as a call made there would; its words are the values, in
 * their order, then `undecidedHit` (model/eventColumns.ts) where the condition could not be worked out, which counts as met. `stack` and `stackAddress` of code mean registers, in DWARF's order: 0 rax … 7 rsp … 15 r15.
 * A value's form is that of a watch, and `isNumber` beside `tree`: the number is captured as a value whose first walk step
 * is `where`, so that an unknown one can be named.
 *
 * Of code of Go `stackAddress` from word `gatheredAt` on means what is gathered of values that are in several places, one behind the
 * other: register u8 (vector registers from 17 on) · flags u8 (1: it leads to memory, 2: a value begins here, at a word) · bytes u16 · distance i32 of that memory. 0: no more.
 *
 * `check`, one above a function number: the code is an invariant, and the number is that of what its rows share. A hit leaves a record
 * where it no longer holds (or is no longer known) though it did, or was not asked before. Those where it holds are counted as
 * ended, others as begun. A watch whose form is `check` looks at the row of the number in its `where`.
 */
export const probeEntry = {
  bytes: 544 + 8 * (16 + 40 * 8) + 24 * 8,
  fn: 0,
  words: 4,
  values: 8,
  hasVectors: 12,
  /** Of hits that meet the condition: `after` are passed over, then one in `every` is taken, at most `most`. 0: all. */
  after: 16,
  every: 24,
  most: 32,
  check: 40,
  /** Only hits of the thread with this id, or of those with this name; 0 and an empty one: of all. */
  thread: 48,
  threadName: 56,
  code: 72,
  maxWords: 59,
  valueRows: 544,
  maxValues: 8,
  gathered: 544 + 8 * (16 + 40 * 8),
  maxGathered: 24,
  gatheredAt: 16,
  isNumber: 32,
  /** Form of a watch. */
  isCheck: 64,
} as const;

/**
 * Further operations of conditions (record.ts). Some walk from one element to the next, from the address on top: `walk`, what computes the next
 * element, `walkStep`, what is asked of each, `walkTest`. `offset` of the first two: words up to the `walkTest`; of that: words
 * back to the first one behind the `walk`. It leaves 1 where all elements meet the test, else 0; with `index` 1 (in all three) the
 * address of the first that does not, else 0. It ends at a null address, where it comes back to the first element, or after
 * `mostSteps` elements, which is unknown. `signed` of `walkStep`: the test names the next element, so the last one is not asked.
 * Walks do not nest.
 */
export const walkCondition = {
  walk: 32,
  walkStep: 33,
  walkTest: 34,
  /** The address of the element, `index` 1: of the next one. */
  element: 35,
  /** Of two addresses of C strings: -1, 0 or 1, as the first is less by its bytes, equal or greater; beyond `mostCompared` bytes unknown. */
  compareTexts: 36,
  mostCompared: 512,
  mostSteps: 10_000,
} as const;
