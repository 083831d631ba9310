/** Bytes that are worth a piece of their own. */
const FULL = 1 << 16;
/** Characters. */
const SHORT = 32;
const nothing = new Uint8Array(0);

/**
 * Writes protobuf messages (protobuf.dev, "Encoding") one after the other into one buffer. The
 * length of a nested message has four bytes, a varint padded to that width (readers accept one), so
 * that the message need not be moved when its length is known.
 */
export class ProtoWriter {
  #buffer = Buffer.allocUnsafe(2 * FULL);
  #at = 0;

  /** A whole number; below zero only where the field is an int64. */
  integer(field: number, value: number | bigint): void {
    this.#tag(field, 0);
    if (typeof value === 'number' && value >= 0) this.#varint(value);
    else this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
  }

  bool(field: number, value: boolean): void {
    this.integer(field, value ? 1 : 0);
  }

  double(field: number, value: number): void {
    this.#tag(field, 1);
    this.#reserve(8);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  text(field: number, value: string): void {
    if (this.#shortText(field, value)) return;
    const length = Buffer.byteLength(value);
    this.#tag(field, 2);
    this.#varint(length);
    this.#reserve(length);
    this.#at += this.#buffer.write(value, this.#at);
  }

  message(field: number, write: () => void): void {
    this.#tag(field, 2);
    this.#reserve(4);
    const lengthAt = this.#at;
    this.#at += 4;
    write();
    let length = this.#at - lengthAt - 4;
    for (let i = 0; i < 4; i++) {
      this.#buffer[lengthAt + i] = (length & 0x7f) | (i < 3 ? 0x80 : 0);
      length >>>= 7;
    }
  }

  /** What was written since the last time, once it is much: many small pieces cost more than what is in them. */
  takeFull(): Uint8Array {
    return this.#at < FULL ? nothing : this.take();
  }

  /** What was written since the last time. */
  take(): Uint8Array {
    const written = Uint8Array.prototype.slice.call(this.#buffer, 0, this.#at);
    this.#at = 0;
    return written;
  }

  /** Short texts of ASCII alone: done when it says so. A call into the runtime takes longer than they do. */
  #shortText(field: number, value: string): boolean {
    const { length } = value;
    if (length > SHORT) return false;
    const began = this.#at;
    this.#tag(field, 2);
    this.#varint(length);
    this.#reserve(length);
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) {
        this.#at = began;
        return false;
      }
      this.#buffer[this.#at++] = code;
    }
    return true;
  }

  #tag(field: number, wire: number): void {
    this.#varint(field * 8 + wire);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let left = value;
    while (left >= 0x80) {
      this.#buffer[this.#at++] = (left % 0x80) | 0x80;
      left = Math.floor(left / 0x80);
    }
    this.#buffer[this.#at++] = left;
  }

  #bigVarint(value: bigint): void {
    this.#reserve(10);
    let left = value;
    while (left >= 0x80n) {
      this.#buffer[this.#at++] = Number(left & 0x7fn) | 0x80;
      left >>= 7n;
    }
    this.#buffer[this.#at++] = Number(left);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const wider = Buffer.allocUnsafe(Math.max(this.#at + bytes, this.#buffer.length * 2));
    this.#buffer.copy(wider, 0, 0, this.#at);
    this.#buffer = wider;
  }
}
