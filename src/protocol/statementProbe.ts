/**
 * What is recorded at a statement: a row of the table of the engine's probe call. It replaces the one of the same number.
 * function u32 · words u32 · values u32 · hasVectors u32 · after u64 · every u64 · most u64 · code u64[policyEntry.maxWords] ·
 * values watchEntry[maxValues]
 *
 * A hit whose condition is met leaves a record of kind `enter`, as a call made there would; its words are the values, in
 * their order. `stack` and `stackAddress` of code mean registers, in DWARF's order: 0 rax … 7 rsp … 15 r15.
 * A value's form is that of a watch, and `isNumber` beside `tree`: the number is captured as a value whose first walk step
 * is `where`, so that an unknown one can be named.
 */
export const probeEntry = {
  bytes: 288 + 8 * (16 + 24 * 8),
  fn: 0,
  words: 4,
  values: 8,
  hasVectors: 12,
  /** Of hits that meet the condition: `after` are passed over, then one in `every` is taken, at most `most`. 0: all. */
  after: 16,
  every: 24,
  most: 32,
  code: 48,
  valueRows: 288,
  maxValues: 8,
  isNumber: 32,
} as const;
