/** mulberry32: the same numbers, from 0 to below 1, for the same seed. */
export function randomOf(state) {
  let next = state;
  return () => {
    next = (next + 0x6d2b79f5) | 0;
    let mixed = Math.imul(next ^ (next >>> 15), 1 | next);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
