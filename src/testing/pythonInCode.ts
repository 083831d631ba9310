import { basename } from 'node:path';
import type { ChosenTest, TestAdapter } from './adapter.ts';
import { pythonAsserted } from './pythonAsserted.ts';

/** How files of tests and of what they share are called. */
const testFiles = /(?:^|\/)(?:conftest|test[^/]*|[^/]*_tests?)\.py$/;

/** Where tests of Python stand in sources and traces. */
export function pythonInCode(
  functionOf: (test: ChosenTest) => string | null,
): NonNullable<TestAdapter['inCode']> {
  const lastName = (test: ChosenTest): string => functionOf(test)?.split('.').at(-1) ?? '';
  return {
    // A method may be that of a class it derives from, in another module.
    functions: (test) => {
      const name = functionOf(test);
      return name === null ? [] : [...new Set([name, lastName(test)])];
    },
    declaration: (test) => new RegExp(`\\bdef\\s+${lastName(test)}\\s*\\(`),
    isTimed: true,
    testFiles,
    asserted: pythonAsserted,
  };
}

/** `test_cart.TestCart.test_total` of `tests/test_cart.py::TestCart::test_total[2-tea]`; null: its items are no functions. */
export function pytestFunction({ id }: ChosenTest): string | null {
  const [file = '', ...parts] = id.split('::');
  const path = parts.join('.').replace(/\[.*$/s, '');
  if (!file.endsWith('.py') || !/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(path)) return null;
  // A doctest is named by its module and function: `shop.py::shop.total`.
  if (parts.length === 1 && path.includes('.')) return null;
  return `${basename(file, '.py')}.${path}`;
}

/** `test_cart.CartTest.test_total` of `tests.test_cart.CartTest.test_total (n=2)`; null: a fixture of a class or module failed. */
export function unittestFunction({ id }: ChosenTest): string | null {
  const [name = '', of] = id.split(' ');
  if (/^(?:setUp|tearDown)(?:Class|Module)$/.test(name) && of?.startsWith('(')) return null;
  const parts = name.split('.');
  return parts.length < 2 ? null : parts.slice(-3).join('.');
}
