import { statSync } from 'node:fs';
import type { LocatedMap } from './originalSources.ts';

/** A file that a text was made of, and when it was changed last, in ns as digits; `stamp` empty: it is not there. */
export interface StampedSource {
  readonly path: string;
  readonly stamp: string;
}

const isOfScheme = /^(?!file:)[a-z][\w+.-]*:/;

/**
 * The files that decide, beside the text itself, where its functions are. Null: others may do so as well, as its map is
 * in a file, or names sources that are searched for. `located`: the map of the text.
 */
export function stampedSources(
  text: string,
  located: LocatedMap | null,
): readonly StampedSource[] | null {
  if (!text.includes('sourceMappingURL=')) return [];
  if (!text.includes('sourceMappingURL=data:')) return null;
  if (!located || located.map.sources.some((source) => isOfScheme.test(source))) return null;
  const files = new Set(located.files.filter((file) => file !== null));
  return [...files].map((file) => ({ path: file, stamp: stampOf(file) }));
}

export function areAsBefore(sources: readonly StampedSource[]): boolean {
  return sources.every(({ path, stamp }) => stampOf(path) === stamp);
}

function stampOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false, bigint: true })?.mtimeNs.toString() ?? '';
}
