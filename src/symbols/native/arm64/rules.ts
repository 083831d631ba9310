import { arm64 } from '../../../model/processors/arm64.ts';
import type { ProcessorRules, ThreadSegment } from '../processorRules.ts';
import { parameterRegisters, placeAapcs64, returnedAapcs64 } from './aapcs64.ts';
import { accessOf, instructionBytes, isCall, takenAddresses } from './instructions.ts';

const link = 30;
/** mov x8, 139 (rt_sigreturn); svc 0: the kernel's own way back, and that of libraries. */
const wayBack = Uint8Array.of(0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4);

/** AArch64 on Linux, little-endian (AAPCS64, AADWARF64). */
export const arm64Rules: ProcessorRules = {
  processor: arm64,
  place: placeAapcs64,
  returned: returnedAapcs64,
  rust: { registers: parameterRegisters, isResultFirst: false },
  longDouble: 'vector',
  tellsVirtual: false,
  argumentRegisters: [0, 1, 2, 3, 4, 5, 6, 7],
  frameRegisters: [29, 31],
  firstVector: 64,
  entryBytes: 0,
  link,
  isPreserved: (register) => register >= 19 && register < link,
  codeAddress,
  // The highest byte is the program's own.
  isCanonical: (address) => ((address >> 48n) & 0xffn) === 0n,
  callBytes: instructionBytes,
  isCall,
  // siginfo_t first, then ucontext_t, whose registers begin at 184.
  signals: { information: 0n, trampoline: { code: wayBack, registers: 128n + 184n } },
  instructions: { bytes: instructionBytes, accessOf, takenAddresses, wordOfStub: null },
  threadBlock,
};

/**
 * A signed return address has its signature above the bits of an address, 48 of a process that asks for no more;
 * those of a program have zeros there.
 */
function codeAddress(word: bigint): bigint {
  return word & ((1n << 48n) - 1n);
}

/** TLS variant I: behind two words at the thread pointer. */
function threadBlock({ address, alignment }: ThreadSegment): number {
  const align = Math.max(1, alignment);
  const start = Math.ceil(16 / align) * align;
  return start + (address % align);
}
