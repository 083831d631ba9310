import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { PlainReporter } from './tests/support/plainReporter.ts';

/** rustup's programs look for Rust below HOME, which may be an empty folder; the user's own home is asked next. */
function rustupHome(): Record<string, string> {
  const homes = [homedir(), userInfo().homedir].map((home) => join(home, '.rustup'));
  const found =
    process.env['RUSTUP_HOME'] ?? homes.find((home) => existsSync(join(home, 'toolchains')));
  return found === undefined ? {} : { RUSTUP_HOME: found };
}

interface Level {
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly testTimeout: number;
  /** Targets and daemons are processes of their own: two workers keep a small machine honest. */
  readonly maxWorkers?: number;
  /** Whether its tests run what is built. Those that do not only compute: they share their modules. */
  readonly isBuilt?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** One level of tests; levels run one after the other, cheap ones first. */
export function level(name: string, order: number, options: Level) {
  const { include, exclude = [], testTimeout, maxWorkers = 2, isBuilt = true, env = {} } = options;
  return {
    // `await using` is compiled down: Node 20 does not know it.
    oxc: { target: 'es2022' as const },
    test: {
      name,
      include: [...include],
      exclude: [...exclude],
      env: { ...rustupHome(), ...env },
      isolate: isBuilt,
      // One round in thousands fails on a busy machine. What passes at the second try is named at the end.
      retry: isBuilt ? 1 : 0,
      globalSetup: isBuilt ? ['tests/support/builtProduct.ts'] : [],
      testTimeout,
      expect: { poll: { timeout: 20_000 } },
      hookTimeout: Math.max(testTimeout, 30_000),
      teardownTimeout: 10_000,
      maxWorkers,
      sequence: { groupOrder: order },
    },
  };
}

/** What measures the machine or takes all of it has no other test beside it. */
const alone = ['besideQuestions', 'hotFunctions', 'isolation', 'manyHot', 'scarcity'].map(
  (name) => `tests/e2e/${name}.test.ts`,
);

export default defineConfig({
  test: {
    reporters: ['default', new PlainReporter()],
    projects: [
      level('unit', 1, {
        include: ['tests/unit/**/*.test.ts'],
        testTimeout: 30_000,
        isBuilt: false,
      }),
      level('native', 2, { include: ['tests/native/**/*.test.ts'], testTimeout: 60_000 }),
      level('integration', 3, { include: ['tests/integration/**/*.test.ts'], testTimeout: 60_000 }),
      level('e2e', 4, {
        include: ['tests/e2e/**/*.test.ts'],
        exclude: alone,
        testTimeout: 120_000,
      }),
      level('alone', 5, { include: alone, testTimeout: 120_000, maxWorkers: 1 }),
    ],
  },
});
