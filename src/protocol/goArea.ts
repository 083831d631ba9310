/**
 * Where conditions of Go find what a call was passed: as stack words, since all its registers are in memory when
 * they are decided. Integer registers are the first; `arguments`: the same at the entry of a call that returns.
 */
export const goArea = { stackPointer: 11, vectors: 19, arguments: 49 } as const;
