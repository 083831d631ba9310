import { encodeNumbers } from './base64Numbers.ts';
import type { InsertedColumns } from './insertedColumns.ts';
import type { Segment, SourceMap } from './sourceMap.ts';

/**
 * The source map of a rewritten text. `own`: of the text before it was rewritten; null: it was written as it is, in
 * `file`.
 */
export function composedMap(
  {
    text,
    file,
    columns,
  }: { readonly text: string; readonly file: string; readonly columns: InsertedColumns },
  own: SourceMap | null,
): string {
  const lines = own ? own.lines : plainLines(text);
  const moved = lines.map((segments, line) => movedSegments(segments, columns, line));
  return JSON.stringify({
    version: 3,
    sources: own ? own.sources : [file],
    sourcesContent: own ? own.contents : [text],
    names: own ? own.names : [],
    mappings: encodeLines(moved),
  });
}

/** As the last line of the text; the engine reads the last of such lines. */
export function inlineMap(map: string, encode: (text: string) => string): string {
  return `\n//# sourceMappingURL=data:application/json;base64,${encode(map)}`;
}

/** A segment at each word and sign, so that places are exact. */
function plainLines(text: string): Segment[][] {
  return text.split('\n').map((content, line) =>
    Array.from(content.matchAll(/[\w$]+|[^\w$\s]/g), ({ index: column }) => ({
      column,
      original: { source: 0, line, column, name: null },
    })),
  );
}

/** What is inserted comes from where it stands. */
function movedSegments(
  segments: readonly Segment[],
  columns: InsertedColumns,
  line: number,
): Segment[] {
  const moved: Segment[] = [];
  let next = 0;
  let current: Segment['original'] = null;
  let shift = 0;
  const take = (before: number): void => {
    for (; (segments[next]?.column ?? Infinity) < before; next++) {
      const segment = segments[next];
      if (!segment) return;
      current = segment.original;
      moved.push({ column: segment.column + shift, original: current });
    }
  };
  for (const { column, length } of columns.of(line)) {
    take(column);
    const following = segments[next];
    const original = following?.column === column ? following.original : current;
    moved.push({ column: column + shift, original });
    shift += length;
  }
  take(Infinity);
  return moved;
}

function encodeLines(lines: readonly (readonly Segment[])[]): string {
  const last = { source: 0, line: 0, column: 0, name: 0 };
  const encoded = lines.map((segments) => {
    let generated = 0;
    return segments
      .map(({ column, original }) => {
        const numbers = [column - generated];
        generated = column;
        if (original) {
          numbers.push(
            original.source - last.source,
            original.line - last.line,
            original.column - last.column,
          );
          if (original.name !== null) numbers.push(original.name - last.name);
          Object.assign(last, { ...original, name: original.name ?? last.name });
        }
        return encodeNumbers(numbers);
      })
      .join(',');
  });
  return encoded.join(';');
}
