import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { damagedStore, storedJson } from './storedJson.ts';

/**
 * Samples of watches of one thread, as columns in the order they were taken: a row of watch_samples.
 *
 *   data = deflated: float64 time [n] · float64 ordinal of the call [n] · u64 value [n] ·
 *          u64 address [n] · u32 watch [n] · u32 flags [n] (model/eventColumns `watchFlags`)
 *
 * The value of a text is its place among `texts`, where one of any other type stands as the base64 of its pieces. The address is that of the watched memory, 0 where
 * it is the same for all samples of a process or of one call; of what could not be read the address
 * that failed.
 */
export interface SampleColumns {
  readonly count: number;
  readonly time: Float64Array;
  readonly ordinal: Float64Array;
  readonly value: BigUint64Array;
  readonly address: BigUint64Array;
  readonly watch: Uint32Array;
  readonly flags: Uint32Array;
  /** Null: a null pointer. */
  readonly texts: readonly SampledText[];
}

/** `deeperCut`: of a value of any other type, as in `stringFlags`. */
export type SampledText = {
  readonly text: string;
  readonly truncated: boolean;
  readonly deeperCut?: true;
} | null;

const bytesEach = 40;

/** Columns with room for `count` samples. */
export function emptySamples(count: number): Omit<SampleColumns, 'count' | 'texts'> & {
  readonly buffer: ArrayBuffer;
} {
  const buffer = new ArrayBuffer(count * bytesEach);
  return {
    buffer,
    time: new Float64Array(buffer, 0, count),
    ordinal: new Float64Array(buffer, count * 8, count),
    value: new BigUint64Array(buffer, count * 16, count),
    address: new BigUint64Array(buffer, count * 24, count),
    watch: new Uint32Array(buffer, count * 32, count),
    flags: new Uint32Array(buffer, count * 36, count),
  };
}

export function packSamples(buffer: ArrayBuffer): Buffer {
  return deflateRawSync(new Uint8Array(buffer), { level: 1 });
}

/** Throws STORE_FAILED when they are not so many. */
export function unpackSamples(count: number, data: Buffer, texts: string | null): SampleColumns {
  const bytes = inflated(data, count * bytesEach);
  const { buffer, ...columns } = emptySamples(count);
  new Uint8Array(buffer).set(bytes);
  return { count, ...columns, texts: texts === null ? [] : ownTexts(texts) };
}

function inflated(data: Buffer, size: number): Buffer {
  try {
    const bytes = inflateRawSync(data, { maxOutputLength: Math.max(size, 1) });
    if (bytes.length === size) return bytes;
  } catch {
    // It is no deflated text, or a longer one.
  }
  throw damagedStore();
}

function ownTexts(json: string): readonly SampledText[] {
  return storedJson<readonly SampledText[]>(json, 'array');
}
