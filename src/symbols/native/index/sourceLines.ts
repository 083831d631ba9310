import { isMeantFile } from '../../../model/functions/meantLine.ts';
import type { Library } from './library.ts';

/** The source files that code of these modules was compiled from, each once. */
export function sourceFiles(library: Library, modules: readonly string[]): readonly string[] {
  const paths = new Set<string>();
  for (const module of modules)
    eachRow(library, module, (path) => {
      paths.add(path);
    });
  return [...paths].toSorted();
}

/** The lines of a source file where statements of these modules begin, in order. */
export function statementLines(
  library: Library,
  modules: readonly string[],
  file: string,
): readonly number[] {
  const lines = new Set<number>();
  for (const module of modules)
    eachRow(library, module, (path, line) => {
      if (isMeantFile(path, file)) lines.add(line);
    });
  return [...lines].toSorted((a, b) => a - b);
}

function eachRow(
  library: Library,
  module: string,
  use: (path: string, line: number) => void,
): void {
  const code = library.code(module);
  const info = code.types()?.info;
  const tables = new Set<number>();
  for (const unit of info?.units ?? []) {
    const files = info?.lineHeader(unit)?.files;
    if (!info || !files || unit.isTypes || tables.has(unit.lines)) continue;
    tables.add(unit.lines);
    for (const { file, line, address, beginsStatement } of info.lineRows(unit)) {
      const path = files[file];
      if (path && line > 0 && beginsStatement && code.isCode(address)) use(path, line);
    }
  }
}
