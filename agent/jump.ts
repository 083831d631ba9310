/** JMP rel32 (Intel SDM): its bytes, and how far it leads. */
const jump = { bytes: 5, reach: 0x7ffffff0 } as const;

/** Writes a jump to what never goes away; nothing where it does not reach. */
export function writeJump(from: NativePointer, to: NativePointer): void {
  const distance = Number(BigInt(to.toString()) - BigInt(from.toString()));
  if (Math.abs(distance) > jump.reach) return;
  Memory.patchCode(from, jump.bytes, (code) => {
    code.writeU8(0xe9);
    code.add(1).writeS32(distance - jump.bytes);
  });
}
