import type { Piece } from './piece.ts';

/** The first call and the extremes of durations, over parts of which some tell bounds only. */
export class Bounds {
  readonly #unsettled: { readonly piece: Piece; readonly part: number }[] = [];
  #first = Number.POSITIVE_INFINITY;
  #least = Number.POSITIVE_INFINITY;
  #most = -1;

  addCall(call: number, duration: number): void {
    if (call < this.#first) this.#first = call;
    if (duration < 0) return;
    if (duration < this.#least) this.#least = duration;
    if (duration > this.#most) this.#most = duration;
  }

  addPart(piece: Piece, part: number): void {
    const { areBounds, columns } = piece.contexts;
    if (areBounds[part] === 1) {
      this.#unsettled.push({ piece, part });
      return;
    }
    this.#first = Math.min(this.#first, piece.base + (columns.first[part] ?? 0));
    if ((columns.timed[part] ?? 0) === 0) return;
    this.#least = Math.min(this.#least, columns.leastNs[part] ?? 0);
    this.#most = Math.max(this.#most, columns.mostNs[part] ?? 0);
  }

  settled(): {
    readonly first: number;
    readonly minNs: number | null;
    readonly maxNs: number | null;
  } {
    // Those that can reach farthest first: they spare a look at most others.
    const byMost = this.#unsettled.toSorted(
      (a, b) => b.piece.contexts.most(b.part) - a.piece.contexts.most(a.part),
    );
    for (const { piece, part } of byMost) {
      const { contexts } = piece;
      const { first } = contexts.columns;
      const isTimed = (contexts.columns.timed[part] ?? 0) > 0;
      const mayMatter =
        piece.base + (first[part] ?? 0) < this.#first ||
        (isTimed && (contexts.most(part) > this.#most || contexts.least(part) < this.#least));
      if (!mayMatter) continue;
      piece.settle(part);
      this.addPart(piece, part);
    }
    const isKnown = this.#most >= 0;
    return {
      first: this.#first,
      minNs: isKnown ? this.#least : null,
      maxNs: isKnown ? this.#most : null,
    };
  }
}
