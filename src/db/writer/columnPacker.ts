import { blockCalls } from '../blockFormat.ts';

export interface PackedColumn {
  /** Bytes per number: 1, 2, 4 or 8 (blockFormat.ts). */
  readonly width: number;
  /** Valid until the same column is packed again. */
  readonly data: Buffer;
}

/**
 * Brings number columns into their narrowest form. A loop for each pair of source and width:
 * one loop for all of them takes five times as long.
 */
export class ColumnPacker {
  readonly #scratch: ArrayBuffer[] = [];

  /** Whole numbers [from, from + count), less `base`. */
  floats(
    column: number,
    values: Float64Array,
    from: number,
    count: number,
    base = 0,
  ): PackedColumn {
    const to = from + count;
    let max = 0;
    for (let i = from; i < to; i++) {
      const value = values[i] ?? 0;
      if (value > max) max = value;
    }
    const width = widthOf(max - base);
    const buffer = this.#buffer(column);
    if (width === 1) {
      const out = new Uint8Array(buffer, 0, count);
      for (let i = from, o = 0; i < to; i++, o++) out[o] = (values[i] ?? 0) - base;
    } else if (width === 2) {
      const out = new Uint16Array(buffer, 0, count);
      for (let i = from, o = 0; i < to; i++, o++) out[o] = (values[i] ?? 0) - base;
    } else if (width === 4) {
      const out = new Uint32Array(buffer, 0, count);
      for (let i = from, o = 0; i < to; i++, o++) out[o] = (values[i] ?? 0) - base;
    } else {
      const out = new Float64Array(buffer, 0, count);
      for (let i = from, o = 0; i < to; i++, o++) out[o] = (values[i] ?? 0) - base;
    }
    return { width, data: Buffer.from(buffer, 0, count * width) };
  }

  /** Numbers [from, from + count). */
  words(column: number, values: Uint32Array, from: number, count: number): PackedColumn {
    const to = from + count;
    let max = 0;
    for (let i = from; i < to; i++) {
      const value = values[i] ?? 0;
      if (value > max) max = value;
    }
    const width = widthOf(max);
    const buffer = this.#buffer(column);
    if (width === 1) {
      const out = new Uint8Array(buffer, 0, count);
      for (let i = from, o = 0; i < to; i++, o++) out[o] = values[i] ?? 0;
    } else if (width === 2) {
      const out = new Uint16Array(buffer, 0, count);
      for (let i = from, o = 0; i < to; i++, o++) out[o] = values[i] ?? 0;
    } else new Uint32Array(buffer, 0, count).set(values.subarray(from, to));
    return { width, data: Buffer.from(buffer, 0, count * width) };
  }

  #buffer(column: number): ArrayBuffer {
    return (this.#scratch[column] ??= new ArrayBuffer(blockCalls * 8));
  }
}

function widthOf(max: number): number {
  return max < 256 ? 1 : max < 65536 ? 2 : max < 4294967296 ? 4 : 8;
}
