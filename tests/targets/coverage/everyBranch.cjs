'use strict';
const rates = new Map([
  ['a', 1],
  ['b', 2],
]);
function pay(kind, amount) {
  if (!rates.has(kind)) {
    throw new Error('unknown ' + kind);
  }
  return rates.get(kind) * amount;
}
const never = (x) => (x > 1 ? 'big' : 'small');
function tries(x) {
  try {
    return pay(x, 1);
  } catch (e) {
    return e.message;
  } finally {
    rates.set('c', 3);
  }
}
function notCalled(a) {
  if (a) return 1;
  return 2;
}
class Cart {
  #lines = [];
  add(x) {
    this.#lines.push(x);
    return this;
  }
  get size() {
    return this.#lines.length;
  }
  unused() {
    return 0;
  }
  static of(...xs) {
    const c = new Cart();
    for (const x of xs) c.add(x);
    return c;
  }
}
async function slow(n) {
  for (let i = 0; i < n; i++) {
    await null;
    if (i === 5) break;
  }
  return n && n > 2 ? 'many' : 'few';
}
function* gen(n) {
  while (n--) {
    const x = yield n;
    if (x) return x;
  }
}
const pick = (x) => {
  switch (x) {
    case 1:
      return 'one';
    case 2:
      return 'two';
    default:
      return x ?? 'none';
  }
};
console.log(
  pay('a', 2),
  tries('z'),
  tries('b'),
  Cart.of(1, 2).size,
  [...gen(3)],
  pick(2),
  [1, 2].map((x) => x * 2),
);
slow(3).then(console.log);
