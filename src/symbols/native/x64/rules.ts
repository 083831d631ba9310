import { x64 } from '../../../model/processors/x64.ts';
import type { ProcessorRules, ThreadSegment } from '../processorRules.ts';
import { accessOf, instructionBytes } from './operand.ts';
import { parameterRegisters, placeSysv, returnedSysv } from './sysv.ts';

/** x86-64 on Linux (System V ABI). */
export const x64Rules: ProcessorRules = {
  processor: x64,
  place: placeSysv,
  returned: returnedSysv,
  rust: parameterRegisters,
  longDouble: 'extended',
  tellsVirtual: true,
  argumentRegisters: [5, 4, 1, 2, 8, 9],
  frameRegisters: [6, 7],
  firstVector: 17,
  entryBytes: 8,
  isPreserved: (register) => register === 3 || register === 6 || (register >= 12 && register <= 15),
  isCanonical,
  callBytes: 7,
  isCall,
  // Behind struct ucontext.
  signalInformation: 304n,
  instructions: { bytes: instructionBytes, accessOf, takenAddresses, wordOfStub },
  threadBlock,
};

/** Bits 47 to 63 of a pointer are equal. */
function isCanonical(value: bigint): boolean {
  const high = value >> 47n;
  return high === 0n || high === (1n << 17n) - 1n;
}

function isCall(before: Uint8Array): boolean {
  const isIndirect = (length: number): boolean =>
    before[7 - length] === 0xff && ((before[8 - length] ?? 0) & 0x38) === 0x10;
  return before[2] === 0xe8 || isIndirect(2) || isIndirect(3) || isIndirect(6) || isIndirect(7);
}

/** `lea` relative to itself, `mov` of a number. */
function takenAddresses(code: Uint8Array, address: number): number[] {
  const view = new DataView(code.buffer, code.byteOffset, code.length);
  const taken: number[] = [];
  for (let i = 0; i + 5 <= code.length; i++) {
    const first = code[i] ?? 0;
    if (first >= 0xb8 && first <= 0xbf) taken.push(view.getUint32(i + 1, true));
    const isLea =
      (first & 0xf8) === 0x48 && code[i + 1] === 0x8d && ((code[i + 2] ?? 0) & 0xc7) === 5;
    if (isLea && i + 7 <= code.length) taken.push(address + i + 7 + view.getInt32(i + 3, true));
  }
  return taken;
}

/** `jmp *word(%rip)`, behind `endbr64` and with the prefix of MPX where there are such. */
function wordOfStub(code: Uint8Array, address: number): number | null {
  let at = code[0] === 0xf3 && code[3] === 0xfa ? 4 : 0;
  if (code[at] === 0xf2) at++;
  if (code[at] !== 0xff || code[at + 1] !== 0x25 || at + 6 > code.length) return null;
  return address + at + 6 + new DataView(code.buffer, code.byteOffset).getInt32(at + 2, true);
}

/** TLS variant II: below the thread pointer. */
function threadBlock({ address, memorySize, alignment }: ThreadSegment): number {
  const align = Math.max(1, alignment);
  const padding = (align - ((address + memorySize) % align)) % align;
  return -memorySize - padding;
}
