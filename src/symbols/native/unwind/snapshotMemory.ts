import type { Mapping, Snapshot, StoredPart, MemoryPart } from '../../../model/endings/snapshot.ts';

/** The bytes that are known of a process: those kept, then what its read-only mappings take from files. */
export class KnownMemory {
  readonly #parts: readonly MemoryPart[];
  readonly #stored: readonly StoredPart[];
  readonly #mappings: readonly Mapping[];
  readonly #readFile: (path: string, offset: number, length: number) => Uint8Array | null;

  constructor(
    snapshot: Pick<Snapshot, 'memory' | 'stored' | 'mappings'>,
    readFile: (path: string, offset: number, length: number) => Uint8Array | null,
  ) {
    this.#parts = joined(snapshot.memory);
    this.#stored = snapshot.stored;
    this.#mappings = snapshot.mappings;
    this.#readFile = readFile;
  }

  /** Exactly `length` bytes; null when one of them is not known. */
  read(address: bigint, length: number): Uint8Array | null {
    const bytes = this.readUpTo(address, length);
    return bytes.length === length ? bytes : null;
  }

  /** As many of `length` bytes as are known without a gap. */
  readUpTo(address: bigint, length: number): Uint8Array {
    const pieces: Uint8Array[] = [];
    let done = 0;
    while (done < length) {
      const at = address + BigInt(done);
      const left = length - done;
      const piece = this.#kept(at, left) ?? this.#fromStore(at, left) ?? this.#fromFile(at, left);
      if (piece === null || piece.length === 0) break;
      pieces.push(piece);
      done += piece.length;
    }
    return pieces.length === 1 ? (pieces[0] ?? new Uint8Array(0)) : Buffer.concat(pieces);
  }

  /** An unsigned little-endian number of 1 to 8 bytes. */
  word(address: bigint, bytes = 8): bigint | null {
    const read = bytes >= 1 && bytes <= 8 ? this.read(address, bytes) : null;
    return read === null ? null : littleEndian(read);
  }

  #kept(address: bigint, length: number): Uint8Array | null {
    let low = 0;
    let high = this.#parts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#parts[middle]?.address ?? 0n) <= address) low = middle + 1;
      else high = middle;
    }
    const part = this.#parts[low - 1];
    const from = part === undefined ? 0 : Number(address - part.address);
    return part === undefined || from >= part.bytes.length
      ? null
      : part.bytes.subarray(from, from + length);
  }

  #fromStore(address: bigint, length: number): Uint8Array | null {
    const part = this.#stored.find(
      (one) => address >= one.address && address < one.address + BigInt(one.length),
    );
    if (part === undefined) return null;
    const from = Number(address - part.address);
    return this.#readFile(part.path, part.offset + from, Math.min(length, part.length - from));
  }

  #fromFile(address: bigint, length: number): Uint8Array | null {
    const row = this.#mappings.find((mapping) => address >= mapping.start && address < mapping.end);
    if (row === undefined || row.protection.includes('w') || !row.path.startsWith('/')) return null;
    const count = Math.min(length, Number(row.end - address));
    return this.#readFile(row.path, Number(row.offset + (address - row.start)), count);
  }
}

/** The parts in order; those that touch or overlap as one. */
function joined(parts: readonly MemoryPart[]): MemoryPart[] {
  const groups: { readonly address: bigint; readonly pieces: Uint8Array[]; end: bigint }[] = [];
  for (const { address, bytes } of parts.toSorted((a, b) => (a.address < b.address ? -1 : 1))) {
    const last = groups.at(-1);
    const end = address + BigInt(bytes.length);
    if (last === undefined || address > last.end) {
      groups.push({ address, pieces: [bytes], end });
      continue;
    }
    if (end <= last.end) continue;
    last.pieces.push(bytes.subarray(Number(last.end - address)));
    last.end = end;
  }
  return groups.map(({ address, pieces }) => ({ address, bytes: Buffer.concat(pieces) }));
}

export function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return value;
}
