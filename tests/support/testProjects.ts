import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { answerTokens } from './tokens.ts';
import type { Answer, TestClient } from './client.ts';
import type { TestHome } from './home.ts';
import { at, listAt, textAt } from './read.ts';
import { targetSource } from './targets.ts';

/** A copy of `tests/targets/testing/<name>` with an awkward path, and empty folders in it. */
export function testProject(
  home: TestHome,
  name: string,
  as = name,
  folders: readonly string[] = [],
): string {
  const folder = join(home.project, `${as} pröject`);
  cpSync(targetSource(`testing/${name}`), folder, { recursive: true });
  for (const one of folders) mkdirSync(join(folder, one));
  return folder;
}

/** Every path below a folder, for "nothing was written". */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).toSorted();
}

/** Runs tests to their end. */
export async function runTests(
  client: TestClient,
  projectRoot: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  let answer = await client.ok('debug_test', { projectRoot, waitMs: 50_000, ...args });
  // A hint ends a wait before its time: on a busy machine a run is silent for long.
  for (let again = 0; again < 3 && at(answer.structured, 'state') === 'running'; again += 1) {
    const testRunId = textAt(answer.structured, 'testRunId');
    answer = await client.ok('debug_test', { action: 'wait', testRunId, timeoutMs: 40_000 });
  }
  expect(at(answer.structured, 'state'), answer.text).not.toBe('running');
  await expectBudget(answer);
  return answer;
}

/** Whatever the framework: an answer without failures, and one with a single failure, are short. */
async function expectBudget({ text, structured }: Answer): Promise<void> {
  const isTraced =
    at(structured, 'sessionId') !== undefined || at(structured, 'diagnoses') !== undefined;
  const isTold = at(structured, 'warnings') !== undefined || isTraced;
  const isGreen = at(structured, 'verdict') === 'passed' && !isTold;
  const isOne = at(structured, 'summary', 'failed') === 1 && !isTraced;
  if (!isGreen && !isOne) return;
  const { larger } = answerTokens({ text, structured: { structured } });
  expect(larger, text).toBeLessThanOrEqual(isGreen ? 120 : 600);
}

/** `passed/failed/skipped/expected failures` */
export function countsOf(answer: Answer): string {
  return ['passed', 'failed', 'skipped', 'expectedFailures']
    .map((name) => JSON.stringify(at(answer.structured, 'summary', name) ?? 0))
    .join('/');
}

/** The failure of the test with this name. */
export function failureOf(answer: Answer, test: string): unknown {
  const found = listAt(answer.structured, 'failures').find(
    (failure) => textAt(failure, 'test') === test,
  );
  expect(found, answer.text).toBeDefined();
  return found;
}
