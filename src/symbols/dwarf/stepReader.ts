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
    let at = from + (leads[code] ?? 0);
    const last = starts[code * 2 + 1] ?? 0;
    for (let i = starts[code * 2] ?? 0; i < last; i += 3)
      at = this.#step(cursor, at, steps[i] ?? 0, steps[i + 1] ?? 0, encoding) + (steps[i + 2] ?? 0);
    return at;
  }

  /** Performs one step; returns the position after the value. */
  #step(
    cursor: Cursor,
    from: number,
    action: number,
    argument: number,
    encoding: Encoding,
  ): number {
    const { view } = cursor;
    let at = from;
    switch (action) {
      case step.leb:
        while (view.getUint8(at++) > 127);
        return at;
      case step.text:
        while (view.getUint8(at++) !== 0);
        return at;
      case step.block1:
        return at + 1 + view.getUint8(at);
      case step.block2:
        return at + 2 + view.getUint16(at, true);
      case step.block4:
        return at + 4 + view.getUint32(at, true);
      case step.block: {
        const size = view.getUint8(at);
        if (size < 128) return at + 1 + size;
        cursor.at = at;
        at = cursor.uleb();
        return cursor.at + at;
      }
      case step.indirect:
        cursor.at = at;
        skipForm(cursor, form.indirect, encoding);
        return cursor.at;
      case step.constant:
        this.forms[argument & 255] = form.implicitConst;
        this.values[argument & 255] = argument >>> 8;
        return at;
      default:
        return this.#keep(cursor, at, argument & 255, argument >> 8, encoding);
    }
  }

  #keep(cursor: Cursor, at: number, slot: number, coding: number, encoding: Encoding): number {
    if (coding === form.ref4 || coding === form.data4) {
      this.forms[slot] = coding;
      this.values[slot] = cursor.view.getUint32(at, true);
      return at + 4;
    }
    cursor.at = at;
    const code = coding === form.indirect ? directForm(cursor) : coding;
    this.forms[slot] = code;
    this.values[slot] = readForm(cursor, code, encoding);
    return cursor.at;
  }
}
