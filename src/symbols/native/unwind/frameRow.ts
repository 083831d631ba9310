import { Cursor } from '../dwarf/cursor.ts';
import type { SharedEntry, FrameEntry } from './callFrames.ts';
import { pointer } from './callFrames.ts';

/** How the caller's value of a register is found (DWARF 5 §6.4.1). */
export type Rule =
  | { readonly kind: 'same' }
  | { readonly kind: 'undefined' }
  /** Saved at CFA + offset. */
  | { readonly kind: 'offset'; readonly offset: number }
  /** Is CFA + offset. */
  | { readonly kind: 'valueOffset'; readonly offset: number }
  | { readonly kind: 'register'; readonly number: number }
  /** Saved at the address, or being the value, the expression computes from the CFA. */
  | { readonly kind: 'expression' | 'valueExpression'; readonly expression: Uint8Array };

export type CfaRule =
  | { readonly kind: 'register'; readonly number: number; readonly offset: number }
  | { readonly kind: 'expression'; readonly expression: Uint8Array };

/** The row of the table that holds at one instruction. */
export interface FrameRow {
  readonly cfa: CfaRule | null;
  readonly rules: ReadonlyMap<number, Rule>;
}

interface State {
  cfa: CfaRule | null;
  rules: Map<number, Rule>;
}

const maxSteps = 100_000;
const maxRemembered = 100;

/** Runs the instructions up to `address`. Throws a RangeError at damage. */
export function rowAt(entry: FrameEntry, address: number): FrameRow {
  const machine = new RowMachine(entry.shared, entry.start, address);
  machine.run(entry.shared.instructions);
  machine.beginFunction();
  machine.run(entry.instructions);
  return machine.state;
}

/** Where the canonical frame address is computed anew, in ascending order. Throws a RangeError at damage. */
export function cfaRules(entry: FrameEntry): { readonly from: number; readonly cfa: CfaRule }[] {
  const found: { from: number; cfa: CfaRule }[] = [];
  const machine = new RowMachine(entry.shared, entry.start, entry.end, (from, cfa) => {
    if (cfa !== null && found.at(-1)?.cfa !== cfa) found.push({ from, cfa });
  });
  machine.run(entry.shared.instructions);
  machine.beginFunction();
  machine.run(entry.instructions);
  machine.endRow();
  return found;
}

class RowMachine {
  state: State = { cfa: null, rules: new Map() };
  readonly #shared: SharedEntry;
  readonly #wanted: number;
  #address: number;
  #initial: ReadonlyMap<number, Rule> = new Map();
  readonly #remembered: State[] = [];
  #steps = 0;
  readonly #onRow: (from: number, cfa: CfaRule | null) => void;

  constructor(
    shared: SharedEntry,
    start: number,
    wanted: number,
    onRow: (from: number, cfa: CfaRule | null) => void = () => {},
  ) {
    this.#shared = shared;
    this.#address = start;
    this.#wanted = wanted;
    this.#onRow = onRow;
  }

  endRow(): void {
    this.#onRow(this.#address, this.state.cfa);
  }

  beginFunction(): void {
    this.#initial = new Map(this.state.rules);
  }

