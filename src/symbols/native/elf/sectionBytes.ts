import { readSync } from 'node:fs';
import * as zlib from 'node:zlib';

/** Bytes of a file or section asked for lie outside it, or do not decode. */
export class DamagedError extends Error {
  override readonly name = 'DamagedError';
}

/** Reads exactly `length` bytes at `offset`, into new `bytes` or these; throws `DamagedError` where the file ends before. */
export function readExactly(
  fd: number,
  offset: number,
  length: number,
  bytes: Uint8Array = new Uint8Array(length),
): Uint8Array {
  let done = 0;
  while (done < length) {
    const count = readSync(fd, bytes, done, Math.min(length - done, 1 << 30), offset + done);
    if (count === 0) throw new DamagedError(`the file ends before offset ${offset + length}`);
    done += count;
  }
  return bytes;
}

/** Larger sections are read piece by piece, so that memory does not grow with the file. */
const keepWholeBelow = 48 << 20;
const maxInflated = 0xffff_0000;
/** DEFLATE cannot do better than about 1032 to 1; zstd repeats a block of 128 KB in four bytes. */
const maxRatios = { zlib: 1040, zstd: 1 << 15 } as const;
/** A damaged header may state any size; a section that is really larger is put together from pieces. */
const largestChunk = 1 << 28;
/** ELFCOMPRESS_ZLIB and ELFCOMPRESS_ZSTD. */
const ways: readonly (keyof typeof maxRatios | null)[] = [null, 'zlib', 'zstd'];

/** The content of one section: from the file piece by piece, or from memory once read or inflated whole. */
export class SectionBytes {
  readonly name: string;
  readonly size: number;
  readonly #fd: number;
  readonly #offset: number;
  #whole: Uint8Array | null;

  constructor(
    name: string,
    fd: number,
    offset: number,
    size: number,
    whole: Uint8Array | null = null,
  ) {
    this.name = name;
    this.size = size;
    this.#fd = fd;
    this.#offset = offset;
    this.#whole = whole;
  }

  /** A section with SHF_COMPRESSED (ELF gABI, "Section Compression"). */
  static inflate(name: string, fd: number, offset: number, size: number): SectionBytes {
    const raw = readExactly(fd, offset, size);
    const header = new DataView(raw.buffer);
    if (size < 24) throw new DamagedError(`${name} is too short to be compressed`);
    const way = ways[header.getUint32(0, true)] ?? null;
    if (way === null) throw new DamagedError(`${name} is compressed in an unknown way`);
    const inflated = Number(header.getBigUint64(8, true));
    if (inflated > maxInflated || inflated > size * maxRatios[way])
      throw new DamagedError(`${name} states an impossible size`);
    const inflate = way === 'zlib' ? zlib.inflateSync : zstdInflate();
    if (inflate === null)
      throw new DamagedError(
        `${name} is compressed by zstd, which this Node (${process.version}) cannot read: ` +
          'run objcopy --decompress-debug-sections FILE, or Strobe with Node 22.15 or later',
      );
    let bytes: Uint8Array;
    try {
      bytes = inflate(raw.subarray(24), {
        maxOutputLength: Math.max(inflated, 1),
        chunkSize: Math.min(Math.max(inflated, 64), largestChunk),
      });
    } catch {
      throw new DamagedError(`${name} does not inflate`);
    }
    return new SectionBytes(name, fd, 0, bytes.length, bytes);
  }

  /**
   * `length` bytes at `offset`; do not write into them. `space`, at least as long, may be used for them. Throws
   * `DamagedError` outside the section.
   */
  slice(offset: number, length: number, space?: Uint8Array): Uint8Array {
    if (offset < 0 || length < 0 || offset + length > this.size) {
      throw new DamagedError(
        `offset ${offset} + ${length} is outside ${this.name} (${this.size} bytes)`,
      );
    }
    if (this.#whole === null) {
      if (this.size > keepWholeBelow)
        return readExactly(this.#fd, this.#offset + offset, length, space?.subarray(0, length));
      this.#whole = readExactly(this.#fd, this.#offset, this.size);
    }
    return this.#whole.subarray(offset, offset + length);
  }

  /** At most `length` bytes at `offset`, fewer at the section's end. */
  upTo(offset: number, length: number, space?: Uint8Array): Uint8Array {
    return this.slice(offset, Math.min(length, Math.max(0, this.size - offset)), space);
  }

  /** Everything, kept in memory from now on. */
  all(): Uint8Array {
    this.#whole ??= readExactly(this.#fd, this.#offset, this.size);
    return this.#whole;
  }
}

type Inflate = (bytes: Uint8Array, options: zlib.ZlibOptions) => Uint8Array;

function isInflate(value: unknown): value is Inflate {
  return typeof value === 'function';
}

/** Node has it since 22.15. */
function zstdInflate(): Inflate | null {
  const found: unknown = Reflect.get(zlib, 'zstdDecompressSync');
  return isInflate(found) ? found : null;
}
