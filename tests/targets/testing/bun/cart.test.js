// Every kind of outcome a Bun test has; what is skipped or to come is there for its report.
import { describe, expect, test } from 'bun:test';
function total(price, count) {
  return price + count;
}
describe('Cart', () => {
  test('is empty', () => {
    expect(total(0, 0)).toBe(0);
  });
  test('sums up', () => {
    console.log('said by sums up');
    expect(total(2, 3)).toBe(6);
  });
  test.skip('later', () => {}); // an outcome the report must have
  test.todo('some day'); // another one
  test('throws', () => {
    throw new Error('no paper');
  });
});
test.failing('known', () => {
  expect(1).toBe(2);
});