  run(instructions: Uint8Array): void {
    const cursor = new Cursor(instructions);
    while (cursor.at < instructions.length && this.#address <= this.#wanted) {
      if (++this.#steps > maxSteps) throw new RangeError('call frame information does not end');
      const byte = cursor.u8();
      const operand = byte & 0x3f;
      switch (byte & 0xc0) {
        case 0x40:
          if (!this.#advance(operand)) return;
          break;
        case 0x80:
          this.#save(operand, cursor.uleb() * this.#shared.dataAlign);
          break;
        case 0xc0:
          this.#restore(operand);
          break;
        default:
          if (!this.#extended(operand, cursor)) return;
      }
    }
  }

  /** False: the row that is wanted ends here. */
  #advance(delta: number): boolean {
    const next = this.#address + delta * this.#shared.codeAlign;
    if (next > this.#wanted) return false;
    this.endRow();
    this.#address = next;
    return true;
  }

  #save(register: number, offset: number): void {
    this.state.rules.set(register, { kind: 'offset', offset });
  }

  #restore(register: number): void {
    const rule = this.#initial.get(register);
    if (rule === undefined) this.state.rules.delete(register);
    else this.state.rules.set(register, rule);
  }

  #extended(code: number, cursor: Cursor): boolean {
    switch (code) {
      case 0x00: // nop
        return true;
      case 0x01: {
        const address = pointer(cursor, { address: 0 }, this.#shared.pointerEncoding & 0x0f);
        if (address > this.#wanted) return false;
        this.endRow();
        this.#address = address;
        return true;
      }
      case 0x02:
        return this.#advance(cursor.u8());
      case 0x03:
        return this.#advance(cursor.u16());
      case 0x04:
        return this.#advance(cursor.u32());
      case 0x2e: // GNU_args_size
        cursor.uleb();
        return true;
      default:
        if (!this.#cfaRule(code, cursor)) this.#registerRule(code, cursor);
        return true;
    }
  }

  #cfaRule(code: number, cursor: Cursor): boolean {
    const { state } = this;
    const { dataAlign } = this.#shared;
    const old = state.cfa;
    switch (code) {
      case 0x0a:
        if (this.#remembered.length >= maxRemembered) throw new RangeError('too many states');
        this.#remembered.push({ cfa: old, rules: new Map(state.rules) });
        return true;
      case 0x0b: {
        const kept = this.#remembered.pop();
        if (kept === undefined) throw new RangeError('no state was remembered');
        this.state = kept;
        return true;
      }
      case 0x0c:
        state.cfa = { kind: 'register', number: cursor.uleb(), offset: cursor.uleb() };
        return true;
      case 0x0d:
        state.cfa = {
          kind: 'register',
          number: cursor.uleb(),
          offset: old?.kind === 'register' ? old.offset : 0,
        };
        return true;
      case 0x0e:
      case 0x13: {
        const offset = code === 0x0e ? cursor.uleb() : cursor.sleb() * dataAlign;
        if (old?.kind !== 'register') throw new RangeError('an offset without register');
        state.cfa = { kind: 'register', number: old.number, offset };
        return true;
      }
      case 0x0f:
        state.cfa = { kind: 'expression', expression: block(cursor) };
        return true;
      case 0x12:
        state.cfa = { kind: 'register', number: cursor.uleb(), offset: cursor.sleb() * dataAlign };
        return true;
      default:
        return false;
    }
  }

  #registerRule(code: number, cursor: Cursor): void {
    const { rules } = this.state;
    const { dataAlign } = this.#shared;
    const register = cursor.uleb();
    switch (code) {
      case 0x05:
        return this.#save(register, cursor.uleb() * dataAlign);
      case 0x06:
        return this.#restore(register);
      case 0x07:
        rules.set(register, { kind: 'undefined' });
        return;
      case 0x08:
        rules.set(register, { kind: 'same' });
        return;
      case 0x09:
        rules.set(register, { kind: 'register', number: cursor.uleb() });
        return;
      case 0x10:
        rules.set(register, { kind: 'expression', expression: block(cursor) });
        return;
      case 0x11:
        return this.#save(register, cursor.sleb() * dataAlign);
      case 0x14:
        rules.set(register, { kind: 'valueOffset', offset: cursor.uleb() * dataAlign });
        return;
      case 0x15:
        rules.set(register, { kind: 'valueOffset', offset: cursor.sleb() * dataAlign });
        return;
      case 0x16:
        rules.set(register, { kind: 'valueExpression', expression: block(cursor) });
        return;
      case 0x2f: // GNU_negative_offset_extended
        return this.#save(register, -cursor.uleb() * dataAlign);
      default:
        throw new RangeError(`unknown call frame instruction 0x${code.toString(16)}`);
    }
  }
}

function block(cursor: Cursor): Uint8Array {
  const length = cursor.uleb();
  const bytes = cursor.bytes.subarray(cursor.at, cursor.at + length);
  cursor.advance(length);
  return bytes;
}
