import { Cursor } from '../cursor.ts';
import type { LineHeader } from './lineHeader.ts';

/** Where an instruction comes from: a number of `LineHeader.files` and a line, 1-based. */
export interface LineRow {
  readonly file: number;
  readonly line: number;
}

/** A row of the table. */
export interface StatementRow extends LineRow {
  /** Link-time. */
  readonly address: number;
  /** Where compilers advise a breakpoint for the line. */
  readonly beginsStatement: boolean;
  /** Where the body of a function begins, its parameters in their places. */
  readonly endsPrologue: boolean;
}

/** The registers of the line number state machine that are needed (DWARF 5 §6.2.2). */
interface Registers {
  address: number;
  file: number;
  line: number;
  beginsStatement: boolean;
  endsPrologue: boolean;
}

function initial(header: LineHeader): Registers {
  const beginsStatement = header.beginsStatements;
  return { address: 0, file: 1, line: 1, beginsStatement, endsPrologue: false };
}

const standard = {
  copy: 1,
  advancePc: 2,
  advanceLine: 3,
  setFile: 4,
  negateStatement: 6,
  addConstantPc: 8,
  fixedAdvancePc: 9,
  setPrologueEnd: 10,
} as const;
const extended = { endSequence: 1, setAddress: 2 } as const;

/**
 * Runs a line number program (DWARF 5 §6.2.5) until the row that covers `address`; null when none does. Of rows at one
 * address and in one file it is the last that begins a statement: optimised code has what was moved behind these.
 * Throws a RangeError at damage.
 */
export function lineAt(section: Uint8Array, header: LineHeader, address: number): LineRow | null {
  const cursor = new Cursor(section.subarray(0, header.end), header.program);
  const now = initial(header);
  let before: Registers | null = null;
  while (cursor.at < header.end) {
    const event = step(cursor, header, now);
    if (event === 'none') continue;
    if (before !== null && before.address <= address && address < now.address)
      return { file: before.file, line: before.line };
    if (event === 'end') before = null;
    else if (!isBehindStatement(now, before)) before = { ...now };
    now.endsPrologue = false;
    if (event === 'end') Object.assign(now, initial(header));
  }
  return null;
}

/** Whether the row before says which statement of the file begins at the address of a row, which begins none. */
function isBehindStatement(now: Registers, before: Registers | null): boolean {
  const isSame = before?.address === now.address && before.file === now.file;
  return isSame && before.beginsStatement && !now.beginsStatement && before.line !== 0;
}

/** All rows of a line number program but the ends of its sequences. Throws a RangeError at damage. */
export function* rowsOf(section: Uint8Array, header: LineHeader): Generator<StatementRow> {
  const cursor = new Cursor(section.subarray(0, header.end), header.program);
  const now = initial(header);
  while (cursor.at < header.end) {
    const event = step(cursor, header, now);
    if (event === 'none') continue;
    if (event === 'row') yield { ...now };
    now.endsPrologue = false;
    if (event === 'end') Object.assign(now, initial(header));
  }
}

/** Executes one opcode; tells whether it made a row or ended a sequence. */
function step(cursor: Cursor, header: LineHeader, now: Registers): 'none' | 'row' | 'end' {
  const code = cursor.u8();
  if (code >= header.opcodeBase) {
    const adjusted = code - header.opcodeBase;
    now.address += Math.floor(adjusted / header.lineRange) * header.minimumInstruction;
    now.line += header.lineBase + (adjusted % header.lineRange);
    return 'row';
  }
  switch (code) {
    case 0:
      return extendedStep(cursor, header, now);
    case standard.copy:
      return 'row';
    case standard.advancePc:
      now.address += cursor.uleb() * header.minimumInstruction;
      return 'none';
    case standard.advanceLine:
      now.line += cursor.sleb();
      return 'none';
    case standard.setFile:
      now.file = cursor.uleb();
      return 'none';
    case standard.negateStatement:
      now.beginsStatement = !now.beginsStatement;
      return 'none';
    case standard.setPrologueEnd:
      now.endsPrologue = true;
      return 'none';
    case standard.addConstantPc:
      now.address +=
        Math.floor((255 - header.opcodeBase) / header.lineRange) * header.minimumInstruction;
      return 'none';
    case standard.fixedAdvancePc:
      now.address += cursor.u16();
      return 'none';
    default:
      // The header says how many operands an opcode has that means nothing here.
      for (let left = header.opcodeLengths[code] ?? 0; left > 0; left--) cursor.skipLeb();
      return 'none';
  }
}

function extendedStep(cursor: Cursor, header: LineHeader, now: Registers): 'none' | 'end' {
  const length = cursor.uleb();
  const next = cursor.at + length;
  const code = length > 0 ? cursor.u8() : 0;
  if (code === extended.setAddress) now.address = cursor.address(header.encoding.addressSize);
  cursor.at = next;
  return code === extended.endSequence ? 'end' : 'none';
}
