/** The last position of a sorted list that is not above `value`; -1 when all are. */
export function lastAtOrBefore(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The first position from `from` to `to` (exclusive) of an ascending list whose value is not below `value`; `to` when all are. */
export function firstAtOrAfter(
  sorted: ArrayLike<number>,
  value: number,
  from: number,
  to: number,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) >= value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Positions in ascending order of their values, equal ones by `tie`, and else as they stand. */
export function orderOf(
  values: Float64Array,
  tie: (a: number, b: number) => number = () => 0,
): Uint32Array {
  const count = values.length;
  const order = new Uint32Array(count);
  let lowest = Infinity;
  let highest = -Infinity;
  for (let i = 0; i < count; i++) {
    order[i] = i;
    lowest = Math.min(lowest, values[i] ?? 0);
    highest = Math.max(highest, values[i] ?? 0);
  }
  // A power of two, so that what a key was made of comes out again exactly.
  const range = 2 ** Math.ceil(Math.log2(count + 1));
  if ((highest - lowest + 1) * range >= 2 ** 53)
    return order.toSorted((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || tie(a, b) || a - b);
  // Numbers sort many times faster than by a function.
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) keys[i] = ((values[i] ?? 0) - lowest) * range + i;
  keys.sort();
  for (let i = 0; i < count; i++) {
    const key = keys[i] ?? 0;
    order[i] = key - Math.floor(key / range) * range;
  }
  for (let from = 0, to = 1; from < count; from = to, to++) {
    const value = values[order[from] ?? 0];
    while (to < count && values[order[to] ?? 0] === value) to++;
    if (to - from > 1) orderTies(order, from, to, tie);
  }
  return order;
}

/** Leaves only those rows, in their place, of which `keeps` is true; it is told of the row before as well. */
export function keepRows(
  rows: Uint32Array,
  keeps: (row: number, before: number | undefined) => boolean,
): Uint32Array {
  let count = 0;
  let before: number | undefined;
  for (const row of rows) {
    if (keeps(row, before)) rows[count++] = row;
    before = row;
  }
  return rows.subarray(0, count);
}

/** Most have two. */
function orderTies(
  order: Uint32Array,
  from: number,
  to: number,
  tie: (a: number, b: number) => number,
): void {
  const first = order[from] ?? 0;
  const second = order[from + 1] ?? 0;
  if (to - from > 2)
    order.set(
      order.subarray(from, to).toSorted((a, b) => tie(a, b) || a - b),
      from,
    );
  else if (tie(first, second) > 0) {
    order[from] = second;
    order[from + 1] = first;
  }
}
