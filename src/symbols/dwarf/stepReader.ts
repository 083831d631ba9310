import { step } from './abbreviations.ts';
import type { StepProgram } from './abbreviations.ts';
import { form } from './constants.ts';
import type { Cursor } from './cursor.ts';
import { directForm, readForm, skipForm } from './forms.ts';
import type { Encoding } from './forms.ts';

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
    { leads, starts, steps }: StepProgram,
    encoding: Encoding,
  ): number {
    const { view } = cursor;
    let at = from + (leads[code] ?? 0);
    const last = starts[code * 2 + 1] ?? 0;
    for (let i = starts[code * 2] ?? 0; i < last; i += 3) {
      const argument = steps[i + 1] ?? 0;
      switch (steps[i]) {
        case step.keep1:
          this.forms[argument & 255] = argument >> 8;
          this.values[argument & 255] = view.getUint8(at++);
          break;
        case step.keep2:
          this.forms[argument & 255] = argument >> 8;
          this.values[argument & 255] = view.getUint16(at, true);
          at += 2;
          break;
        case step.keep4:
          this.forms[argument & 255] = argument >> 8;
          this.values[argument & 255] = view.getUint32(at, true);
          at += 4;
          break;
        case step.constant:
          this.forms[argument & 255] = form.implicitConst;
          this.values[argument & 255] = argument >>> 8;
          break;
        case step.leb:
          while (view.getUint8(at++) > 127);
          break;
        case step.block: {
          const size = view.getUint8(at);
          at = size < 128 ? at + 1 + size : this.#other(cursor, at, step.block, 0, encoding);
          break;
        }
        default:
          at = this.#other(cursor, at, steps[i] ?? 0, argument, encoding);
      }
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
      case step.text:
        cursor.skipText();
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
