import type { ProjectSurvey } from '../model/tests/testReport.ts';
import { ProjectFiles } from './projectFiles.ts';

interface Mark {
  readonly file: RegExp;
  readonly buildSystem: string;
  readonly language: string;
}

/** What a project is built with, by the file that says so; the first that is there counts. */
const marks: readonly Mark[] = [
  { file: /^Cargo\.toml$/, buildSystem: 'Cargo', language: 'Rust' },
  { file: /^CMakeLists\.txt$/, buildSystem: 'CMake', language: 'C++' },
  { file: /^meson\.build$/, buildSystem: 'Meson', language: 'C++' },
  { file: /^go\.mod$/, buildSystem: 'Go', language: 'Go' },
  { file: /^deno\.jsonc?$/, buildSystem: 'Deno', language: 'TypeScript' },
  { file: /^bun\.lockb?$/, buildSystem: 'Bun', language: 'JavaScript' },
  { file: /^pnpm-lock\.yaml$/, buildSystem: 'pnpm', language: 'JavaScript' },
  { file: /^yarn\.lock$/, buildSystem: 'Yarn', language: 'JavaScript' },
  { file: /^package\.json$/, buildSystem: 'npm', language: 'JavaScript' },
  { file: /^(pyproject\.toml|setup\.(py|cfg))$/, buildSystem: 'pip', language: 'Python' },
  { file: /^(GNU)?[Mm]akefile$/, buildSystem: 'Make', language: 'C++' },
];

const testFile = /^tests?[_.]|[._-](tests?|spec)\.|[a-z]Tests?\./;
const sourceFile = /\.(c|cc|cpp|cxx|rs|go|py|[cm]?[jt]sx?)$/;
/** Files in it bear any name, in C++ and Rust. */
const testFolder = /(^|\/)tests?\//;
const mostFiles = 1000;
const mostShown = 5;
const depth = 5;

/**
 * What can be said of a project from its files, for somebody who expected tests in it; nothing is
 * run.
 */
export function surveyProject(root: string): ProjectSurvey {
  const files = new ProjectFiles(root);
  const names = files.list();
  const mark = marks.find(({ file }) => names.some((name) => file.test(name)));
  const testFiles = files
    .find(sourceFile, depth, mostFiles)
    .filter((path) => testFile.test(path.slice(path.lastIndexOf('/') + 1)) || testFolder.test(path))
    .toSorted();
  return {
    language: mark?.language ?? null,
    buildSystem: mark?.buildSystem ?? null,
    testFiles,
  };
}

/** `C++, CMake; tests by their names: tests/a.cpp, tests/b.cpp` */
export function surveyText({ language, buildSystem, testFiles }: ProjectSurvey): string {
  const kind = [language, buildSystem].filter((word) => word !== null).join(', ');
  const shown = testFiles.slice(0, mostShown).join(', ');
  const more = testFiles.length > mostShown ? `, … (${testFiles.length})` : '';
  const files =
    testFiles.length === 0 ? 'no file looks like a test' : `tests by their names: ${shown}${more}`;
  return kind === '' ? files : `${kind}; ${files}`;
}
