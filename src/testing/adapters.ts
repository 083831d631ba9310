import type { TestFramework } from '../model/tests/testReport.ts';
import type { TestAdapter } from './adapter.ts';
import { bun } from './adapters/bun.ts';
import { cargo } from './adapters/cargoTest.ts';
import { catch2 } from './adapters/catch2.ts';
import { ctest } from './adapters/ctest.ts';
import { deno } from './adapters/deno.ts';
import { generic } from './adapters/generic.ts';
import { googletest } from './adapters/googleTest.ts';
import { go } from './adapters/goTest.ts';
import { jest } from './adapters/jest.ts';
import { mocha } from './adapters/mocha.ts';
import { nextest } from './adapters/nextest.ts';
import { node } from './adapters/nodeTest.ts';
import { pytest } from './adapters/pytest.ts';
import { unittest } from './adapters/unittest.ts';
import { vitest } from './adapters/vitest.ts';

/** Every framework, one file each; a name without its adapter is a type error. */
export const adapters = {
  pytest,
  unittest,
  vitest,
  jest,
  mocha,
  node,
  bun,
  deno,
  cargo,
  nextest,
  googletest,
  catch2,
  go,
  ctest,
  generic,
} as const satisfies Readonly<Record<TestFramework, TestAdapter>>;
