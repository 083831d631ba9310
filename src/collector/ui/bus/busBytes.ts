import { alignmentOf, listOf, textOf, typesIn, type BusValue } from './busValue.ts';

/** Writes values as D-Bus sends them, the low byte first. */
export class BusWriter {
  #bytes: Buffer = Buffer.allocUnsafe(256);
  #length = 0;

  align(to: number): void {
    const room = (to - (this.#length % to)) % to;
    this.#need(room);
    this.#bytes.fill(0, this.#length, this.#length + room);
    this.#length += room;
  }

  put(type: string, value: BusValue): void {
    this.align(alignmentOf(type));
    this.#need(8);
    switch (type.charAt(0)) {
      case 'y':
        this.#bytes[this.#length++] = Number(value);
        return;
      case 'b':
      case 'u':
        this.#length = this.#bytes.writeUInt32LE(Number(value), this.#length);
        return;
      case 'i':
        this.#length = this.#bytes.writeInt32LE(Number(value), this.#length);
        return;
      case 'd':
        this.#length = this.#bytes.writeDoubleLE(Number(value), this.#length);
        return;
      case 's':
      case 'o':
        this.#text(textOf(value), 4);
        return;
      case 'g':
        this.#text(textOf(value), 1);
        return;
      case 'v':
        this.#variant(value);
        return;
      case 'a':
        this.#list(type.slice(1), listOf(value));
        return;
      default:
        this.#members(type, listOf(value));
    }
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #variant(value: BusValue): void {
    if (typeof value !== 'object' || !('signature' in value))
      throw new Error('this value does not say its type');
    this.put('g', value.signature);
    this.put(value.signature, value.value);
  }

  #members(type: string, values: readonly BusValue[]): void {
    for (const [index, member] of typesIn(type.slice(1, -1)).entries())
      this.put(member, values[index] ?? '');
  }

  #list(type: string, values: readonly BusValue[]): void {
    const at = this.#length;
    this.#length += 4;
    this.align(alignmentOf(type));
    const start = this.#length;
    for (const value of values) this.put(type, value);
    this.#bytes.writeUInt32LE(this.#length - start, at);
  }

  #text(text: string, prefix: 1 | 4): void {
    const length = Buffer.byteLength(text);
    this.#need(length + prefix + 1);
    this.#length = this.#bytes.writeUIntLE(length, this.#length, prefix);
    this.#length += this.#bytes.write(text, this.#length);
    this.#bytes[this.#length++] = 0;
  }

  #need(room: number): void {
    if (this.#length + room + 8 <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + room + 8));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Reads values as D-Bus sends them. */
export class BusReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  all(signature: string): BusValue[] {
    return typesIn(signature).map((type) => this.read(type));
  }

  read(type: string): BusValue {
    const alignment = alignmentOf(type);
    this.#at = Math.ceil(this.#at / alignment) * alignment;
    const at = this.#at;
    switch (type.charAt(0)) {
      case 'y':
        this.#at += 1;
        return this.#bytes.readUInt8(at);
      case 'b':
        this.#at += 4;
        return this.#bytes.readUInt32LE(at) !== 0;
      case 'n':
        this.#at += 2;
        return this.#bytes.readInt16LE(at);
      case 'q':
        this.#at += 2;
        return this.#bytes.readUInt16LE(at);
      case 'i':
        this.#at += 4;
        return this.#bytes.readInt32LE(at);
      case 'u':
        this.#at += 4;
        return this.#bytes.readUInt32LE(at);
      case 'x':
        this.#at += 8;
        return this.#bytes.readBigInt64LE(at);
      case 't':
        this.#at += 8;
        return this.#bytes.readBigUInt64LE(at);
      case 'd':
        this.#at += 8;
        return this.#bytes.readDoubleLE(at);
      default:
        return this.#compound(type);
    }
  }

  #compound(type: string): BusValue {
    switch (type.charAt(0)) {
      case 's':
      case 'o':
        return this.#text(4);
      case 'g':
        return this.#text(1);
      case 'v': {
        const signature = this.#text(1);
        return { signature, value: this.read(signature) };
      }
      case 'a':
        return this.#list(type.slice(1));
      default:
        return this.all(type.slice(1, -1));
    }
  }

  #list(type: string): BusValue[] {
    const length = this.#bytes.readUInt32LE(this.#at);
    const alignment = alignmentOf(type);
    this.#at = Math.ceil((this.#at + 4) / alignment) * alignment;
    const end = this.#at + length;
    const values: BusValue[] = [];
    while (this.#at < end) values.push(this.read(type));
    return values;
  }

  #text(prefix: 1 | 4): string {
    const length = this.#bytes.readUIntLE(this.#at, prefix);
    const start = this.#at + prefix;
    this.#at = start + length + 1;
    return this.#bytes.toString('utf8', start, start + length);
  }
}
