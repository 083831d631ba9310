import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestFramework } from '../model/testRun.ts';

const chunkBytes = 1 << 20;
const mostBytes = 512 << 20;

/** Texts that a framework's own code leaves in every program linked with it. */
const traces: readonly {
  readonly framework: TestFramework;
  readonly text: string;
  readonly reason: string;
}[] = [];

/** Which framework a program was linked with, by the texts in it; it is not run. Null: none known. */
export function testBinaryKind(
  root: string,
  command: string,
): { readonly framework: TestFramework; readonly reason: string } | null {
  let file: number;
  try {
    file = openSync(resolve(root, command), 'r');
  } catch {
    return null;
  }
  try {
    const chunk = Buffer.alloc(chunkBytes);
    const overlap = 64;
    for (let at = 0; at < mostBytes; at += chunkBytes - overlap) {
      const length = readSync(file, chunk, 0, chunkBytes, at);
      const bytes = chunk.subarray(0, length);
      if (at === 0 && bytes.toString('latin1', 0, 4) !== '\u007fELF') return null;
      const found = traces.find(({ text }) => bytes.includes(text));
      if (found) return { framework: found.framework, reason: found.reason };
      if (length < chunkBytes) return null;
    }
    return null;
  } finally {
    closeSync(file);
  }
}
