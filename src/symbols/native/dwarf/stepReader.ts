import { step } from './abbreviations.ts';
import type { StepProgram } from './abbreviations.ts';
import { form } from './constants.ts';
import type { Cursor } from './cursor.ts';
import { directForm, readForm, skipForm } from './forms.ts';
import type { Encoding } from './forms.ts';

/** A position, as the integer it is; see `UnitScan.scan`. */
function within({ bytes }: Cursor, at: number): number {
  if (at > bytes.length) throw new RangeError('an entry reaches beyond its unit');
  return at >>> 0;
}

/** Reads the wanted attributes of entries by the steps of their abbreviations. */
export class StepReader {
  /** Values as written (see `readForm`), by slot. */
  readonly values: Float64Array;
  /** Forms beside them; 0 = absent, `implicitConst` = the value is a number of the abbreviation. */
  readonly forms: Uint16Array;
  /** The same bytes, to be cleared four at a time. */
  readonly #words: Float64Array;

  constructor(slots: number) {
    this.values = new Float64Array(slots);
    this.#words = new Float64Array(Math.ceil(slots / 4));
    this.forms = new Uint16Array(this.#words.buffer);
  }

  clear(): void {
    for (let word = 0; word < this.#words.length; word++) this.#words[word] = 0;
  }

  /** Reads the attributes of an entry, which begin at `from`; returns the position after them. */
  run(
    cursor: Cursor,
    from: number,
    code: number,
    program: StepProgram,
    encoding: Encoding,
  ): number {
    const at = (from >>> 0) + (program.leads[code] ?? 0);
    const short = program.shorts[code] ?? 0;
    const first = cursor.bytes[at] ?? 0;
    return ((first | 256) & short & 511) === 0
      ? at + (first & (short >>> 9) & 127) + (short >>> 16)
      : this.#steps(cursor, at, code, program, encoding);
  }

  #steps(
    cursor: Cursor,
    from: number,
    code: number,
    { starts, steps }: StepProgram,
    encoding: Encoding,
  ): number {
    const { view } = cursor;
    const { values, forms } = this;
    let at = from;
    const last = starts[code * 2 + 1] ?? 0;
    // The usual ones first, each with a branch of its own: a jump by table is foreseen badly.
    for (let i = starts[code * 2] ?? 0; i < last; i += 3) {
      const action = steps[i] ?? 0;
      const argument = steps[i + 1] ?? 0;
      if (action === step.keep4) {
        forms[argument & 255] = argument >> 8;
        values[argument & 255] = view.getUint32(at, true);
        at += 4;
      } else if (action === step.constant) {
        forms[argument & 255] = form.implicitConst;
        values[argument & 255] = argument >>> 8;
      } else if (action === step.keep8) {
        forms[argument & 255] = argument >> 8;
        values[argument & 255] =
          view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000;
        at += 8;
      } else if (action === step.keep1) {
        forms[argument & 255] = argument >> 8;
        values[argument & 255] = view.getUint8(at++);
      } else if (action === step.block && view.getUint8(at) < 128) at += 1 + view.getUint8(at);
      // Names of three letters and less stand in the entry.
      else if (action === step.leb) while (view.getUint8(at++) > 127);
      else if (action === step.text) while (view.getUint8(at++) !== 0);
      else at = within(cursor, this.#other(cursor, at, action, argument, encoding));
      at += steps[i + 2] ?? 0;
    }
    return at;
  }

  /** Performs one of the rarer steps; returns the position after the value. */
  #other(
    cursor: Cursor,
    from: number,
    action: number,
    argument: number,
    encoding: Encoding,
  ): number {
    cursor.at = from;
    switch (action) {
      case step.keep2:
        this.forms[argument & 255] = argument >> 8;
        this.values[argument & 255] = cursor.u16();
        break;
      case step.block1:
        cursor.advance(cursor.u8());
        break;
      case step.block2:
        cursor.advance(cursor.u16());
        break;
      case step.block4:
        cursor.advance(cursor.u32());
        break;
      case step.block:
        cursor.advance(cursor.uleb());
        break;
      case step.indirect:
        skipForm(cursor, form.indirect, encoding);
        break;
      default:
        this.#keep(cursor, argument & 255, argument >> 8, encoding);
    }
    return cursor.at;
  }

  #keep(cursor: Cursor, slot: number, coding: number, encoding: Encoding): void {
    const code = coding === form.indirect ? directForm(cursor) : coding;
    this.forms[slot] = code;
    this.values[slot] = readForm(cursor, code, encoding);
  }
}
