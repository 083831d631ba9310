import { expect, test } from 'vitest';
import { yamaRefusal } from '../../../src/collector/attach/inspectProcess.ts';

test('Yama refuses whom the kernel would, and says what can be done', () => {
  expect(yamaRefusal('0\n', 1000)).toBeNull();
  for (const scope of ['1', '2'])
    expect(yamaRefusal(`${scope}\n`, 1000)?.text).toMatch(
      new RegExp(`^PTRACE_DENIED: .*ptrace_scope is ${scope}[^]*\nNext: sudo sysctl kernel.yama`),
    );
  expect(yamaRefusal('3\n', 1000)?.text).toMatch(/until the next boot/);
});

test('root is let by 1 and 2, nobody by 3', () => {
  expect(yamaRefusal('1\n', 0)).toBeNull();
  expect(yamaRefusal('2\n', 0)).toBeNull();
  expect(yamaRefusal('3\n', 0)?.text).toMatch(/^PTRACE_DENIED/);
});
