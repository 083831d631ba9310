import { dirname, join } from 'node:path';
import { isBelow } from '../base/paths.ts';
import { StrobeError } from '../model/errors.ts';
import type { TestFramework } from '../model/tests/testReport.ts';
import type { TestAdapter } from './adapter.ts';
import { adapters } from './adapters.ts';
import { ignoredFolders, ProjectFiles } from './projectFiles.ts';
import { surveyProject, surveyText } from './projectSurvey.ts';
import { testBinaryKind } from './testBinary.ts';

/** Which framework runs a project's tests, and why that is thought. */
export interface Detected {
  readonly adapter: TestAdapter;
  /** The nearest project: the root asked for, or a folder below it. */
  readonly root: string;
  /** Best first; the first is the reason for the choice. */
  readonly reasons: readonly string[];
}

/** What the caller says of it. */
export interface DetectRequest {
  readonly projectRoot: string;
  readonly framework: TestFramework | null;
  readonly command: string | null;
  /** Absolute. */
  readonly file: string | null;
}

interface Guess {
  readonly adapter: TestAdapter;
  readonly root: string;
  readonly weight: number;
  readonly reason: string;
}

/** Files that mark the root of a project of its own. */
const marks =
  /^(package\.json|deno\.jsonc?|pyproject\.toml|setup\.(py|cfg)|pytest\.ini|tox\.ini|Cargo\.toml|go\.mod|CMakeLists\.txt)$/;

/**
 * Finds the framework by reading files; nothing is run. NO_TEST_FRAMEWORK when nothing speaks for
 * one, or when several projects lie below the root and none in it.
 */
export function detect(request: DetectRequest): Detected {
  const { projectRoot, framework, command } = request;
  const root = request.file === null ? projectRoot : nearestProject(projectRoot, request.file);
  if (framework !== null) {
    const adapter = adapters[framework];
    return { adapter, root, reasons: [`framework ${framework} as asked`] };
  }
  if (command !== null) return byCommand(root, command);
  const [best, ...others] = guesses(root);
  if (best) return chosen(best, others, projectRoot);
  return below(projectRoot);
}

function byCommand(root: string, command: string): Detected {
  const kind = testBinaryKind(root, command);
  return kind === null
    ? { adapter: adapters.generic, root, reasons: ['command is no test binary known here'] }
    : { adapter: adapters[kind.framework], root, reasons: [kind.reason] };
}

/** What speaks for each framework in this folder, best first. */
function guesses(root: string): Guess[] {
  const project = new ProjectFiles(root);
  return Object.values(adapters)
    .flatMap((adapter: TestAdapter): Guess[] => {
      const evidence = adapter.evidence(project);
      return evidence ? [{ adapter, root, ...evidence }] : [];
    })
    .toSorted((a, b) => b.weight - a.weight);
}

function chosen(best: Guess, others: readonly Guess[], projectRoot: string): Detected {
  const where = best.root === projectRoot ? '' : ` in ${best.root.slice(projectRoot.length + 1)}`;
  return {
    adapter: best.adapter,
    root: best.root,
    reasons: [
      `${best.adapter.name}${where}: ${best.reason}`,
      ...others.map(({ adapter, reason }) => `also ${adapter.name}: ${reason}`),
    ],
  };
}

function nearestProject(projectRoot: string, file: string): string {
  for (
    let folder = dirname(file);
    folder !== projectRoot && isBelow(folder, projectRoot);
    folder = dirname(folder)
  ) {
    if (new ProjectFiles(folder).list().some((name) => marks.test(name)) && guesses(folder)[0])
      return folder;
  }
  return projectRoot;
}

const mostFolders = 2000;
const depth = 3;

/** Folders that are projects, nearest to the root first. */
function projectsBelow(projectRoot: string): string[] {
  const files = new ProjectFiles(projectRoot);
  const found: string[] = [];
  const waiting = files.list().filter((name) => name.endsWith('/'));
  for (let seen = 0; seen < mostFolders; seen += 1) {
    const folder = waiting.shift()?.slice(0, -1);
    if (folder === undefined) break;
    if (ignoredFolders.test(`${folder.slice(folder.lastIndexOf('/') + 1)}/`)) continue;
    const names = files.list(folder);
    if (names.some((name) => marks.test(name))) found.push(join(projectRoot, folder));
    else if (folder.split('/').length < depth)
      waiting.push(
        ...names.filter((name) => name.endsWith('/')).map((name) => `${folder}/${name}`),
      );
  }
  return found;
}

function hasUnbuiltTests(root: string): boolean {
  const text = new ProjectFiles(root).text('CMakeLists.txt');
  return /\b(?:enable_testing|add_test|gtest_\w+|catch_discover_tests)\s*\(|\bGTest\b|\bCatch2\b/i.test(
    text,
  );
}

/** A root that only holds other projects. */
function below(projectRoot: string): Detected {
  const folders = projectsBelow(projectRoot);
  const found = folders.flatMap((folder) => guesses(folder).slice(0, 1));
  const [only, second] = found;
  if (!only) {
    if (hasUnbuiltTests(projectRoot))
      throw new StrobeError(
        'NO_TEST_FRAMEWORK',
        `${projectRoot} is a CMake project with tests that is not built: its programs tell the framework.`,
        'Build it first: cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug && cmake --build build',
      );
    throw new StrobeError(
      'NO_TEST_FRAMEWORK',
      `Nothing in ${projectRoot} tells which test framework it uses (${surveyText(surveyProject(projectRoot))}).`,
      `Give framework (${Object.keys(adapters).join(', ')}) or command (a test binary, or with framework "generic" any command line).`,
    );
  }
  if (!second) return chosen(only, [], projectRoot);
  const names = found
    .slice(0, 8)
    .map(({ adapter, root }) => `${root} (${adapter.name})`)
    .join(', ');
  throw new StrobeError(
    'NO_TEST_FRAMEWORK',
    `${projectRoot} holds ${found.length} projects with tests: ${names}.`,
    `Give one of them as projectRoot, for instance ${only.root}.`,
  );
}
