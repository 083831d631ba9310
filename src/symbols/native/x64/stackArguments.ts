import { cfaRules, type CfaRule } from '../unwind/frameRow.ts';
import type { FrameEntry } from '../unwind/callFrames.ts';
import { Decoder, none } from './decode.ts';

/** What a function's own code takes of its caller's stack. */
export interface CodeOnStack {
  /** From the first stack argument on, so many bytes are accessed at fixed places. */
  readonly bytes: number;
  /** It takes the address of its stack arguments, or counts them through: how many there are only its caller knows. */
  readonly isOpen: boolean;
}

/** Numbers of instructions, and the same of DWARF. */
const stack = { instruction: 4, dwarf: 7 } as const;
const frame = { instruction: 5, dwarf: 6 } as const;
const decoder = new Decoder();

/**
 * Which stack arguments a function takes, by its code: each operand in memory whose address is above the return
 * address, as the call frame information tells. `code` is all that the entry describes. Null where it is not understood.
 */
export function codeOnStack(code: Uint8Array, entry: FrameEntry): CodeOnStack | null {
  let rules: readonly { readonly from: number; readonly cfa: CfaRule }[];
  try {
    rules = cfaRules(entry);
  } catch {
    return null; // Damaged.
  }
  let bytes = 0;
  let row = -1;
  let cfa: CfaRule | null = null;
  decoder.read(code);
  for (let at = 0; at < code.length; at += decoder.length) {
    const address = entry.start + at;
    for (let next = rules[row + 1]; next && next.from <= address; next = rules[row + 1]) {
      row++;
      cfa = next.cfa;
    }
    if (!decoder.decode(at)) return null;
    const offset = offsetOfMemory(cfa);
    if (offset === null || Number.isNaN(offset) || offset < 0) continue; // EVEX may scale it.
    const isAddress = decoder.map === 0 && decoder.opcode === 0x8d;
    if (isAddress && !setsFrame()) return { bytes, isOpen: true };
    if (isAddress) continue;
    if (decoder.index !== none) return { bytes, isOpen: true };
    bytes = Math.max(bytes, offset + decoder.memoryBytes);
  }
  return { bytes, isOpen: false };
}

/** Of an operand in memory by the stack or frame pointer: from the canonical frame address on; null for another. */
function offsetOfMemory(cfa: CfaRule | null): number | null {
  if (!decoder.hasMemory) return null;
  const isStack = decoder.base === stack.instruction;
  const isFrame = decoder.base === frame.instruction;
  if (!isStack && !isFrame) return null;
  if (cfa?.kind !== 'register') return null;
  const isKnown = cfa.number === (isStack ? stack.dwarf : frame.dwarf);
  // A frame that rbp holds is known by rbp, and rsp reaches what is below it.
  return isKnown ? decoder.displacement - cfa.offset : null;
}

/** The stack or frame pointer is what the instruction writes. */
function setsFrame(): boolean {
  return decoder.register === stack.instruction || decoder.register === frame.instruction;
}
