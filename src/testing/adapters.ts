import type { TestFramework } from '../model/testRun.ts';
import type { TestAdapter } from './adapter.ts';
import { generic } from './adapters/generic.ts';
import { pytest } from './adapters/pytest.ts';
import { unittest } from './adapters/unittest.ts';

/** Every framework, one file each; a name without its adapter is a type error. */
export const adapters = { pytest, unittest, generic } as const satisfies Readonly<
  Record<TestFramework, TestAdapter>
>;
