import type { SourceStatement } from '../../model/functions/sourceStatement.ts';
import { originalPosition } from '../../model/rewriting/sourceMap.ts';
import { sourceMapOf, type LocatedMap } from './originalSources.ts';
import { statementsOf } from './statementsOf.ts';

/** A statement of a source file. */
type Site = Pick<SourceStatement, 'line' | 'column' | 'isResult' | 'word'> & {
  readonly file: string;
};

/** Where a statement of a source file is in a text that was made of it. */
interface Place {
  readonly offset: number;
  readonly isResult: boolean;
  readonly names: readonly string[];
}

/** Of each site its place in the text that runs as `path`; null: it does not hold it. Throws for a text that cannot be read. */
export function statementPlaces(
  text: string,
  path: string,
  sites: readonly Site[],
): readonly (Place | null)[] {
  const statements = statementsOf(text, path);
  const located = sourceMapOf(text, path);
  const renamed = located ? renamedIn(text, located) : new Set<string>();
  return sites.map((site) => {
    const found = located?.files.includes(site.file)
      ? byMap(statements, located, site)
      : site.file === path
        ? byText(statements, site)
        : null;
    if (!found) return null;
    const { offset, isResult, locals, globals } = found;
    return {
      offset,
      isResult,
      names: [...locals, ...globals].filter((name) => !renamed.has(name)),
    };
  });
}

const identifier = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;

/** Names that stand for others: a compiler made the text shorter. */
function renamedIn(text: string, { map }: LocatedMap): ReadonlySet<string> {
  const renamed = new Set<string>();
  if (map.names.length === 0) return renamed;
  const lines = text.split('\n');
  for (const [i, segments] of map.lines.entries())
    for (const { column, original } of segments) {
      const name = original?.name;
      if (name === null || name === undefined) continue;
      identifier.lastIndex = column;
      const [here] = identifier.exec(lines[i] ?? '') ?? [];
      if (here !== undefined && here !== map.names[name]) renamed.add(here);
    }
  return renamed;
}

/** The statement that comes from there, or from nearest to it in the same line. */
function byMap(
  statements: readonly SourceStatement[],
  { map, files }: LocatedMap,
  site: Site,
): SourceStatement | null {
  let best: { readonly one: SourceStatement; readonly distance: number } | null = null;
  for (const one of statements) {
    const from = originalPosition(map, { line: one.line - 1, column: one.column - 1 });
    if (!from || files[from.source] !== site.file || from.line !== site.line - 1) continue;
    const distance = Math.abs(from.column - (site.column - 1));
    if (best === null || distance < best.distance) best = { one, distance };
  }
  return best?.one ?? null;
}

/** Types that were taken away leave every place where it was. A text that was changed otherwise, without a map, holds none. */
function byText(statements: readonly SourceStatement[], site: Site): SourceStatement | null {
  return (
    statements.find(
      (one) =>
        one.line === site.line &&
        one.column === site.column &&
        one.isResult === site.isResult &&
        one.word === site.word,
    ) ?? null
  );
}
