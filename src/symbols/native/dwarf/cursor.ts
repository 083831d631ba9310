/**
 * Reads numbers in the encodings of DWARF (little-endian). Leaving the bytes throws a RangeError, which
 * the reader of the surrounding unit turns into a problem.
 */
export class Cursor {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = at;
  }

  advance(length: number): void {
    this.at += length;
  }

  u8(): number {
    return this.view.getUint8(this.at++);
  }

  u16(): number {
    this.at += 2;
    return this.view.getUint16(this.at - 2, true);
  }

  u24(): number {
    this.at += 3;
    return this.view.getUint16(this.at - 3, true) + (this.view.getUint8(this.at - 1) << 16);
  }

  u32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  /** Exact up to 2^53. */
  u64(): number {
    this.at += 8;
    return (
      this.view.getUint32(this.at - 8, true) +
      this.view.getUint32(this.at - 4, true) * 0x1_0000_0000
    );
  }

  /** An offset of the 32-bit or 64-bit DWARF format (DWARF 5 §7.4). */
  offset(size: number): number {
    return size === 8 ? this.u64() : this.u32();
  }

  address(size: number): number {
    return size === 8 ? this.u64() : this.u32();
  }

  /** An address as an offset that may go back; exact from -2^53 to 2^53. */
  signedAddress(size: number): number {
    this.at += size;
    if (size !== 8) return this.view.getInt32(this.at - 4, true);
    return (
      this.view.getUint32(this.at - 8, true) + this.view.getInt32(this.at - 4, true) * 0x1_0000_0000
    );
  }

  /** Unsigned LEB128 (DWARF 5 §7.6), exact up to 2^53. */
  uleb(): number {
    let byte = this.view.getUint8(this.at++);
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let scale = 128; ; scale *= 128) {
      if (scale > 2 ** 77) throw new RangeError('a number is too long');
      byte = this.view.getUint8(this.at++);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  /** Signed LEB128, exact up to 2^53. */
  sleb(): number {
    const start = this.at;
    let value = 0;
    // Most are short, and numbers of any length slow.
    for (let scale = 1; scale < 2 ** 49; scale *= 128) {
      const byte = this.view.getUint8(this.at++);
      value += (byte & 127) * scale;
      if (byte < 128) return byte < 64 ? value : value - scale * 128;
    }
    this.at = start;
    return Number(this.slebExact());
  }

  ulebExact(): bigint {
    return this.#leb(false);
  }

  slebExact(): bigint {
    return this.#leb(true);
  }

  #leb(isSigned: boolean): bigint {
    let value = 0n;
    let shift = 0n;
    for (;;) {
      const byte = this.view.getUint8(this.at++);
      if (shift < 128n) value |= BigInt(byte & 127) << shift;
      shift += 7n;
      if (byte >= 128) continue;
      return isSigned && (byte & 64) !== 0 && shift <= 128n ? value - (1n << shift) : value;
    }
  }

  /** Steps over one LEB128. */
  skipLeb(): void {
    while (this.view.getUint8(this.at++) >= 128);
  }

  /** Steps over a NUL-terminated text. */
  skipText(): void {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0) throw new RangeError('a text does not end');
    this.at = end + 1;
  }
}
