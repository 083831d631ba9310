import type { ElfFile } from '../../elf/elfFile.ts';

/** A named type of Go, as the program's own description of it (internal/abi.Type) has it. */
export interface GoDescriptor {
  readonly name: string;
  readonly hash: number;
  readonly kind: number;
}

/** Offsets in internal/abi.Type. */
export const descriptor = {
  size: 0,
  pointers: 8,
  hash: 16,
  flags: 20,
  align: 21,
  fieldAlign: 22,
  kind: 23,
  name: 40,
  bytes: 48,
} as const;

/** Of a kind; above it are flags. */
export const kindBits = 31;
const mostKinds = 26;
/** Of flags: its name is written with a star that is not its own; it has a name. */
const flag = { star: 2, named: 4, most: 31 } as const;
const mostRange = 64 << 20;
const mostName = 200;
const mostFound = 4096;
const isName = /^[\w./-]+\.[\w[\],./* -]+$/;

/** Between two addresses, which runtime.types and runtime.etypes name: the linker orders them, and says not where each begins. */
export function* descriptorsIn(elf: ElfFile, from: number, to: number): Iterable<GoDescriptor> {
  const bytes = from > 0 && to > from ? elf.bytesAt(from, Math.min(to - from, mostRange)) : null;
  if (!bytes) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let found = 0;
  for (let at = 0; at + descriptor.bytes <= bytes.length && found < mostFound; at += 8) {
    const flags = bytes[at + descriptor.flags] ?? 0;
    if ((flags & flag.named) === 0 || flags > flag.most || !isDescriptor(view, at)) continue;
    const name = nameAt(bytes, view.getInt32(at + descriptor.name, true));
    const own = name !== null && (flags & flag.star) !== 0 ? name.slice(1) : name;
    if (own === null || !isName.test(own)) continue;
    found++;
    yield {
      name: own,
      hash: view.getUint32(at + descriptor.hash, true),
      kind: (bytes[at + descriptor.kind] ?? 0) & kindBits,
    };
  }
}

function isDescriptor(view: DataView, at: number): boolean {
  const kind = view.getUint8(at + descriptor.kind) & kindBits;
  const align = view.getUint8(at + descriptor.align);
  return (
    kind > 0 &&
    kind <= mostKinds &&
    (align === 1 || align === 2 || align === 4 || align === 8) &&
    view.getUint8(at + descriptor.fieldAlign) === align &&
    view.getUint32(at + descriptor.hash, true) !== 0 &&
    view.getBigUint64(at + descriptor.pointers, true) <=
      view.getBigUint64(at + descriptor.size, true)
  );
}

/** Flags, the length in 7-bit groups, the name. Null: it is none. */
function nameAt(bytes: Uint8Array, at: number): string | null {
  const [low = 0, high = 0] = [bytes[at + 1], bytes[at + 2]];
  const isLong = low > 127;
  const length = isLong ? (low & 127) | (high << 7) : low;
  const from = at + (isLong ? 3 : 2);
  if (at <= 0 || length === 0 || length > mostName || from + length > bytes.length) return null;
  return Buffer.from(bytes.subarray(from, from + length)).toString('latin1');
}
