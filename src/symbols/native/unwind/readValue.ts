import type { Spot, ValueMemory } from '../../../model/decoding/memorySource.ts';
import { ShapeDecoder } from '../../../model/decoding/shapeDecoder.ts';
import type { Value } from '../../../model/questions/query.ts';
import { depthOf } from '../../../model/values/shape.ts';
import { treeType } from '../dwarf/types/shapes.ts';
import type { TypeReader, TypeReference } from '../dwarf/types/types.ts';
import type { KnownMemory } from './snapshotMemory.ts';

/** Where the bytes of a value are. */
export type Source =
  | { readonly kind: 'memory'; readonly address: bigint }
  /** `register`: whose they are, by its DWARF number. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly register?: number };

/** Pointers that are followed: an object, and the one it leads to. */
const levels = 2;
const mostElements = 16;
const mostText = 256;
const mostBytes = 0x10000;

/** The value of a type at its place, with what it leads to. Throws at damaged debug information. */
export function readValue(
  types: TypeReader,
  memory: KnownMemory,
  type: TypeReference,
  source: Source,
  elements: number = mostElements,
): Value {
  const tree = treeType(types, type, depthOf(levels));
  if (tree === null) return { kind: 'void' };
  const kept = new KeptMemory(memory);
  const missing = 'its memory was not kept';
  const limits = {
    elements,
    levels,
    missing,
    isCut: true,
    showsPlaces: true,
  } as const;
  const decoder = new ShapeDecoder(tree.shapes, kept, limits);
  const bytes = decoder.shape(tree.root)?.bytes ?? 0;
  const spot = spotOf(kept, source, bytes);
  if (bytes > 0 && spot.bytes.length === 0) return { kind: 'notCaptured', reason: missing };
  return decoder.root(tree.root, spot);
}

function spotOf(memory: KeptMemory, source: Source, length: number): Spot {
  if (source.kind === 'memory') {
    const bytes = length === 0 ? null : memory.read(source.address, length);
    return { address: source.address, bytes: bytes ?? Buffer.alloc(0) };
  }
  return { address: 0n, bytes: bufferOf(source.bytes).subarray(0, length) };
}

/** What is kept of a process, as values are decoded from it. */
class KeptMemory implements ValueMemory {
  readonly #memory: KnownMemory;

  constructor(memory: KnownMemory) {
    this.#memory = memory;
  }

  read(address: bigint, length: number): Buffer | null {
    const bytes = this.#memory.readUpTo(address, Math.min(length, mostBytes));
    return bytes.length === 0 ? null : bufferOf(bytes);
  }

  text(address: bigint): { readonly bytes: Buffer; readonly isTruncated: boolean } | null {
    const bytes = this.read(address, mostText);
    return bytes && { bytes, isTruncated: true };
  }

  isUnreadable(): boolean {
    return false;
  }

  /** hashbrown: of a place that is filled the control byte's highest bit is clear. */
  *slots(control: bigint, buckets: bigint, unit: number): Iterable<Spot> {
    const states = this.read(control, buckets > BigInt(mostBytes) ? mostBytes : Number(buckets));
    for (const [i, state] of (states ?? []).entries()) {
      if ((state & 0x80) !== 0) continue;
      const address = control - BigInt(i + 1) * BigInt(unit);
      const bytes = this.read(address, unit);
      if (bytes?.length === unit) yield { address, bytes };
    }
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
