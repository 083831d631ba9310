/** Captured bytes of calls: the i-th entered with [enterAt, returnAt) and returned [returnAt, endAt). */
export interface Captures extends CapturePlaces {
  readonly bytes: Buffer;
  /** The same bytes: values begin at multiples of 8. */
  readonly words: Uint32Array;
}

export interface CapturePlaces {
  readonly enterAt: Uint32Array;
  readonly returnAt: Uint32Array;
  readonly endAt: Uint32Array;
}

/** How much was captured of each row. */
export interface CaptureLengths {
  readonly enterBytes: ArrayLike<number>;
  readonly returnBytes: ArrayLike<number>;
}

/** Where the captures of so many calls lie, one after the other; `rows`: which they are, null: the first ones. */
export function placesOf(
  calls: number,
  { enterBytes, returnBytes }: CaptureLengths,
  rows: Uint16Array | null,
): CapturePlaces & { readonly total: number } {
  const enterAt = new Uint32Array(calls);
  const returnAt = new Uint32Array(calls);
  const endAt = new Uint32Array(calls);
  let at = 0;
  for (let i = 0; i < calls; i++) {
    const row = rows === null ? i : (rows[i] ?? 0);
    enterAt[i] = at;
    at += enterBytes[row] ?? 0;
    returnAt[i] = at;
    at += returnBytes[row] ?? 0;
    endAt[i] = at;
  }
  return { enterAt, returnAt, endAt, total: at };
}
