import { defineConfig } from 'vitest/config';
import { PlainReporter } from '../tests/support/plainReporter.ts';
import { level } from '../vitest.config.ts';

export default defineConfig({
  test: {
    reporters: ['default', new PlainReporter()],
    projects: [
      level('proof', 1, {
        include: ['proof/tests/*.test.ts'],
        testTimeout: 240_000,
        maxWorkers: 1,
      }),
    ],
  },
});
