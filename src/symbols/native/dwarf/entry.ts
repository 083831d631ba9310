import type { AbbreviationTable } from './abbreviations.ts';
import { attribute, form } from './constants.ts';
import type { Cursor } from './cursor.ts';
import { directForm, readForm, skipForm } from './forms.ts';
import type { Encoding } from './forms.ts';

const known = Object.values(attribute);
/** Attribute → slot + 1; 0 for attributes that are not kept. */
const slotOf = new Uint8Array(0x2a00);
known.forEach((number, slot) => {
  slotOf[number] = slot + 1;
});

/** One debugging information entry with the attributes of `constants.ts`; may be read into again. */
export class Entry {
  tag = 0;
  /** From the start of its unit. */
  offset = 0;
  hasChildren = false;
  /** Where its attributes end: its first child, or the next entry. */
  after = 0;
  /**
   * Slot → place in `#kept`, 0 for attributes it has not. Entries are made by the ten thousand: this is
   * small enough for the engine's own heap, and of the rest there is only what an entry has.
   */
  readonly #places = new Uint8Array(known.length + 1);
  /** From place 1 on form, value and position, for each attribute. */
  readonly #kept: number[] = [0, 0, 0];

  has(at: number): boolean {
    return this.#places[slotOf[at] ?? 0] !== 0;
  }

  /** The raw value (see `readForm`); 0 when absent. */
  value(at: number): number {
    return this.#kept[3 * (this.#places[slotOf[at] ?? 0] ?? 0) + 1] ?? 0;
  }

  /** 0 when absent. */
  formOf(at: number): number {
    return this.#kept[3 * (this.#places[slotOf[at] ?? 0] ?? 0)] ?? 0;
  }

  /** Where the value begins in the unit, to read it again exactly. */
  position(at: number): number {
    return this.#kept[3 * (this.#places[slotOf[at] ?? 0] ?? 0) + 2] ?? 0;
  }

  /**
   * Reads the entry at `offset` of the unit under `cursor`; false for the null entry that ends a list
   * of children. Throws a RangeError for damage.
   */
  read(cursor: Cursor, offset: number, table: AbbreviationTable, encoding: Encoding): boolean {
    cursor.at = offset;
    const code = cursor.uleb();
    this.#places.fill(0);
    this.offset = offset;
    this.tag = table.tags[code] ?? 0;
    this.hasChildren = table.hasChildren[code] === 1;
    if (code === 0) {
      this.after = cursor.at;
      return false;
    }
    if (code > table.maxCode || table.roles[code] === 0)
      throw new RangeError(`abbreviation ${code} does not exist`);
    let place = 0;
    const end = table.specStarts[code * 2 + 1] ?? 0;
    for (let i = table.specStarts[code * 2] ?? 0; i < end; i += 3) {
      const slot = slotOf[table.specs[i] ?? 0] ?? 0;
      let coding = table.specs[i + 1] ?? 0;
      if (slot === 0) {
        skipForm(cursor, coding, encoding);
        continue;
      }
      if (coding === form.indirect) coding = directForm(cursor);
      // What is listed twice counts as it is listed last.
      this.#places[slot] = ++place;
      this.#kept[3 * place] = coding;
      const position = cursor.at;
      this.#kept[3 * place + 1] =
        coding === form.implicitConst
          ? (table.specs[i + 2] ?? 0)
          : readForm(cursor, coding, encoding);
      this.#kept[3 * place + 2] = position;
    }
    if (cursor.at > cursor.bytes.length) throw new RangeError('an entry reaches beyond its unit');
    this.after = cursor.at;
    return true;
  }
}

const maxDepth = 4000;
const scratch = new Entry();

/** Where the entry after this one and all its children begins. */
export function afterChildren(
  entry: Entry,
  cursor: Cursor,
  table: AbbreviationTable,
  encoding: Encoding,
): number {
  if (!entry.hasChildren) return entry.after;
  const sibling = entry.value(attribute.sibling);
  if (sibling > entry.after && sibling <= cursor.bytes.length) return sibling;
  let at = entry.after;
  for (let depth = 1; depth > 0; at = scratch.after) {
    if (!scratch.read(cursor, at, table, encoding)) depth--;
    else if (scratch.hasChildren && ++depth > maxDepth)
      throw new RangeError('entries nest too deeply');
  }
  return at;
}
