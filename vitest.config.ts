import { defineConfig } from 'vitest/config';
import { PlainReporter } from './tests/support/plainReporter.ts';

const built = ['tests/support/builtProduct.ts'];

/** One level of tests; levels run one after the other, cheap ones first. */
function level(name: string, order: number, testTimeout: number, maxWorkers: number) {
  return {
    // `await using` is compiled down: Node 20 does not know it.
    oxc: { target: 'es2022' as const },
    test: {
      name,
      include: [`tests/${name}/**/*.test.ts`],
      globalSetup: name === 'unit' ? [] : built,
      testTimeout,
      hookTimeout: Math.max(testTimeout, 30_000),
      teardownTimeout: 10_000,
      maxWorkers,
      sequence: { groupOrder: order },
    },
  };
}

export default defineConfig({
  test: {
    reporters: ['default', new PlainReporter()],
    // Targets and daemons are processes of their own: two workers keep a small machine honest.
    projects: [
      level('unit', 1, 30_000, 2),
      level('native', 2, 60_000, 2),
      level('integration', 3, 60_000, 2),
      level('e2e', 4, 120_000, 1),
    ],
  },
});
