/** A module's text before and after it was rewritten. */
export interface RewrittenText {
  readonly path: string;
  readonly original: string;
  readonly text: string;
  /** Positions in the original, and where in the text what was put there begins, and how long it is. */
  readonly positions: Int32Array;
  readonly begins: Int32Array;
  readonly lengths: Int32Array;
  lines: { readonly original: Int32Array; readonly text: Int32Array } | null;
}

export function rewritten(
  path: string,
  original: string,
  inserts: readonly (readonly [number, string])[],
): RewrittenText {
  const { length } = inserts;
  const [positions, begins, lengths] = [
    new Int32Array(length),
    new Int32Array(length),
    new Int32Array(length),
  ];
  const parts: string[] = [];
  let last = 0;
  let put = 0;
  for (const [index, [position, text]] of inserts.entries()) {
    parts.push(original.slice(last, position), text);
    positions[index] = position;
    begins[index] = position + put;
    lengths[index] = text.length;
    put += text.length;
    last = position;
  }
  parts.push(original.slice(last));
  return { path, original, text: parts.join(''), positions, begins, lengths, lines: null };
}

/** Where in the original a position of the text is from. */
export function originalPosition(of: RewrittenText, at: number): number {
  const { positions, begins, lengths } = of;
  let [low, high] = [0, begins.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((begins[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return at;
  const begin = begins[low - 1] ?? 0;
  const length = lengths[low - 1] ?? 0;
  const position = positions[low - 1] ?? 0;
  return at < begin + length ? position : position + (at - begin - length);
}

/** The column in the original; both are counted from 1. Lines are the same in both. */
export function originalColumn(of: RewrittenText, line: number, column: number): number {
  of.lines ??= { original: lineStarts(of.original), text: lineStarts(of.text) };
  const begin = of.lines.text[line - 1];
  const from = of.lines.original[line - 1];
  if (begin === undefined || from === undefined) return column;
  return originalPosition(of, begin + column - 1) - from + 1;
}

function lineStarts(text: string): Int32Array {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return Int32Array.from(starts);
}

/** By path; the one that was rewritten last. */
const byPath = new Map<string, RewrittenText>();
/** Stands in each function that was rewritten (src/symbols/javascript/insertedTexts.ts). */
const MARK = '$s';

export function keepText(text: RewrittenText): void {
  byPath.set(text.path, text);
}

export function textOf(path: string): RewrittenText | undefined {
  return byPath.get(path.startsWith('file://') ? pathOfUrl(path) : path);
}

function pathOfUrl(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return url;
  }
}

/** What a piece of rewritten text was before; null: it is none. */
export function originalOf(piece: string): string | null {
  if (!piece.includes(MARK)) return null;
  for (const text of byPath.values()) {
    const at = text.text.indexOf(piece);
    if (at < 0) continue;
    const begin = originalPosition(text, at);
    return text.original.slice(begin, originalPosition(text, at + piece.length));
  }
  return null;
}
