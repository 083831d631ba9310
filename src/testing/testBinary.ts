import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { StrobeError } from '../model/errors.ts';
import type { TestFramework } from '../model/tests/testReport.ts';
import type { Evidence, TestRequest } from './adapter.ts';
import { ctestPrograms } from './ctestPrograms.ts';
import { isProgram } from './findRunner.ts';
import { ProjectFiles } from './projectFiles.ts';

const chunkBytes = 1 << 20;
const mostBytes = 512 << 20;
const mostCandidates = 40;

/** Texts that a framework's own code leaves in every program linked with it. */
const traces: readonly { readonly framework: TestFramework; readonly text: string }[] = [
  { framework: 'googletest', text: 'gtest_list_tests' },
  // The type names of its classes: they stay in a stripped program.
  { framework: 'catch2', text: 'N5Catch' },
];

/** The first of the texts that the file holds; null when it holds none or is no ELF program. */
export function textInProgram(path: string, texts: readonly string[]): string | null {
  let file: number;
  try {
    // To open a pipe otherwise would wait for its writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    if (!fstatSync(file).isFile()) return null;
    const chunk = Buffer.alloc(chunkBytes);
    const overlap = 64;
    for (let at = 0; at < mostBytes; at += chunkBytes - overlap) {
      const length = readSync(file, chunk, 0, chunkBytes, at);
      const bytes = chunk.subarray(0, length);
      if (at === 0 && bytes.toString('latin1', 0, 4) !== '\u007fELF') return null;
      const found = texts.find((text) => bytes.includes(text));
      if (found !== undefined) return found;
      if (length < chunkBytes) return null;
    }
    return null;
  } finally {
    closeSync(file);
  }
}

/** Which framework a program was linked with, by the texts in it; it is not run. Null: none known. */
export function testBinaryKind(
  root: string,
  command: string,
): { readonly framework: TestFramework; readonly reason: string } | null {
  const found = textInProgram(
    resolve(root, command),
    traces.map(({ text }) => text),
  );
  const trace = traces.find(({ text }) => text === found);
  return trace
    ? { framework: trace.framework, reason: `${command} is linked with ${trace.framework}` }
    : null;
}

/** Folders builds usually leave programs in. */
const buildFolders = /^(build|cmake-build|out|bin|_build|builddir)[^/]*\/$/;

/** Programs of the framework in the project's build folders, relative to its root. */
function testBinaries(root: string, framework: TestFramework): string[] {
  const project = new ProjectFiles(root);
  const texts = traces.filter((one) => one.framework === framework).map(({ text }) => text);
  const folders = project.list().filter((name) => buildFolders.test(name));
  return folders
    .flatMap((folder) =>
      project.find(/^[^.]+$|\.(test|exe)$/, 3, mostCandidates, folder.slice(0, -1)),
    )
    .filter((file) => isProgram(join(root, file)))
    .filter((file) => (statSync(join(root, file), { throwIfNoEntry: false })?.size ?? 0) > 4096)
    .slice(0, mostCandidates)
    .filter((file) => textInProgram(join(root, file), texts) !== null);
}

/** What speaks for a framework whose tests are programs: one that is built. */
export function binaryEvidence(
  project: ProjectFiles,
  framework: TestFramework,
  title: string,
): Evidence | null {
  if (!['CMakeLists.txt', 'meson.build', 'Makefile'].some((file) => project.has(file))) return null;
  const registered = registeredBinary(project, framework);
  if (registered !== null) {
    const path = relative(project.root, registered.binary);
    // More than CTest: it tells all that failed, with both sides.
    return { weight: 85, reason: `${path}, which CTest runs, is linked with ${title}` };
  }
  const [binary] = testBinaries(project.root, framework);
  return binary === undefined ? null : { weight: 70, reason: `${binary} is linked with ${title}` };
}

/** The program behind CTest, where all its tests are of one that is linked with the framework. */
export function registeredBinary(
  project: ProjectFiles,
  framework: TestFramework,
): { readonly binary: string; readonly folder: string | null } | null {
  const { programs, folder } = ctestPrograms(project);
  const [binary, ...others] = programs;
  if (binary === undefined || others.length > 0 || !isProgram(binary)) return null;
  const texts = traces.filter((one) => one.framework === framework).map(({ text }) => text);
  return textInProgram(binary, texts) === null ? null : { binary, folder };
}

/** Where the tests of a binary run: as CTest does it, else in the project's folder. */
export function testFolder(
  { command, projectRoot }: TestRequest,
  framework: TestFramework,
): string {
  const registered =
    command === null ? registeredBinary(new ProjectFiles(projectRoot), framework) : null;
  return registered?.folder ?? projectRoot;
}

/**
 * The test binary of a request: the one given, else the only one built. BAD_PARAMETER names the
 * candidates, or says that nothing is built.
 */
export function requestedBinary(request: TestRequest, framework: TestFramework): string {
  const { command, projectRoot } = request;
  if (command !== null) return resolve(projectRoot, command);
  const registered = registeredBinary(new ProjectFiles(projectRoot), framework);
  if (registered !== null) return registered.binary;
  const [only, ...others] = testBinaries(projectRoot, framework);
  if (only !== undefined && others.length === 0) return join(projectRoot, only);
  throw new StrobeError(
    'BAD_PARAMETER',
    only === undefined
      ? `No ${framework} binary is built below ${projectRoot}.`
      : `${projectRoot} has ${others.length + 1} ${framework} binaries: ${[only, ...others].slice(0, 8).join(', ')}.`,
    only === undefined
      ? 'Build the tests first, or give command: the path of the test binary.'
      : `Give one as command: {"command": "${only}"}.`,
  );
}

/** The binary as a person would type it in the project's folder. */
export function typedBinary(request: TestRequest, binary: string): string {
  const path = relative(request.projectRoot, resolve(request.projectRoot, binary));
  return path.startsWith('..') ? binary : `./${path}`;
}

/** A test binary holds all its tests: it cannot be asked for a file or a level. */
export function refuseFileAndLevel(request: TestRequest, framework: TestFramework): void {
  if (request.file === null && request.level === null) return;
  throw new StrobeError(
    'BAD_PARAMETER',
    `A ${framework} binary cannot be told to run one ${request.file === null ? 'level' : 'file'}.`,
    'Give test, or the binary that holds those tests as command.',
  );
}
