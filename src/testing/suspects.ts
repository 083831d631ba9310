import { isAbsolute, relative } from 'node:path';
import type { TestFailure, TestFrame, TestResult } from '../model/tests/testReport.ts';

const mostSuspects = 3;
const libraryFolders =
  /(^|\/)(node_modules|site-packages|dist-packages|\.cargo\/registry|\.rustup|rustc\/|\.venv|venv|lib\/python3)/;

/** How files with tests of C, C++ and Rust are called. */
export const nativeTestFiles =
  /\/(?:tests?|unittests?)\/[^/]+$|\/(?:test[\w-]*|[\w-]*[tT]ests?|[\w-]*_unittest)\.(?:c|cc|cpp|cxx|rs)$/;

/** The stack's frames in the project's own code, innermost first. */
export function ownFrames(frames: readonly TestFrame[], projectRoot: string): TestFrame[] {
  return frames.filter(({ file }) => {
    if (file.startsWith('node:') || file.startsWith('<') || libraryFolders.test(file)) return false;
    if (!isAbsolute(file)) return !file.startsWith('../');
    return !relative(projectRoot, file).startsWith('..');
  });
}

/**
 * Patterns from the failing stack: the functions outside the file of the test, innermost first.
 * The test's own function says nothing that the failure does not.
 */
export function stackSuspects(
  failure: TestFailure,
  result: TestResult,
  patternOf: (frame: TestFrame) => string | null,
): string[] {
  const patterns = failure.frames
    .filter(({ file }) => file !== result.file && !libraryFolders.test(file))
    .filter(({ file }) => !/^(node:|<)/.test(file))
    .flatMap((frame) => patternOf(frame) ?? []);
  return [...new Set(patterns)].slice(0, mostSuspects);
}

/** `Cart.total` for a frame's function, unless it has no name of its own. */
export function qualifiedName(frame: TestFrame): string | null {
  const name = frame.function?.replaceAll('.<locals>', '') ?? '';
  return name === '' || name.startsWith('<') ? null : name;
}

const calls = /\b((?:[A-Za-z_]\w*::)+[A-Za-z_]\w*|[A-Za-z_]\w{2,})(?=\s*\()/g;
const notSuspects =
  /^(assert\w*|GetParam|EXPECT_\w*|ASSERT_\w*|CHECK\w*|REQUIRE\w*|FAIL|sizeof|static_cast|with|what|exception|Expected|std::.*|if|for|while|left|right|size|length|empty|begin|end|front|back|data|c_str|isnan)$/;

/** Patterns for a native failure: functions of its stack, then functions its expression calls. */
export function nativeSuspects(failure: TestFailure, result: TestResult): string[] {
  const named = stackSuspects(failure, { ...result, file: null }, qualifiedName);
  const called = [...failure.message.matchAll(calls)]
    .map((found) => found[1] ?? '')
    .filter((name) => !notSuspects.test(name));
  return [...new Set([...named, ...called])].slice(0, mostSuspects);
}
