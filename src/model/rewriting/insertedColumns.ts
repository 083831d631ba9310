import { keyPlaceholder, type Insert } from './rewrittenModule.ts';

/** An insert, by its place in the text that is run. */
interface PlacedInsert {
  /** In the line of the original text, from 0. */
  readonly column: number;
  readonly length: number;
}

/**
 * Where places of a rewritten text were: inserts hold no line breaks, so lines are the same and only columns move.
 */
export class InsertedColumns {
  readonly #lines = new Map<number, PlacedInsert[]>();

  constructor(text: string, inserts: readonly Insert[], key: string) {
    let [line, start] = [0, 0];
    for (const { position, text: inserted } of inserts) {
      for (let end = text.indexOf('\n', start); end >= 0 && end < position;) {
        line++;
        start = end + 1;
        end = text.indexOf('\n', start);
      }
      const placeholders = inserted.split(keyPlaceholder).length - 1;
      const length = inserted.length + placeholders * (key.length - keyPlaceholder.length);
      const known = this.#lines.get(line);
      if (known) known.push({ column: position - start, length });
      else this.#lines.set(line, [{ column: position - start, length }]);
    }
  }

  /** The column in the original text; both from 0. Of a place in an insert, where that stands. */
  original(line: number, column: number): number {
    let moved = 0;
    for (const insert of this.#lines.get(line) ?? []) {
      const begins = insert.column + moved;
      if (column < begins) break;
      if (column < begins + insert.length) return insert.column;
      moved += insert.length;
    }
    return column - moved;
  }

  /** The column in the rewritten text, behind what is inserted there. */
  rewritten(line: number, column: number): number {
    let moved = 0;
    for (const insert of this.#lines.get(line) ?? []) {
      if (insert.column > column) break;
      moved += insert.length;
    }
    return column + moved;
  }

  /** The inserts of a line in order: where each stands in the original text and how long it is. */
  of(line: number): readonly PlacedInsert[] {
    return this.#lines.get(line) ?? [];
  }
}
