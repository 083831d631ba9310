import type { ProjectFiles } from './projectFiles.ts';

/** What CMake wrote for CTest about the programs that tests run. */
export interface CtestPrograms {
  /** Absolute, each once. */
  readonly programs: readonly string[];
  /** Where CTest runs them; null: not said. */
  readonly folder: string | null;
}

const mostFiles = 200;
const depth = 4;
const buildFolder = /^(build|cmake-build|out|_build)/;
/** Files of `add_test`, and those that `gtest_discover_tests` and `catch_discover_tests` make. */
const written =
  /^CTestTestfile\.cmake$|\[\d+\]_(?:tests|include).*\.cmake$|_(?:tests|include)-[0-9a-f]+\.cmake$/;

const word = String.raw`(?:\[(=*)\[(.*?)\]\1\]|"((?:[^"\\]|\\.)*)"|([^\s()"]+))`;
const added = new RegExp(String.raw`\badd_test\(\s*${word}\s+${word.replace('\\1', '\\5')}`, 'gs');
const discovered = new RegExp(String.raw`\bTEST_EXECUTABLE\s+${word}`, 'gs');
const runIn = new RegExp(String.raw`\bWORKING_DIRECTORY\s+${word}`, 's');

/** Reads what the project's build folder registers with CTest; nothing is run. */
export function ctestPrograms(project: ProjectFiles): CtestPrograms {
  const folders = project.list().filter((name) => name.endsWith('/') && buildFolder.test(name));
  const programs = new Set<string>();
  let folder: string | null = null;
  const roots = project.has('CTestTestfile.cmake') ? ['.'] : folders.map((one) => one.slice(0, -1));
  for (const root of roots) {
    for (const file of project.find(written, depth, mostFiles, root)) {
      const text = project.text(file);
      for (const found of text.matchAll(added)) add(programs, found.slice(5));
      for (const found of text.matchAll(discovered)) add(programs, found.slice(1));
      const at = runIn.exec(text);
      folder ??= at ? (at[2] ?? at[3] ?? at[4] ?? null) : null;
    }
  }
  return { programs: [...programs], folder };
}

function add(programs: Set<string>, [, bracketed, quoted, bare]: readonly string[]): void {
  const path = bracketed ?? quoted ?? bare ?? '';
  if (path.startsWith('/')) programs.add(path);
}
