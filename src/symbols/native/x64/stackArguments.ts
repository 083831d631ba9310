import { cfaRules, type CfaRule } from '../unwind/frameRow.ts';
import type { FrameEntry } from '../unwind/callFrames.ts';
import { Decoder, flow, none } from './decode.ts';

/** What the code of one call frame entry takes of its caller's stack. */
export interface CodeOnStack {
  /** From the first stack argument on, so many bytes are accessed. */
  readonly bytes: number;
  /** Why that may not be all; null: it is, but for what is jumped to. */
  readonly doubt: string | null;
  /** Where it jumps out of its range. */
  readonly jumps: readonly number[];
}

/** Numbers of instructions, and the same of DWARF. */
const stack = { instruction: 4, dwarf: 7 } as const;
const frame = { instruction: 5, dwarf: 6 } as const;
/** The canonical frame address is where the stack pointer was before the call: 8 above it at the first instruction. */
const entryBytes = 8;

const decoder = new Decoder();

/**
 * Which stack arguments a function takes, by its code: each operand in memory whose address is above the return
 * address, as the call frame information tells. `code` is all that the entry describes.
 */
export function codeOnStack(code: Uint8Array, entry: FrameEntry): CodeOnStack {
  let rules: readonly { readonly from: number; readonly cfa: CfaRule }[];
  try {
    rules = cfaRules(entry);
  } catch {
    return doubtful('its call frame information is damaged', []);
  }
  const jumps: number[] = [];
  let bytes = 0;
  let row = -1;
  let cfa: CfaRule | null = null;
  const recent: string[] = [];
  decoder.read(code);
  for (let at = 0; at < code.length; at += decoder.length) {
    const address = entry.start + at;
    for (let next = rules[row + 1]; next && next.from <= address; next = rules[row + 1]) {
      row++;
      cfa = next.cfa;
    }
    if (!decoder.decode(at)) return doubtful('its code is not understood', jumps);
    const offset = offsetOfMemory(cfa);
    if (offset !== null && Number.isNaN(offset)) return doubtful('an address is not known', jumps);
    if (offset !== null) {
      if (isAddressTaken()) {
        if (offset >= 0) return doubtful('it takes the address of its stack arguments', jumps);
      } else if (offset >= 0 && decoder.index !== none)
        return doubtful('it indexes its stack arguments', jumps);
      else bytes = Math.max(bytes, offset + decoder.memoryBytes);
    }
    if (decoder.flow === flow.jump || decoder.flow === flow.branch) {
      const isOutside = decoder.target < 0 || decoder.target >= code.length;
      if (isOutside) jumps.push(entry.start + decoder.target);
    } else if (decoder.flow === flow.indirectJump && !isSwitch(cfa, recent))
      return doubtful('it jumps to a function that is not known', jumps);
    note(recent);
  }
  return { bytes, doubt: null, jumps };
}

function doubtful(doubt: string, jumps: readonly number[]): CodeOnStack {
  return { bytes: 0, doubt, jumps };
}

/** Of an operand in memory by the stack or frame pointer: from the canonical frame address on; null for another. */
function offsetOfMemory(cfa: CfaRule | null): number | null {
  if (!decoder.hasMemory) return null;
  const isStack = decoder.base === stack.instruction;
  const isFrame = decoder.base === frame.instruction;
  if (!isStack && !isFrame) return null;
  if (cfa?.kind !== 'register') return isStack ? Number.NaN : null;
  const isKnown = cfa.number === (isStack ? stack.dwarf : frame.dwarf);
  // A frame that rbp holds is known by rbp, and rsp reaches what is below it.
  return isKnown ? decoder.displacement - cfa.offset : null;
}

/** lea, but for one that sets the stack or frame pointer. */
function isAddressTaken(): boolean {
  const isLea = decoder.map === 0 && decoder.opcode === 0x8d;
  return isLea && decoder.register !== stack.instruction && decoder.register !== frame.instruction;
}

const recentMost = 8;

function note(recent: string[]): void {
  const { map, opcode, hasMemory, index, isWide } = decoder;
  const isIndexed = hasMemory && index !== none;
  const kind =
    map === 0 && opcode === 0x63 && isIndexed
      ? 'table'
      : map === 0 && (opcode === 0x01 || opcode === 0x03) && isWide && !hasMemory
        ? 'add'
        : '';
  recent.push(kind);
  if (recent.length > recentMost) recent.shift();
}

/** Whether an indirect jump stays in its function: by a table of distances or addresses, or while there is a frame. */
function isSwitch(cfa: CfaRule | null, recent: readonly string[]): boolean {
  const isByTable = decoder.hasMemory && decoder.index !== none && decoder.base === none;
  if (isByTable || (recent.includes('table') && recent.includes('add'))) return true;
  if (cfa?.kind !== 'register') return false;
  return cfa.number !== stack.dwarf || cfa.offset !== entryBytes;
}
