// Every kind of outcome a Deno test has.
function total(price, count) {
  return price + count;
}
Deno.test('is empty', () => {
  if (total(0, 0) !== 0) throw new Error('x');
});
Deno.test('sums up', async (t) => {
  console.log('said by sums up');
  await t.step('inner', () => {
    if (total(2, 3) !== 6) throw new Error(`expected 6, got ${total(2, 3)}`);
  });
});
Deno.test.ignore('later', () => {});
Deno.test('throws', () => {
  throw new Error('no paper');
});
