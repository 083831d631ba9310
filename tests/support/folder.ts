import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

function made(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'st-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A folder for all tests of a suite. */
export function suiteFolder(): string {
  const { path, remove } = made();
  afterAll(remove);
  return path;
}

/** A folder that is removed when the test ends. */
export function testFolder(): string {
  const { path, remove } = made();
  onTestFinished(remove);
  return path;
}
