/** How a processor jumps from one place to another. */
interface Jump {
  readonly bytes: number;
  /** Farthest, from the jump on. */
  readonly reach: number;
  /** `distance`: from the jump's first byte. */
  write(code: NativePointer, distance: number): void;
}

/** JMP rel32 (Intel SDM). */
const x64: Jump = {
  bytes: 5,
  reach: 0x7ffffff0,
  write(code, distance) {
    code.writeU8(0xe9);
    code.add(1).writeS32(distance - 5);
  },
};

/** B (Arm ARM C6.2). */
const arm64: Jump = {
  bytes: 4,
  reach: 0x7fffffc,
  write(code, distance) {
    code.writeU32((0x14000000 | ((distance / 4) & 0x3ffffff)) >>> 0);
  },
};

/** A jump to what never goes away; nothing where it does not reach. */
export function writeJump(from: NativePointer, to: NativePointer): void {
  const jump = Process.arch === 'x64' ? x64 : Process.arch === 'arm64' ? arm64 : null;
  if (jump === null) return;
  const distance = Number(BigInt(to.toString()) - BigInt(from.toString()));
  if (Math.abs(distance) > jump.reach) return;
  Memory.patchCode(from, jump.bytes, (code) => {
    jump.write(code, distance);
  });
}
