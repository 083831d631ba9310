import { isUserCode, pathInProject } from '../../../model/names/pattern.ts';
import type { Pattern } from '../../../model/names/pattern.ts';
import { patternAdvice } from '../../../model/names/patternAdvice.ts';
import { textAt } from '../names/textTable.ts';
import { functionFlag, type ModuleIndex } from './moduleIndex.ts';

const mostFiles = 3;
/** Headers of the system, and where distributions and Rust's releases were built. */
const builtElsewhere = /^\/(?:usr|rustc|build)\//;

/** What else to write where a pattern matches nothing: whole clauses. */
export function noMatchNotes(
  { selection, text }: Pattern,
  indexes: readonly ModuleIndex[],
  projectRoot: string,
): string[] {
  if (indexes.length === 0 || selection.kind === 'known') return [];
  if (selection.kind === 'name') {
    // Names of Go hold dots: what such a pattern says is what it seems to mean.
    const advice = indexes.some(isOfGo) && isDotted.test(text) ? null : patternAdvice(text);
    return advice === null ? [] : [advice];
  }
  const files = ownFiles(indexes);
  if (files.length === 0) return ['no source file of its functions is known'];
  const named = files
    .slice(0, mostFiles)
    .map((path) => pathInProject(path, projectRoot) ?? path)
    .join(', ');
  const rest = files.length > mostFiles ? ` and ${files.length - mostFiles} more` : '';
  return [
    selection.kind === 'file'
      ? `its functions come from ${named}${rest}`
      : `no function comes from below the project root ${projectRoot}, but from ${named}${rest}: give the projectRoot that holds them`,
  ];
}

const isDotted = /^[^\\^$|+]*\.\*$/;

function isOfGo({ flags }: ModuleIndex): boolean {
  return flags.some((flag) => (flag & functionFlag.go) !== 0);
}

/** The sources that are of neither a system nor a library, those with most functions first. */
function ownFiles(indexes: readonly ModuleIndex[]): string[] {
  const functions = new Map<string, number>();
  for (const { files, fileNumbers } of indexes) {
    const counts = new Map<number, number>();
    for (const number of fileNumbers)
      if (number > 0) counts.set(number, (counts.get(number) ?? 0) + 1);
    for (const [number, count] of counts) {
      const path = textAt(files, number - 1);
      if (isUserCode(path, '/') && !builtElsewhere.test(path))
        functions.set(path, (functions.get(path) ?? 0) + count);
    }
  }
  return [...functions].toSorted((a, b) => b[1] - a[1]).map(([path]) => path);
}
