import type { TestResult } from '../model/tests/testReport.ts';
import { toldFailure } from './formats/assertionText.ts';
import { doctestSides } from './formats/comparison.ts';
import { sourcePath } from './sourcePath.ts';

/** A failed test whose report has no place and no text of its own, with those its output tells. */
export function withToldFailure(result: TestResult, projectRoot: string): TestResult {
  const told = result.failure ? toldFailure(result.failure.output) : null;
  if (!result.failure || !told) return result;
  const { line, message, besides } = told;
  const file = sourcePath(told.file, projectRoot);
  const frames = [{ function: null, file, line }];
  return {
    ...result,
    file,
    line,
    failure: { ...result.failure, message, ...doctestSides(message), output: besides, frames },
  };
}
