import { applyInserts } from '../../../model/rewriting/applyInserts.ts';
import { InsertedOffsets, type RunningText } from '../../../model/rewriting/insertedOffsets.ts';
import { originalText } from '../../../model/rewriting/originalText.ts';
import type { Insert } from '../../../model/rewriting/rewrittenModule.ts';
import type { RewriteAnswer } from '../../../protocol/nodeTracer.ts';

/** Of a module that could be rewritten. */
export type RewrittenAnswer = Exclude<RewriteAnswer, { readonly why: string }>;

/** A module's text before and after it was rewritten. */
export interface RewrittenText extends RunningText {
  readonly path: string;
  /** The text that runs has a source map of ours. */
  readonly isMapped: boolean;
  readonly offsets: InsertedOffsets;
  lines: { readonly original: readonly number[]; readonly rewritten: readonly number[] } | null;
}

export function rewrittenText(
  path: string,
  original: string,
  { inserts, map = '' }: Pick<RewrittenAnswer, 'inserts' | 'map'>,
  key: string,
): RewrittenText {
  const placed = inserts.map(([position, text]): Insert => ({ position, text }));
  if (map !== '') placed.push({ position: original.length, text: map });
  const rewritten = applyInserts(original, placed, key);
  const running = { original, rewritten, inserts: placed, key };
  const offsets = new InsertedOffsets(running);
  return { ...running, path, isMapped: map !== '', offsets, lines: null };
}

/** The column in the original; both are counted from 1. Lines are the same in both. */
export function originalColumn(of: RewrittenText, line: number, column: number): number {
  const { original, rewritten } = startsOf(of);
  const [begin, from] = [rewritten[line - 1], original[line - 1]];
  if (begin === undefined || from === undefined) return column;
  return of.offsets.original(begin + column - 1).offset - from + 1;
}

function startsOf(of: RewrittenText): NonNullable<RewrittenText['lines']> {
  of.lines ??= { original: lineStarts(of.original), rewritten: lineStarts(of.rewritten) };
  return of.lines;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** By path, the one that was rewritten last first: a runner may run a file again and again. */
const byPath = new Map<string, RewrittenText[]>();
const MOST_VERSIONS = 4;
/** Stands in each function that was rewritten (src/symbols/javascript/insertedTexts.ts). */
const MARK = '$s';

export function keepText(text: RewrittenText): void {
  const known = byPath.get(text.path) ?? [];
  byPath.set(text.path, [text, ...known].slice(0, MOST_VERSIONS));
}

export function textOf(path: string): RewrittenText | undefined {
  return textsOf(path)[0];
}

/** All that ran under this path or URL. */
export function textsOf(path: string): readonly RewrittenText[] {
  return byPath.get(path.startsWith('file://') ? pathOfUrl(path) : path) ?? [];
}

export function allTexts(): readonly RewrittenText[] {
  return [...byPath.values()].flat();
}

/** A line, from 1 on, before and after it was rewritten; null: there is none, or it is the same. */
export function lineOf(
  of: RewrittenText,
  line: number,
): { readonly original: string; readonly rewritten: string } | null {
  const { original, rewritten } = startsOf(of);
  const [from, begin] = [original[line - 1], rewritten[line - 1]];
  if (from === undefined || begin === undefined) return null;
  const both = {
    original: of.original.slice(from, (original[line] ?? of.original.length + 1) - 1),
    rewritten: of.rewritten.slice(begin, (rewritten[line] ?? of.rewritten.length + 1) - 1),
  };
  return both.original === both.rewritten ? null : both;
}

export function pathOfUrl(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return url;
  }
}

/** What a piece of rewritten text was before; null: it is none. */
export function originalOf(piece: string): string | null {
  if (!piece.includes(MARK)) return null;
  for (const texts of byPath.values()) {
    for (const text of texts) {
      const original = originalText(piece, text);
      if (original !== null) return original;
    }
  }
  return null;
}
