import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PlainReporter } from '../tests/support/plainReporter.ts';
import { level } from '../vitest.config.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Files with tests that need a compiler of LLVM's or one for musl, or are proofs: no others of them run here (tests/support/needs.ts). */
const withProofs = readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `tests/${name}`)
  .filter((path) =>
    /itProves|'(\w*clang\w*|\w*libcxx|musl)'/i.test(readFileSync(join(root, path), 'utf8')),
  );

export default defineConfig({
  test: {
    reporters: ['default', new PlainReporter({ namesUnselected: false })],
    projects: [
      level('proof', 1, {
        include: ['proof/tests/*.test.ts', ...withProofs],
        testTimeout: 240_000,
        maxWorkers: 1,
        env: {
          STROBE_PROOF: '1',
          // Where scripts/clang.mjs puts a compiler; one of the machine's comes first.
          PATH: [process.env['PATH'], join(root, '.cache/clang/bin')].join(delimiter),
        },
      }),
    ],
    allowOnly: true,
  },
});
