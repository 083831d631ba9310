/** A place in a file, both counted from 0; columns in characters. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where a place comes from: `source` counts the sources of its map. */
export interface MappedPosition extends Position {
  readonly source: number;
}

/** From `column` on, to the next segment of its line, a generated line comes from there; null: from nowhere. */
export interface Segment {
  readonly column: number;
  readonly original: (MappedPosition & { readonly name: number | null }) | null;
}

/** A source map that was read. Of one with sections, all of them as one. */
export interface SourceMap {
  /** As written, with `sourceRoot`. */
  readonly sources: readonly string[];
  readonly contents: readonly (string | null)[];
  readonly names: readonly string[];
  /** By line of the generated text. */
  readonly lines: readonly (readonly Segment[])[];
}

/** Where a place of a generated text comes from; null where the map says nothing of it. */
export function originalPosition(
  { lines }: SourceMap,
  { line, column }: Position,
): MappedPosition | null {
  const segments = lines[line] ?? [];
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.column ?? 0) <= column) low = middle + 1;
    else high = middle;
  }
  const original = segments[low - 1]?.original;
  return original
    ? { source: original.source, line: original.line, column: original.column }
    : null;
}
