import type { Insert } from '../../model/rewriting/rewrittenModule.ts';

/** A place in a text where something may be put; what, is known when all around it was read. */
export interface OpenInsert {
  readonly position: number;
  text: string;
}

/** Inserts in the order in which the text was walked, which decides between those of one position. */
export class InsertList {
  readonly #all: OpenInsert[] = [];

  add(position: number, text = ''): OpenInsert {
    const insert = { position, text };
    this.#all.push(insert);
    return insert;
  }

  sorted(): Insert[] {
    return this.#all
      .filter(({ text }) => text !== '')
      .toSorted((a, b) => a.position - b.position)
      .map(({ position, text }) => ({ position, text }));
  }
}
